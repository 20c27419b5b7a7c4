//! The keys of a text typed into a suggesting field, by which it is compared: letters, digits, and readings in Roman
//! letters.
//!
//! It is compared with keys of names ([`name_key`]) and of readings ([`roman_key`](super::roman_key)). Knows nothing of
//! the records that are suggested.

use super::fold::{Folded, Level};
use super::kana::{is_hiragana, is_katakana};
use super::kind_words::{expand, split};
use super::match_info::utf16_range;
use super::name_key::{key_letters, name_key};
use super::romaji_syllables::without_macron;
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
