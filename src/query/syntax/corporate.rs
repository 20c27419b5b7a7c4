//! What a corporate query may name.

use super::corporate_facets::CodePath;
use super::facet_path::FacetPath;
use super::parse::{Names, Vocabulary};
use crate::index::attributes::Attribute;
use crate::text::fold::{Level, folded};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corporate {}

/// A searchable field. A keyword without an identifier searches the three names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CorporateField {
    Name,
    EnName,
    Furigana,
    PostCode,
    PrefectureName,
    /// County, city and ward in one.
    CityName,
    AddressOutside,
    StreetNumber,
    CorporateNumber,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CorporateFilter {
    Area(FacetPath),
    /// `_facet_kind:`, `_facet_process:` and `_facet_close_cause:`
    Code(CodePath),
}

impl Vocabulary for Corporate {
    type Field = CorporateField;
    type Filter = CorporateFilter;

    const KEYWORD_MIN: usize = 1;
    const FORBIDDEN: &'static [char] = &[];
    const BANNED: &'static [char] = &['(', ')', '{', '}', '[', ']', '\''];
    const NAMES: &'static [(&'static str, Names<CorporateField>)] = &[
        ("name", Names::Field(CorporateField::Name)),
        ("en_name", Names::Field(CorporateField::EnName)),
        ("furigana", Names::Field(CorporateField::Furigana)),
        ("post_code", Names::Field(CorporateField::PostCode)),
        ("prefecture_name", Names::Field(CorporateField::PrefectureName)),
        ("city_name", Names::Field(CorporateField::CityName)),
        ("address_outside", Names::Field(CorporateField::AddressOutside)),
        ("street_number", Names::Field(CorporateField::StreetNumber)),
        ("corporate_number", Names::Field(CorporateField::CorporateNumber)),
        ("_facet_area", Names::Filter),
        ("_facet_kind", Names::Filter),
        ("_facet_process", Names::Filter),
        ("_facet_close_cause", Names::Filter),
    ];

    fn filter(identifier: &str, value: &str) -> Result<CorporateFilter, String> {
        let facet = Attribute::ALL.into_iter().find(|facet| {
            identifier.strip_prefix("_facet_").is_some_and(|name| name == facet.name())
        });
        match facet {
            Some(facet) => Ok(CorporateFilter::Code(CodePath::parse(facet, value)?)),
            None => {
                let path = FacetPath::parse(value).map_err(|error| error.to_string())?;
                Ok(CorporateFilter::Area(path))
            }
        }
    }

    /// Spaces do not count.
    fn length(keyword: &str) -> usize {
        folded(keyword, Level::Search).chars().filter(|letter| !letter.is_whitespace()).count()
    }
}
