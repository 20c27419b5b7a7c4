//! The data that the postal search reads beside the tables: the text index, and values derived from the tables at
//! the first search of a version.

use std::collections::HashMap;

use super::one_letter::{OneLetterFields, UnitRows};
use crate::address::suggest::ArchivedSuggestions;
use crate::dataset::postal::rows::LookupSections;
use crate::index::postal_texts::{ArchivedPostalTextIndex, Part, Units};
use crate::index::row_set::RowSet;
use crate::query::areas::{Area, Areas};
use crate::record::postal::{PostalView, tag};
use crate::snapshot::{OpenError, Section, SnapshotFile};
use crate::text::fold;

#[derive(Debug)]
pub struct SearchIndex {
    pub index: Section<ArchivedPostalTextIndex>,
    pub areas: Areas,
    /// The rows of large businesses, ascending, and the same as a set.
    pub businesses: Vec<u32>,
    pub business_set: RowSet,
    /// Businesses whose lot begins with the town: their line contains the town only once.
    pub town_in_lot: RowSet,
    /// Rows of the other records that have a building.
    pub building_set: RowSet,
    pub row_count: usize,
    pub one_letter_fields: OneLetterFields,
    /// By row: the weight of its municipality.
    city_weights: Vec<u8>,
    /// The letters in which names of municipalities end, folded.
    place_end_letters: Vec<char>,
}

impl SearchIndex {
    /// Whether the name of a municipality may end with these letters.
    pub fn may_end_place(&self, letters: &[char]) -> bool {
        letters.last().is_some_and(|last| self.place_end_letters.contains(last))
    }

    pub fn weight_of_city(&self, row: usize) -> u8 {
        self.city_weights.get(row).copied().unwrap_or_default()
    }

    #[inline]
    pub fn units(&self) -> UnitRows<'_> {
        let SearchIndex { areas, businesses, row_count, .. } = self;
        UnitRows { areas: areas.all(), businesses, row_count: *row_count }
    }

    /// Reads and checks the text index, and derives the values.
    pub fn open(
        file: &SnapshotFile,
        sections: &LookupSections,
        suggestions: &ArchivedSuggestions,
    ) -> Result<SearchIndex, OpenError> {
        let index: Section<ArchivedPostalTextIndex> = file.archive(tag::GRAMS)?;
        let row_count = sections.tables.root().current();
        let mut search_index = SearchIndex {
            index,
            areas: Areas::default(),
            businesses: Vec::new(),
            business_set: RowSet::empty(row_count),
            town_in_lot: RowSet::empty(row_count),
            building_set: RowSet::empty(row_count),
            row_count,
            one_letter_fields: OneLetterFields::default(),
            city_weights: Vec::with_capacity(row_count),
            place_end_letters: Vec::new(),
        };
        let weights: HashMap<usize, u8> = suggestions.weights_of_cities().collect();
        let mut areas = AreaBuilder::default();
        for (row, record) in sections.records().enumerate() {
            search_index.add_record(row, record);
            areas.add_record(row, record);
            let weight = weights.get(&record.city_number()).copied();
            search_index.city_weights.push(weight.unwrap_or_default());
        }
        search_index.place_end_letters = place_end_letters(&areas.areas);
        search_index.areas = Areas::new(areas.areas);
        let (places, businesses) = (search_index.areas.all().len(), search_index.businesses.len());
        let checked =
            search_index.index.root().check(Units { places, rows: row_count, businesses });
        checked.map_err(|expected| file.unexpected(tag::GRAMS, expected))?;
        let (tables, strings) = (sections.tables.root(), sections.strings.root());
        let record = |row: u32| PostalView::read(tables, strings, row as usize);
        search_index.one_letter_fields =
            OneLetterFields::new(search_index.index.root(), search_index.units(), record);
        Ok(search_index)
    }

    fn add_record(&mut self, row: usize, record: PostalView<'_>) {
        if record.corporation().is_some() {
            self.businesses.push(row as u32);
            self.business_set.insert(row);
            if record.town_is_in_lot() {
                self.town_in_lot.insert(row);
            }
        } else if !record.building().text.is_empty() {
            self.building_set.insert(row);
        }
    }
}

#[derive(Default)]
struct AreaBuilder {
    areas: Vec<Area>,
    /// The municipality of the last record, as its index in the tables.
    city: Option<usize>,
}

impl AreaBuilder {
    fn add_record(&mut self, row: usize, record: PostalView<'_>) {
        let end = row as u32 + 1;
        match self.areas.last_mut() {
            Some(last) if self.city == Some(record.city_number()) => last.rows.end = end,
            _ => {
                let [prefecture, name] = [record.city().prefecture(), record.city().city()]
                    .map(|name| name.name.text.to_owned());
                self.areas.push(Area { prefecture, city: Some(name), rows: row as u32..end });
                self.city = Some(record.city_number());
            }
        }
    }
}

fn place_end_letters(areas: &[Area]) -> Vec<char> {
    let (mut ends, mut letters) = (Vec::new(), Vec::new());
    for area in areas {
        let city = area.city.as_deref().unwrap_or_default();
        fold::search_letters(city, Part::Place.level(), &mut letters);
        if let Some(last) = letters.last().filter(|last| !ends.contains(*last)) {
            ends.push(*last);
        }
    }
    ends
}
