//! Folding: one spelling for characters that readers take for the same, with the bytes each came from.
//! Index, queries, gazetteer and address normaliser fold here, so that what is equal for one is for all.
//!
//! Four levels, each everything before it and more ([`Level`]). A folded text folds to itself; only voiced marks look
//! at a neighbour. Snapshots hold folded keys: a change of the tables is a change of the snapshot format.

mod confused;
mod kana;
mod level;
mod table;

pub use level::Level;
use table::{Form, Table};

/// One character of a folded text, and the bytes of the text that it came from.
///
/// The entries of a text cover it in its order. Where one character becomes several (`㈱` is `(株)`), the
/// first has its bytes and the others are empty; where several become one (`ｶﾞ` is `ガ`), it has all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    pub character: char,
    pub start: u32,
    pub end: u32,
}

/// Appends the folded characters of a text of at most 4 GiB. A dropped character belongs to the one before it.
pub fn fold(text: &str, level: Level, out: &mut Vec<Folded>) {
    let table = Table::of(level);
    let first = out.len();
    out.reserve(text.len() / 3);
    // Where the next entry begins, and the character before it, for the marks.
    let mut start = 0;
    let mut before = '\0';
    for (at, character) in text.char_indices() {
        let end = offset(at + character.len_utf8());
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
        if kana::is_mark(folded)
            && out.len() > first
            && let Some(last) = out.last_mut()
            && let Some(composed) = kana::compose(Table::of(Level::Width).one(before), folded)
                .or_else(|| kana::compose(last.character, folded))
        {
            *last = Folded { character: table.one(composed), start: last.start, end };
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

/// Folds one character by itself. One that would become several characters, or none, stays.
pub fn fold_char(character: char, level: Level) -> char {
    Table::of(level).one(character)
}

/// The folded text alone, as keys need it.
pub fn folded(text: &str, level: Level) -> String {
    let mut out = Vec::new();
    fold(text, level, &mut out);
    out.iter().map(|folded| folded.character).collect()
}

/// A place in a text; a text beyond 4 GiB is cut there in the ranges.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
