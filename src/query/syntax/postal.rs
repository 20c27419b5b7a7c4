//! Fields and filters of postal queries.

use super::facet_path::FacetPath;
use super::tree::{Names, Vocabulary};
use crate::index::folding;
use crate::text::fold::Level;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Postal {}

/// A searchable field. A keyword without an identifier searches all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataKind {
    /// `_type:1`: postal codes of areas and buildings.
    Code,
    /// `_type:2`: individual numbers of large businesses.
    Business,
    /// `_structure:1`: postal codes of areas.
    Area,
    /// `_structure:2`: postal codes of buildings.
    Building,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    Facet(FacetPath),
    Kind(DataKind),
}

impl Vocabulary for Postal {
    type Field = Field;
    type Filter = Filter;

    const KEYWORD_MIN: usize = 2;
    const FORBIDDEN: &'static [char] = &['(', ')'];
    const BANNED: &'static [char] = &[];
    const NAMES: &'static [(&'static str, Names<Field>)] = &[
        ("prefecture", Names::Field(Field::Prefecture)),
        ("city", Names::Field(Field::City)),
        ("town", Names::Field(Field::Town)),
        ("koaza", Names::Field(Field::Koaza)),
        ("kyoto_street", Names::Field(Field::KyotoStreet)),
        ("building", Names::Field(Field::Building)),
        ("floor", Names::Field(Field::Floor)),
        ("block_lot", Names::Field(Field::BlockLot)),
        ("corporation", Names::Field(Field::Corporation)),
        ("corporation_kana", Names::Field(Field::CorporationKana)),
        ("_facet", Names::Filter),
        ("_type", Names::Filter),
        ("_structure", Names::Filter),
    ];

    fn filter(identifier: &str, value: &str) -> Result<Filter, String> {
        Ok(match (identifier, value) {
            ("_type", "1") => Filter::Kind(DataKind::Code),
            ("_type", "2") => Filter::Kind(DataKind::Business),
            ("_structure", "1") => Filter::Kind(DataKind::Area),
            ("_structure", "2") => Filter::Kind(DataKind::Building),
            ("_facet", path) => {
                Filter::Facet(FacetPath::parse(path).map_err(|error| error.to_string())?)
            }
            _ => return Err("1 or 2".to_owned()),
        })
    }

    fn length(keyword: &str) -> usize {
        folding::length(keyword, Level::Address)
    }
}
