//! Fields and filters of corporate queries.

use crate::index::attributes::Attribute;
use crate::query::syntax::{FacetFilter, Query, Vocabulary};
use crate::text::fold::{Level, folded};

/// The vocabulary of searches for corporations and invoice issuers. A type parameter, never a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorporateVocabulary {}

pub type CorporateQuery = Query<CorporateVocabulary>;

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
