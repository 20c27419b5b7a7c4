//! How a searched text is compared: folded, without its spaces, with one hyphen behind digits.
//!
//! The builder of the index and the query fold here, each field alike on both sides.

use crate::text::fold::{Folded, Level, fold};

/// What is typed for a hyphen between numbers.
const HYPHENS: [char; 10] = ['‐', '‑', '‒', '–', '—', '―', '−', '─', '━', 'ー'];

/// The characters of `text` that a search compares, at a level of folding.
pub fn characters(text: &str, level: Level, out: &mut Vec<char>) {
    let mut folded: Vec<Folded> = Vec::with_capacity(text.len() / 3);
    fold(text, level, &mut folded);
    out.clear();
    let mut digit_before = false;
    for Folded { character, .. } in folded {
        if character.is_whitespace() {
            continue;
        }
        let hyphen = digit_before && HYPHENS.contains(&character);
        digit_before = character.is_ascii_digit();
        out.push(if hyphen { '-' } else { character });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_a_reader_takes_for_the_same_are_the_same() {
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
    }
}
