//! Fields and filters of postal queries.

use crate::query::syntax::{FacetPath, Query, Vocabulary};
use crate::text::fold;
use crate::text::fold::Level;

/// The vocabulary of postal searches. A type parameter, never a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostalVocabulary {}

pub type PostalQuery = Query<PostalVocabulary>;

/// A searchable field. A keyword without an identifier searches all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PostalField {
    Prefecture,
    /// County, city and ward concatenated.
    City,
    Town,
    Koaza,
    KyotoStreet,
    Building,
    Floor,
    /// Address below the town, of large businesses.
    BlockLot,
    Corporation,
    CorporationKana,
}

/// A kind of record, as the filters `_type` and `_structure` name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// `_type:1`: postal codes of areas and buildings.
    Code,
    /// `_type:2`: large-business numbers.
    Business,
    /// `_structure:1`: postal codes of areas.
    Area,
    /// `_structure:2`: postal codes of buildings.
    Building,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostalFilter {
    Facet(FacetPath),
    Kind(RecordKind),
}

impl Vocabulary for PostalVocabulary {
    type Field = PostalField;
    type Filter = PostalFilter;

    const KEYWORD_MIN: usize = 2;
    const QUOTED_ONLY: &'static [char] = &['(', ')'];
    const FORBIDDEN: &'static [char] = &[];
    const FIELDS: &'static [(&'static str, PostalField)] = &[
        ("prefecture", PostalField::Prefecture),
        ("city", PostalField::City),
        ("town", PostalField::Town),
        ("koaza", PostalField::Koaza),
        ("kyoto_street", PostalField::KyotoStreet),
        ("building", PostalField::Building),
        ("floor", PostalField::Floor),
        ("block_lot", PostalField::BlockLot),
        ("corporation", PostalField::Corporation),
        ("corporation_kana", PostalField::CorporationKana),
    ];
    const FILTERS: &'static [&'static str] = &["_facet", "_type", "_structure"];

    fn parse_filter(identifier: &str, value: &str) -> Result<PostalFilter, String> {
        Ok(match (identifier, value) {
            ("_type", "1") => PostalFilter::Kind(RecordKind::Code),
            ("_type", "2") => PostalFilter::Kind(RecordKind::Business),
            ("_structure", "1") => PostalFilter::Kind(RecordKind::Area),
            ("_structure", "2") => PostalFilter::Kind(RecordKind::Building),
            ("_facet", path) => {
                PostalFilter::Facet(FacetPath::parse(path).map_err(|error| error.to_string())?)
            }
            // The other filters have two values each.
            _ => return Err("1 or 2".to_owned()),
        })
    }

    fn keyword_length(keyword: &str) -> usize {
        fold::search_length(keyword, Level::Address)
    }
}
