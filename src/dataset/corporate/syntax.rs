//! Fields and filters of corporate queries, and the folding of the searched fields of a corporation, for the index,
//! the verification of matches and the query alike.
//!
//! Width is always folded. Small kana, old kana and kanji variants are folded except in the English name. See
//! docs/rules.md#corporate-search.

use super::record::CorporateView;
use crate::index::attributes::Attribute;
use crate::index::grams::{RowLists, TextSections};
use crate::query::syntax::{FacetFilter, Query, Vocabulary};
use crate::snapshot::SectionTag;
use crate::text::fold::{Level, fold_letters, folded};
use crate::text::kana::katakana;

/// The vocabulary of searches for corporations and invoice issuers. A type parameter, never a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorporateVocabulary {}

pub type CorporateQuery = Query<CorporateVocabulary>;

/// A searchable field. A keyword without an identifier searches the three names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CorporateField {
    Name,
    /// The names before the present one, as far as they are known.
    FormerName,
    EnName,
    Furigana,
    PostCode,
    PrefectureName,
    /// County, city and ward concatenated.
    CityName,
    AddressOutside,
    StreetNumber,
    CorporateNumber,
}

pub type CorporateFilter = FacetFilter<Attribute>;

impl Vocabulary for CorporateVocabulary {
    type Field = CorporateField;
    type Filter = CorporateFilter;

    const FIELDS: &'static [(&'static str, CorporateField)] = &[
        ("name", CorporateField::Name),
        ("former_name", CorporateField::FormerName),
        ("en_name", CorporateField::EnName),
        ("furigana", CorporateField::Furigana),
        ("post_code", CorporateField::PostCode),
        ("prefecture_name", CorporateField::PrefectureName),
        ("city_name", CorporateField::CityName),
        ("address_outside", CorporateField::AddressOutside),
        ("street_number", CorporateField::StreetNumber),
        ("corporate_number", CorporateField::CorporateNumber),
    ];
    const FILTERS: &'static [&'static str] =
        &["_facet_area", "_facet_kind", "_facet_process", "_facet_close_cause"];

    fn parse_filter(identifier: &str, value: &str) -> Result<CorporateFilter, String> {
        FacetFilter::parse(identifier, value)
    }

    /// Counts letters as folded for the search, without spaces.
    fn keyword_length(keyword: &str) -> usize {
        folded(keyword, Level::Search).chars().filter(|letter| !letter.is_whitespace()).count()
    }
}

pub const POST_CODES: SectionTag = SectionTag::new("codes");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextField {
    Name,
    EnName,
    Furigana,
    AddressOutside,
    StreetNumber,
}

impl TextField {
    pub const ALL: [TextField; 5] = [
        TextField::Name,
        TextField::EnName,
        TextField::Furigana,
        TextField::AddressOutside,
        TextField::StreetNumber,
    ];

    pub const fn sections(self) -> TextSections {
        let [grams, lists, sums] = match self {
            TextField::Name => ["name.g", "name.l", "name.s"],
            TextField::EnName => ["en.g", "en.l", "en.s"],
            TextField::Furigana => ["kana.g", "kana.l", "kana.s"],
            TextField::AddressOutside => ["abroad.g", "abroad.l", "abroad.s"],
            TextField::StreetNumber => ["street.g", "street.l", "street.s"],
        };
        TextSections {
            grams: SectionTag::new(grams),
            lists: SectionTag::new(lists),
            sums: SectionTag::new(sums),
        }
    }

    /// Which grams of its texts are listed. With lower thresholds the slowest keywords read less and the file is larger:
    /// with 1,000 and 16,000 names took 1.5 bytes a corporation less and three times as long (bench `engines`).
    pub const fn lists(self) -> RowLists {
        match self {
            // The most frequent words of names are kinds (有限会社, 合同会社), which searches unite.
            TextField::Name => RowLists { threshold: 400, common: 6_000, bitmap_factor: 4 },
            TextField::Furigana => RowLists::smallest(2_000, 32_000),
            TextField::StreetNumber => RowLists::smallest(2_500, 30_000),
            TextField::EnName | TextField::AddressOutside => RowLists::smallest(200, 1_600),
        }
    }

    pub fn level(self) -> Level {
        if self == TextField::EnName { Level::Width } else { Level::Search }
    }
}

/// Folds the fields of many corporations. Reuses its buffer.
#[derive(Debug, Default)]
pub struct FieldFolder {
    reading: Vec<u8>,
}

impl FieldFolder {
    /// The folded letters of a field; none if the corporation is hidden from searches.
    pub fn fold_field(&mut self, view: CorporateView<'_>, field: TextField, out: &mut Vec<char>) {
        out.clear();
        if view.hihyoji() {
            return;
        }
        let text = match field {
            TextField::Name => return view.name().fold_into(out),
            TextField::StreetNumber => return view.street().fold_into(out),
            TextField::EnName => view.en_name().text,
            TextField::AddressOutside => view.outside().text,
            TextField::Furigana => {
                self.reading.clear();
                view.furigana().push_to(&mut self.reading);
                std::str::from_utf8(&self.reading).unwrap_or_default()
            }
        };
        fold_letters(text, field.level(), out);
    }
}

/// The folded, trimmed letters of a keyword for a field. For a reading, hiragana becomes katakana.
pub fn fold_keyword(keyword: &str, field: TextField) -> Vec<char> {
    let mut letters = Vec::new();
    fold_letters(keyword.trim(), field.level(), &mut letters);
    let in_field = |letter: char| match (field, letter) {
        (TextField::Furigana, 'ゝ') => 'ヽ',
        (TextField::Furigana, 'ゞ') => 'ヾ',
        (TextField::Furigana, _) => katakana(letter),
        _ => letter,
    };
    letters.into_iter().map(in_field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_folded_like_their_field() {
        #[track_caller]
        fn check(keyword: &str, field: TextField, expected: &str) {
            assert_eq!(fold_keyword(keyword, field).into_iter().collect::<String>(), expected);
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
