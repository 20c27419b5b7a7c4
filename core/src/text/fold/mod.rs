//! Folding: one spelling for characters that readers take for the same, with the source bytes of each. Index,
//! queries, gazetteer and address normaliser all fold here, so that they agree on what is equal.
//!
//! There are four levels ([`Level`]), of which each folds more than the one before. Folding a folded text changes nothing. Only voiced marks depend on
//! a neighbour. Snapshots hold folded keys, so a change of the tables changes the snapshot format.

mod kana;
mod level;
mod table;

pub use level::Level;
use table::{Form, Table};

/// One character of a folded text, and its bytes in the source text.
///
/// The entries cover the source text in order. Where one character becomes several (`㈱` is `(株)`), the first entry
/// has its bytes and the others are empty; where several become one (`ｶﾞ` is `ガ`), the entry has all their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    pub character: char,
    pub start: u32,
    pub end: u32,
}

/// Appends the folded characters of a text of at most 4 GiB. A dropped character belongs to the one before it.
pub fn fold(text: &str, level: Level, out: &mut Vec<Folded>) {
    let table = Table::for_level(level);
    let first = out.len();
    out.reserve(text.len() / 3);
    // The start of the next entry.
    let mut start = 0;
    // The character that a voiced mark may join; NUL if there is none.
    let mut before = '\0';
    for (index, character) in text.char_indices() {
        let end = offset(index + character.len_utf8());
        let folded = match table.form(character) {
            Form::One(folded) => folded,
            Form::Several(several) => {
                for &character in several {
                    out.push(Folded { character, start, end });
                    start = end;
                }
                before = '\0';
                continue;
            }
            Form::Dropped => {
                if out.len() > first
                    && let Some(last) = out.last_mut()
                {
                    last.end = end;
                    start = end;
                }
                continue;
            }
        };
        if kana::is_voiced_mark(folded)
            && out.len() > first
            && let Some(last) = out.last_mut()
            && let Some(composed) =
                kana::compose(Table::for_level(Level::Width).single(before), folded)
                    .or_else(|| kana::compose(last.character, folded))
        {
            *last = Folded { character: table.single(composed), start: last.start, end };
            before = '\0';
        } else {
            out.push(Folded { character: folded, start, end });
            before = character;
        }
        start = end;
    }
    if out.len() == first
        && let Some(character) = text.chars().next()
    {
        out.push(Folded { character, start: 0, end: offset(text.len()) });
    }
}

/// Folds a single character. One that folds to several characters, or to none, stays.
pub fn fold_char(character: char, level: Level) -> char {
    Table::for_level(level).single(character)
}

/// The folded text without ranges, for keys.
pub fn folded(text: &str, level: Level) -> String {
    let mut out = Vec::new();
    fold(text, level, &mut out);
    out.iter().map(|folded| folded.character).collect()
}

/// A byte offset in a text; saturates at 4 GiB.
fn offset(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
