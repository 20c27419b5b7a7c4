//! Which letters of a corporation's fields are searched, and how they are folded: the builder of the
//! indexes, the check of what they find, and the query fold here, each field alike.
//!
//! Rule 5 of the specification: width never matters; small kana, old kana and the forms of a kanji do
//! not either, but for the English name, which is compared with its width folded alone.

use crate::record::corporate::CorporateView;
use crate::snapshot::Tag;
use crate::text::fold::{Folded, Level, fold};

/// The section of [`post_codes`](super::post_codes).
pub const POST_CODES: Tag = Tag::of("codes");

/// The sections of a field's index, see [`substring`](super::substring).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSections {
    /// The dictionary.
    pub grams: Tag,
    /// The lists.
    pub lists: Tag,
    /// Checksums of the blocks of the lists.
    pub sums: Tag,
}

/// A field whose substrings are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextField {
    /// Trade name.
    Name,
    /// Name in English.
    EnName,
    /// Reading of the name.
    Furigana,
    /// Address abroad.
    AddressOutside,
    /// Address below the city.
    StreetNumber,
}

impl TextField {
    /// Every one, in the order of their sections.
    pub const ALL: [TextField; 5] = [
        TextField::Name,
        TextField::EnName,
        TextField::Furigana,
        TextField::AddressOutside,
        TextField::StreetNumber,
    ];

    /// Where its index lies.
    pub const fn sections(self) -> TextSections {
        let [grams, lists, sums] = match self {
            TextField::Name => ["name.g", "name.l", "name.s"],
            TextField::EnName => ["en.g", "en.l", "en.s"],
            TextField::Furigana => ["kana.g", "kana.l", "kana.s"],
            TextField::AddressOutside => ["abroad.g", "abroad.l", "abroad.s"],
            TextField::StreetNumber => ["street.g", "street.l", "street.s"],
        };
        TextSections { grams: Tag::of(grams), lists: Tag::of(lists), sums: Tag::of(sums) }
    }

    /// More rows than this must have a gram of three letters or more for it to be listed: the knob
    /// between the size of the index and the time of a rare long keyword.
    pub const fn threshold(self) -> u32 {
        match self {
            TextField::Name => 1_000,
            TextField::Furigana => 2_000,
            TextField::StreetNumber => 5_000,
            TextField::EnName | TextField::AddressOutside => 200,
        }
    }

    /// How it is folded.
    pub fn level(self) -> Level {
        match self {
            TextField::EnName => Level::Width,
            TextField::Name
            | TextField::Furigana
            | TextField::AddressOutside
            | TextField::StreetNumber => Level::Search,
        }
    }
}

/// Room for folding, kept from one text to the next.
#[derive(Debug, Default)]
pub struct Letters {
    folded: Vec<Folded>,
    reading: Vec<u8>,
}

impl Letters {
    /// The folded letters of a field; none where the corporation is left out of searches.
    pub fn of_field(&mut self, view: CorporateView<'_>, field: TextField, out: &mut Vec<char>) {
        out.clear();
        if view.hihyoji() {
            return;
        }
        let text = match field {
            TextField::Name => view.name().text,
            TextField::EnName => view.en_name().text,
            TextField::AddressOutside => view.outside().text,
            TextField::StreetNumber => view.street().text,
            TextField::Furigana => {
                self.reading.clear();
                view.furigana().push_to(&mut self.reading);
                std::str::from_utf8(&self.reading).unwrap_or_default()
            }
        };
        self.folded.clear();
        fold(text, field.level(), &mut self.folded);
        out.extend(self.folded.iter().map(|folded| folded.character));
    }
}

/// The folded letters of a keyword for a field, without the spaces around it. Hiragana is taken for
/// katakana where a reading is searched.
pub fn of_keyword(keyword: &str, field: TextField) -> Vec<char> {
    let mut folded = Vec::new();
    fold(keyword.trim(), field.level(), &mut folded);
    let katakana = |letter: char| match (field, letter) {
        (TextField::Furigana, 'ぁ'..='ゖ' | 'ゝ' | 'ゞ') => {
            char::from_u32(letter as u32 + ('ァ' as u32 - 'ぁ' as u32)).unwrap_or(letter)
        }
        _ => letter,
    };
    folded.iter().map(|folded| katakana(folded.character)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_folded_as_their_field_is() {
        #[track_caller]
        fn check(keyword: &str, field: TextField, expected: &str) {
            assert_eq!(of_keyword(keyword, field).into_iter().collect::<String>(), expected);
        }
        check("ＡＢｃ", TextField::Name, "abc");
        check("ＡＢｃ", TextField::EnName, "ABc");
        check("ゃッヰ", TextField::Name, "やツイ");
        check("ｶﾞｰ", TextField::StreetNumber, "ガー");
        check("みほんしょうじ", TextField::Furigana, "ミホンシヨウジ");
        check("みほん", TextField::Name, "みほん");
        check("　東京　商事 ", TextField::Name, "東京 商事");
        check("ゔゐ", TextField::Furigana, "ヴイ");
    }
}
