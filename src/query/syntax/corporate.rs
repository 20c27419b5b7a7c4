//! Fields and filters of corporate queries.

use super::facet_path::{CodeFacet, FacetFilter};
use super::tree::Vocabulary;
use crate::index::attributes::Attribute;
use crate::text::fold::{Level, folded};

/// The vocabulary of searches for corporations and invoice issuers. A type parameter, never a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorporateVocabulary {}

/// A searchable field. A keyword without an identifier searches the three names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CorporateField {
    Name,
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

#[rustfmt::skip] // Several codes a line.
const KINDS: &[(u16, &str)] = &[
    (101, "行政機関など"), (201, "地方公共団体"), (301, "株式会社"), (302, "有限会社"),
    (303, "合名会社"), (304, "合資会社"), (305, "合同会社"), (399, "その他の設立登記法人"),
    (401, "外国会社等"), (499, "その他"),
];

#[rustfmt::skip] // Several codes a line.
const PROCESSES: &[(u16, &str)] = &[
    (1, "新規"), (11, "商号又は名称の変更"), (12, "国内所在地の変更"), (13, "国外所在地の変更"),
    (21, "登記記録の閉鎖等"), (22, "登記記録の復活等"), (71, "吸収合併"), (72, "吸収合併無効"),
    (81, "商号の登記抹消"), (99, "削除"),
];

#[rustfmt::skip] // Several codes a line.
const CLOSE_CAUSES: &[(u16, &str)] = &[
    (1, "清算の結了等"), (11, "合併による解散等"), (21, "登記官による閉鎖"),
    (31, "その他の清算の結了等"), (0, "その他"),
];

impl CodeFacet for Attribute {
    const FACETS: &'static [Attribute] = &Attribute::ALL;

    fn name(self) -> &'static str {
        Attribute::name(self)
    }

    fn words(self) -> &'static [(u16, &'static str)] {
        match self {
            Attribute::Kind => KINDS,
            Attribute::Process => PROCESSES,
            Attribute::CloseCause => CLOSE_CAUSES,
        }
    }
}

pub type CorporateFilter = FacetFilter<Attribute>;

impl Vocabulary for CorporateVocabulary {
    type Field = CorporateField;
    type Filter = CorporateFilter;

    const FIELDS: &'static [(&'static str, CorporateField)] = &[
        ("name", CorporateField::Name),
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
