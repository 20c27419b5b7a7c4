//! How a suggestion matches the typed text, and which of its letters to highlight.

use std::ops::Range;

/// How a suggestion matches what was typed, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// The text, or the digits of its code, begin with it.
    Prefix,
    /// The reading begins with it, typed in kana.
    Reading,
    /// The reading begins with it, typed in Roman letters.
    Roman,
    /// It occurs inside the text or its reading.
    Inside,
    /// One letter differs.
    Near,
}

impl MatchKind {
    /// The names in answers, in the order of the variants.
    pub const NAMES: &[&str] = &["prefix", "reading", "roman", "inside", "near"];

    pub fn name(self) -> &'static str {
        MatchKind::NAMES[self as usize]
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchInfo {
    pub kind: MatchKind,
    /// Ranges to highlight, in UTF-16 code units, ascending and not empty: the typed text, or the parts of the text
    /// whose readings were typed. Empty if nothing of the text was typed.
    pub highlight: Vec<[usize; 2]>,
}

/// Converts a byte range of a text to UTF-16 code units, as JavaScript counts. The range is cut to whole letters.
pub fn utf16_range(text: &str, bytes: Range<usize>) -> [usize; 2] {
    let units = |until: usize| {
        let letters = text.char_indices().take_while(|(offset, _)| *offset < until);
        letters.map(|(_, letter)| letter.len_utf16()).sum()
    };
    [units(bytes.start), units(bytes.end)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_kind_of_match_has_a_name() {
        use MatchKind::{Inside, Near, Prefix, Reading, Roman};
        let names = [Prefix, Reading, Roman, Inside, Near].map(MatchKind::name);
        assert_eq!(names, MatchKind::NAMES);
    }

    #[test]
    fn letters_beyond_the_basic_plane_are_two_units() {
        assert_eq!(utf16_range("𠮷野家", 0..4), [0, 2]);
        assert_eq!(utf16_range("𠮷野家", 4..7), [2, 3]);
        assert_eq!(utf16_range("みずほ", 0..9), [0, 3]);
        assert_eq!(utf16_range("みずほ", 0..100), [0, 3]);
        assert_eq!(utf16_range("", 0..0), [0, 0]);
    }

    proptest! {
        #[test]
        fn ranges_count_like_javascript(before in ".{0,8}", typed in ".{0,8}", after in ".{0,8}") {
            let text = [&*before, &typed, &after].concat();
            let [start, end] = utf16_range(&text, before.len()..before.len() + typed.len());
            let units: Vec<u16> = text.encode_utf16().collect();
            prop_assert_eq!(String::from_utf16_lossy(&units[start..end]), typed);
        }
    }
}
