//! Folding: one spelling for characters that readers take for the same, with the source bytes of each. Index, queries,
//! gazetteer and address normaliser all fold here, so that they agree on what is equal.
//!
//! There are four levels ([`Level`]), of which each folds more than the one before. Folding a folded text changes
//! nothing. Only voiced marks depend on a neighbour. Snapshots hold folded keys, so a change of the tables changes the
//! snapshot format.

mod keyword;
mod table;

pub use keyword::FoldedKeyword;
use table::{Form, Table};
pub use table::{Level, compose};

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

/// What folded characters are appended to.
trait FoldedText {
    fn push(&mut self, folded: Folded);
    fn last(&self) -> Option<char>;
    fn replace_last(&mut self, character: char);
    /// Moves the end of the last character in the source text.
    fn extend_last(&mut self, end: u32);
}

impl FoldedText for Vec<Folded> {
    fn push(&mut self, folded: Folded) {
        Vec::push(self, folded);
    }

    fn last(&self) -> Option<char> {
        <[Folded]>::last(self).map(|folded| folded.character)
    }

    fn replace_last(&mut self, character: char) {
        if let Some(last) = self.last_mut() {
            last.character = character;
        }
    }

    fn extend_last(&mut self, end: u32) {
        if let Some(last) = self.last_mut() {
            last.end = end;
        }
    }
}

impl FoldedText for String {
    fn push(&mut self, folded: Folded) {
        String::push(self, folded.character);
    }

    fn last(&self) -> Option<char> {
        self.chars().next_back()
    }

    fn replace_last(&mut self, character: char) {
        self.pop();
        String::push(self, character);
    }

    fn extend_last(&mut self, _end: u32) {}
}

impl FoldedText for Vec<char> {
    fn push(&mut self, folded: Folded) {
        Vec::push(self, folded.character);
    }

    fn last(&self) -> Option<char> {
        <[char]>::last(self).copied()
    }

    fn replace_last(&mut self, character: char) {
        if let Some(last) = self.last_mut() {
            *last = character;
        }
    }

    fn extend_last(&mut self, _end: u32) {}
}

/// Appends the folded characters of a text of at most 4 GiB. A dropped character belongs to the one before it.
pub fn fold(text: &str, level: Level, out: &mut Vec<Folded>) {
    out.reserve(text.len() / 3);
    fold_to(text, level, out);
}

#[inline]
fn fold_to(text: &str, level: Level, out: &mut impl FoldedText) {
    let table = Table::for_level(level);
    let mut is_empty = true;
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
                    (start, is_empty) = (end, false);
                }
                before = '\0';
                continue;
            }
            Form::Dropped => {
                if !is_empty {
                    out.extend_last(end);
                    start = end;
                }
                continue;
            }
        };
        if table::is_voiced_mark(folded)
            && !is_empty
            && let Some(last) = out.last()
            && let Some(composed) =
                table::compose(Table::for_level(Level::Width).single(before), folded)
                    .or_else(|| table::compose(last, folded))
        {
            out.replace_last(table.single(composed));
            out.extend_last(end);
            before = '\0';
        } else {
            out.push(Folded { character: folded, start, end });
            is_empty = false;
            before = character;
        }
        start = end;
    }
    if is_empty && let Some(character) = text.chars().next() {
        out.push(Folded { character, start: 0, end: offset(text.len()) });
    }
}

/// Folds a single character. One that folds to several characters, or to none, stays.
pub fn fold_char(character: char, level: Level) -> char {
    Table::for_level(level).single(character)
}

/// Folds a character that becomes one character whatever is beside it. `None` for a voiced mark, and for a character that
/// becomes several or none.
#[inline]
pub fn fold_alone(character: char, level: Level) -> Option<char> {
    match Table::for_level(level).form(character) {
        table::Form::One(folded) if !table::is_voiced_mark(folded) => Some(folded),
        _ => None,
    }
}

/// Whether other characters become this one.
pub fn has_variants(character: char, level: Level) -> bool {
    Table::for_level(level).has_variants(character)
}

/// The folded text without ranges, for keys.
pub fn folded(text: &str, level: Level) -> String {
    let mut out = String::with_capacity(text.len());
    fold_to(text, level, &mut out);
    out
}

/// Appends the folded characters of a text, without ranges.
pub fn fold_letters(text: &str, level: Level, out: &mut Vec<char>) {
    out.reserve(text.len() / 3);
    fold_to(text, level, out);
}

/// A byte offset in a text; saturates at 4 GiB.
fn offset(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Characters that people type for a hyphen between numbers, after folding. Fewer than [`is_hyphen`] has, which is
/// for texts that are not indexed: the texts of a snapshot are folded with these, so more of them would make its index
/// another one.
///
/// [`is_hyphen`]: crate::text::numerals::is_hyphen
const HYPHENS: [char; 10] = ['‐', '‑', '‒', '–', '—', '―', '−', '─', '━', 'ー'];

/// Replaces `out` by the characters of `text` in their compared form, at a level of folding.
pub fn search_letters(text: &str, level: Level, out: &mut Vec<char>) {
    let mut folded: Vec<Folded> = Vec::with_capacity(text.len() / 3);
    fold(text, level, &mut folded);
    out.clear();
    let mut follows_digit = false;
    for Folded { character, .. } in folded {
        if character.is_whitespace() {
            continue;
        }
        let is_hyphen = character == '-' || HYPHENS.contains(&character);
        let is_number_hyphen = follows_digit && is_hyphen;
        follows_digit = character.is_ascii_digit();
        // In a reading any other hyphen is a long vowel, since the business file prints no other mark for it.
        let is_long_vowel = level == Level::Search && is_hyphen;
        out.push(match (is_number_hyphen, is_long_vowel) {
            (true, _) => '-',
            (false, true) => 'ー',
            (false, false) => character,
        });
    }
}

/// The compared form of a text.
pub fn search_key(text: &str, level: Level) -> String {
    let mut letters = Vec::new();
    search_letters(text, level, &mut letters);
    letters.into_iter().collect()
}

/// The number of characters of a text in its compared form.
pub fn search_length(text: &str, level: Level) -> usize {
    search_key(text, level).chars().count()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod search_key_tests {
    use super::*;

    #[test]
    fn equivalent_texts_have_one_key() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let mut found = Vec::new();
            search_letters(text, Level::Address, &mut found);
            assert_eq!(found.into_iter().collect::<String>(), expected, "{text:?}");
        }
        check("", "");
        check(" \t\u{3000}", "");
        check("株式会社　見本", "株式会社見本");
        check("ＪＲ東京", "jr東京");
        check("１－６－１", "1-6-1");
        check("1ー6−1", "1-6-1");
        check("タワー1", "タワー1");
        for reading in ["カ－ド", "カ-ド", "カード", "ｶｰﾄﾞ"] {
            let mut found = Vec::new();
            search_letters(reading, Level::Search, &mut found);
            assert_eq!(found.into_iter().collect::<String>(), "カード", "{reading:?}");
        }
    }
}
