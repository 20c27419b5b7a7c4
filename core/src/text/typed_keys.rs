//! The keys of a text typed into a suggesting field, by which it is compared: letters, digits, and readings in Roman
//! letters. And how a suggestion matches the typed text, with the letters to highlight.
//!
//! It is compared with keys of names ([`name_key`]) and of readings ([`roman_key`](super::roman_key)). Names that a
//! searcher takes for the same have equal keys: [`Level::Search`] folds width, kanji variants, the size of kana and of
//! letters. A key also ignores the difference between hiragana and katakana and drops long-vowel marks, which the bank
//! directory writes as hyphens. Index builder and query both make their keys here. Knows nothing of the records that
//! are suggested.

use std::ops::Range;

use super::fold::{Folded, Level, fold, folded};
use super::kana::{is_hiragana, is_katakana, katakana, without_macron};
use super::kind_words::{expand, split};
use super::roman_key::roman_beginnings;

/// Longest typed text that is searched for, in letters. Names have 150 at most.
const LETTERS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedKeys {
    /// The [`name_key`] of the text, without spaces. Not empty.
    pub key: String,
    /// Set if only digits were typed.
    pub digits: Option<String>,
    /// Possible beginnings of readings. Empty unless the text has Roman letters and otherwise only kana.
    pub roman: Vec<String>,
    /// Whether it is kana alone, so that it may be a reading.
    pub is_kana: bool,
}

impl TypedKeys {
    /// `None` if the text has nothing to compare or is longer than any name.
    pub fn parse(text: &str) -> Option<TypedKeys> {
        if text.chars().nth(LETTERS_MAX).is_some() {
            return None;
        }
        let mut key = name_key(text);
        key.retain(|letter| !letter.is_whitespace());
        if key.is_empty() {
            return None;
        }
        let is_kana = |letter: char| is_hiragana(letter) || is_katakana(letter);
        let is_roman = |letter: char| {
            without_macron(letter).is_ascii_alphanumeric() || matches!(letter, '\'' | '’')
        };
        let may_be_reading = key.chars().all(|letter| is_kana(letter) || is_roman(letter));
        let is_digits = key.bytes().all(|byte| byte.is_ascii_digit());
        let has_roman = key.chars().any(|letter| is_roman(letter) && !letter.is_ascii_digit());
        let mut roman =
            if may_be_reading && has_roman { roman_beginnings(text) } else { Vec::new() };
        // A lone apostrophe has an empty key.
        roman.retain(|key| !key.is_empty());
        let is_kana = key.chars().all(is_kana);
        Some(TypedKeys { digits: is_digits.then(|| key.clone()), key, roman, is_kana })
    }

    /// Removes the kind word of a company, for a bank's name that was copied from another source.
    pub fn without_kind_word(self) -> TypedKeys {
        let written_out = expand(&self.key, Level::Search);
        let (body, _) = split(&written_out, Level::Search);
        if body == self.key { self } else { TypedKeys::parse(body).unwrap_or(self) }
    }

    /// The range of the first occurrence of the key in a text, in UTF-16 code units.
    pub fn find_in(&self, text: &str) -> Option<[usize; 2]> {
        let mut letters = key_letters(text);
        letters.retain(|letter| !letter.character.is_whitespace());
        let wanted: Vec<char> = self.key.chars().collect();
        let is_key =
            |window: &&[Folded]| window.iter().map(|it| it.character).eq(wanted.iter().copied());
        let found = letters.windows(wanted.len()).find(is_key)?;
        let [start, end] = [found.first()?.start, found.last()?.end].map(|offset| offset as usize);
        // Where one character folds to several (㈱), only the first of them has bytes.
        (start < end).then(|| utf16_range(text, start..end))
    }
}

/// The key of a name, of a reading in either kana, or of one in Latin letters.
pub fn name_key(text: &str) -> String {
    let text: String = key_letters(text).iter().map(|letter| letter.character).collect();
    // Dropping a mark joins its neighbours: a voiced mark may now compose with its kana, so fold again.
    folded(&text, Level::Search).trim().to_owned()
}

/// The letters of a key, each with the bytes of the text that it came from. A dropped mark belongs to the letter
/// before it.
fn key_letters(text: &str) -> Vec<Folded> {
    let mut letters = Vec::with_capacity(text.len() / 3);
    fold(text, Level::Search, &mut letters);
    let mut key: Vec<Folded> = Vec::with_capacity(letters.len());
    for letter in letters {
        match (letter.character, key.last_mut()) {
            ('ー' | '-' | '\u{2212}' | '\u{2010}', Some(before)) => before.end = letter.end,
            ('ー' | '-' | '\u{2212}' | '\u{2010}', None) => {}
            (character, _) => key.push(Folded { character: katakana(character), ..letter }),
        }
    }
    key
}

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
    /// A name that the corporation had before begins with it.
    FormerName,
    /// A name that the operator gave the corporation begins with it.
    Alias,
}

impl MatchKind {
    /// The names in answers, in the order of the variants.
    pub const NAMES: &[&str] =
        &["prefix", "reading", "roman", "inside", "near", "former_name", "alias"];

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

