//! The data that the postal search reads: the text index, and values derived once from the tables.

use std::collections::HashMap;

use super::one_letter::{OneLetters, UnitRows};
use crate::address::suggest::ArchivedSuggestions;
use crate::index::folding;
use crate::index::postal_texts::{ArchivedPostalTextIndex, Part, Units};
use crate::index::row_set::RowSet;
use crate::query::areas::{Area, Areas};
use crate::query::postal_rows::{Checked, PostalRows, Rows};
use crate::record::postal::{PostalView, tag};
use crate::snapshot::{OpenError, Section, SnapshotFile};

/// The data that a search reads beside the tables: the checked index, and values derived from the tables at the
/// first search.
#[derive(Debug)]
pub struct Searchable {
    pub index: Section<ArchivedPostalTextIndex>,
    pub areas: Areas,
    pub businesses: Vec<u32>,
    pub business: RowSet,
    /// Businesses whose lot begins with the town: their line contains the town only once.
    pub town_in_lot: RowSet,
    /// Rows of the other records that have a building.
    pub building: RowSet,
    pub rows: usize,
    pub one_letter: OneLetters,
    /// By row: the weight of its municipality.
    city_weights: Vec<u8>,
    /// The last letters of municipality names, folded.
    place_ends: Vec<char>,
}

impl Searchable {
    /// Whether the name of a municipality may end with these letters.
    pub fn ends_place(&self, letters: &[char]) -> bool {
        letters.last().is_some_and(|last| self.place_ends.contains(last))
    }

    /// The weight of a row's municipality.
    pub fn weight_of_city(&self, row: usize) -> u8 {
        self.city_weights.get(row).copied().unwrap_or_default()
    }

    /// Reads and checks the section of the search, for the first search of this version.
    pub fn open(
        file: &SnapshotFile,
        checked: &Checked,
        suggestions: &ArchivedSuggestions,
    ) -> Result<Searchable, OpenError> {
        let index: Section<ArchivedPostalTextIndex> = file.archive(tag::GRAMS)?;
        let rows = checked.tables.root().current();
        let mut searchable = Searchable {
            index,
            areas: Areas::default(),
            businesses: Vec::new(),
            business: RowSet::empty(rows),
            town_in_lot: RowSet::empty(rows),
            building: RowSet::empty(rows),
            rows,
            one_letter: OneLetters::default(),
            city_weights: Vec::with_capacity(rows),
            place_ends: Vec::new(),
        };
        let records = PostalRows { data: checked, rows: Rows::Listed([].iter(), 0..rows) };
        let weights: HashMap<usize, u8> = suggestions.weights_of_cities().collect();
        let mut areas: Vec<Area> = Vec::new();
        let mut city = None;
        for (row, record) in records.enumerate() {
            searchable.take(row, record);
            let weight = weights.get(&record.city_number()).copied();
            searchable.city_weights.push(weight.unwrap_or_default());
            let end = row as u32 + 1;
            match areas.last_mut() {
                Some(last) if city == Some(record.city_number()) => last.rows.end = end,
                _ => {
                    let [prefecture, name] = [record.city().prefecture(), record.city().city()]
                        .map(|name| name.name.text.to_owned());
                    areas.push(Area { prefecture, city: Some(name), rows: row as u32..end });
                    city = Some(record.city_number());
                }
            }
        }
        let mut letters = Vec::new();
        for area in &areas {
            folding::characters(
                area.city.as_deref().unwrap_or_default(),
                Part::Place.level(),
                &mut letters,
            );
            searchable
                .place_ends
                .extend(letters.last().filter(|_| !searchable.ends_place(&letters)));
        }
        let (places, businesses) = (areas.len(), searchable.businesses.len());
        searchable.areas = Areas::of(areas);
        searchable
            .index
            .root()
            .check(Units { places, rows, businesses })
            .map_err(|expected| file.unexpected(tag::GRAMS, expected))?;
        let Searchable { index, areas, businesses, .. } = &searchable;
        let units = UnitRows { areas: areas.all(), businesses, rows };
        let (tables, strings) = (checked.tables.root(), checked.strings.root());
        let record = |row: u32| PostalView::of(tables, strings, row as usize);
        searchable.one_letter = OneLetters::of(index.root(), units, record);
        Ok(searchable)
    }

    fn take(&mut self, row: usize, record: PostalView<'_>) {
        if record.corporation().is_some() {
            self.businesses.push(row as u32);
            self.business.insert(row);
            if record.town_is_in_lot() {
                self.town_in_lot.insert(row);
            }
        } else if !record.building().text.is_empty() {
            self.building.insert(row);
        }
    }
}
