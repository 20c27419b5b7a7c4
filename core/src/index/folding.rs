//! Folding of searched texts, for the index and the query alike: without spaces, and with one kind of hyphen after
//! digits.

use crate::text::fold::{Folded, Level, fold};

/// Characters that people type for a hyphen between numbers, after folding. Fewer than [`text::hyphen`] has, which is
/// for texts that are not indexed: the texts of a snapshot are folded with these, so more of them would make its index
/// another one.
///
/// [`text::hyphen`]: crate::text::hyphen
const HYPHENS: [char; 10] = ['‐', '‑', '‒', '–', '—', '―', '−', '─', '━', 'ー'];

/// Replaces `out` by the characters of `text` in their compared form, at a level of folding.
pub fn characters(text: &str, level: Level, out: &mut Vec<char>) {
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
pub fn key(text: &str, level: Level) -> String {
    let mut letters = Vec::new();
    characters(text, level, &mut letters);
    letters.into_iter().collect()
}

/// The number of characters of a text in its compared form.
pub fn length(text: &str, level: Level) -> usize {
    key(text, level).chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_texts_have_one_key() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let mut found = Vec::new();
            characters(text, Level::Address, &mut found);
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
            characters(reading, Level::Search, &mut found);
            assert_eq!(found.into_iter().collect::<String>(), "カード", "{reading:?}");
        }
    }
}