    fn typed(text: &str) -> TypedKeys {
        TypedKeys::parse(text).expect("something to compare")
    }

    #[test]
    fn typed_text_is_letters_digits_or_a_reading() {
        assert_eq!(typed("みずほ").key, "ミズホ");
        assert!(typed("ﾐｽﾞﾎ").is_kana && typed("そしえて じえ").is_kana);
        assert!(!typed("みずほ銀").is_kana && !typed("mizuho").is_kana && !typed("１２").is_kana);
        assert_eq!(typed("０00１").digits.as_deref(), Some("0001"));
        assert_eq!(typed("1号").digits, None);
        assert_eq!(typed("mizuho").roman, ["mizuho"]);
        assert_eq!(typed("しぶy").roman, ["shibuy", "shibui"]);
        for no_reading in ["みずほ", "001", "三菱ufj", "東京"] {
            assert_eq!(typed(no_reading).roman, Vec::<String>::new(), "{no_reading}");
        }
        assert_eq!(typed("（株）みずほ 銀行").without_kind_word(), typed("みずほ銀行"));
        assert_eq!(typed("株式会社").without_kind_word(), typed("株式会社"));
        assert_eq!(typed("みずほ").without_kind_word(), typed("みずほ"));
        for nothing in ["", " ", "\u{3000}", "ー", "-"] {
            assert_eq!(TypedKeys::parse(nothing), None, "{nothing:?}");
        }
        assert!(TypedKeys::parse(&"あ".repeat(200)).is_some());
        assert_eq!(TypedKeys::parse(&"あ".repeat(201)), None);
    }

    #[test]
    fn typed_text_is_located_in_the_name() {
        #[track_caller]
        fn check(text: &str, query: &str, expected: Option<[usize; 2]>) {
            assert_eq!(typed(query).find_in(text), expected, "{query} in {text}");
        }
        check("みずほ銀行", "みず", Some([0, 2]));
        check("みずほ銀行", "ミズホ銀", Some([0, 4]));
        check("三菱ＵＦＪ銀行", "ufj", Some([2, 5]));
        check("キヤノン株式会社", "きゃの", Some([0, 3]));
        check("スーパー台帳", "すーぱー", Some([0, 4]));
        check("スーパー台帳", "スパ", Some([0, 4]));
        check("ガス", "ｶﾞ", Some([0, 1]));
        check("ｶﾞｽ", "ガ", Some([0, 2]));
        check("㈱台帳", "株", None);
        check("㈱台帳", "(株)台", Some([0, 2]));
        check("ソシエテ　ジェネラル", "そしえてじ", Some([0, 6]));
        check("𠮷野家", "野", Some([2, 3]));
        check("台帳", "見本", None);
        check("", "見本", None);
    }

    proptest! {
        #[test]
        fn every_part_of_a_name_is_found_in_it(before in "[ぁ-ん一-三ァ-ヶ]{0,4}", part in "[ぁ-ん一-三ァ-ヶ]{1,4}", after in "[ぁ-ん一-三ァ-ヶ]{0,4}") {
            let text = [&*before, &part, &after].concat();
            prop_assert!(typed(&part).find_in(&text).is_some(), "{part} in {text}");
        }

        #[test]
        fn any_typed_text_is_parsed_and_ranges_stay_inside_the_name(query in ".{0,12}", text in ".{0,12}") {
            if let Some([start, end]) = TypedKeys::parse(&query).and_then(|typed| typed.find_in(&text)) {
                prop_assert!(start <= end && end <= text.encode_utf16().count());
            }
        }
    }
}

#[cfg(test)]
mod name_key_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equivalent_spellings_have_one_key() {
        #[track_caller]
        fn check(texts: &[&str]) {
            let keys: Vec<String> = texts.iter().map(|text| name_key(text)).collect();
            assert!(keys.iter().all(|key| *key == keys[0]), "{texts:?}: {keys:?}");
        }
        check(&["チュウオウ", "チユウオウ", "ちゅうおう", "ﾁｭｳｵｳ", "ちゆうおう"]);
        check(&["ＵＦＪ", "ufj", "UFJ", "ｕｆｊ"]);
        check(&["ミツビシユ－エフジエイ", "みつびしゅーえふじえい", "ミツビシユエフジエイ"]);
        check(&["i-hato-vu", "ihatovu", "Ｉ－ＨＡＴＯ－ＶＵ"]);
        check(&["ガ", "か\u{3099}", "ｶﾞ", "が"]);
        check(&["", " ", "\u{3000}", "ー", "－"]);
        assert_ne!(name_key("カ"), name_key("ガ"));
        assert_ne!(name_key("東京"), name_key("京東"));
    }

    proptest! {
        #[test]
        fn the_key_of_a_key_is_the_key(text in ".{0,20}") {
            let key = name_key(&text);
            prop_assert_eq!(name_key(&key), key);
        }
    }
}

#[cfg(test)]
mod match_info_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_kind_of_match_has_a_name() {
        use MatchKind::{Alias, FormerName, Inside, Near, Prefix, Reading, Roman};
        let names = [Prefix, Reading, Roman, Inside, Near, FormerName, Alias].map(MatchKind::name);
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
