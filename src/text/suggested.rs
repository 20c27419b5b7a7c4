//! What every suggestion says of its text: how it matches what was typed, and which of its letters were.

use std::ops::Range;

/// How a suggestion matches what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matched {
    /// The text, or the digits of its code, begin so.
    Prefix,
    /// Its reading begins so, in kana.
    Reading,
    /// Its reading begins so, in Roman letters.
    Roman,
    /// It stands inside the text or its reading.
    Inside,
    /// One letter is different.
    Near,
}

impl Matched {
    pub const WORDS: &[&str] = &["prefix", "reading", "roman", "inside", "near"];

    pub fn word(self) -> &'static str {
        Matched::WORDS[self as usize]
    }
}

/// What a suggestion says beside its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    pub matched: Matched,
    /// Ranges of the text's UTF-16 code units, in their order, none of them empty: what was typed, or the parts of the
    /// text whose readings were. None where nothing of the text was typed.
    pub highlight: Vec<[usize; 2]>,
}

/// A range of bytes of a text as UTF-16 code units, which is how JavaScript counts. The range is cut to whole letters.
pub fn utf16_range(text: &str, bytes: Range<usize>) -> [usize; 2] {
    let units = |until: usize| {
        let letters = text.char_indices().take_while(|(at, _)| *at < until);
        letters.map(|(_, letter)| letter.len_utf16()).sum()
    };
    [units(bytes.start), units(bytes.end)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_match_has_its_word() {
        use Matched::{Inside, Near, Prefix, Reading, Roman};
        let words = [Prefix, Reading, Roman, Inside, Near].map(Matched::word);
        assert_eq!(words, Matched::WORDS);
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
        fn a_range_is_what_javascript_slices(before in ".{0,8}", typed in ".{0,8}", behind in ".{0,8}") {
            let text = [&*before, &typed, &behind].concat();
            let [start, end] = utf16_range(&text, before.len()..before.len() + typed.len());
            let units: Vec<u16> = text.encode_utf16().collect();
            prop_assert_eq!(String::from_utf16_lossy(&units[start..end]), typed);
        }
    }
}
