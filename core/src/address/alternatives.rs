//! Alternatives: the rows that follow the first row of an address, for other meanings of its text, the likeliest first.
//!
//! They are the rows of a postal code in the text, businesses at its lot, towns named by its koaza or its street, and
//! towns with a name similar to one that was not found (`similar_towns`). They may belong to other towns than the
//! address's own, but never to another municipality. Each must follow from the text; nothing is guessed.

use super::gazetteer::ArchivedGazetteer;
use super::kyoto;
use super::reference::ReferenceData;
use super::result::{Address, Component, MatchLevel};
use super::row_query::lot_of;
use super::similar_towns::{self, SimilarTowns};
use super::units::{KeyBuffers, unit};
use crate::record::postal::PostalView;

/// Most businesses in the block of the address.
const IN_BLOCK_MAX: usize = 2;
/// Most towns of a street.
const STREET_MAX: usize = 4;
/// Most businesses without a known town.
const UNPLACED_MAX: usize = 2;
/// A town with a shorter name is not searched in a koaza.
const NAME_MIN: usize = 2;

#[derive(Debug, Clone, Default)]
pub struct AlternativeScratch {
    /// The alternative rows, in order.
    found: Vec<u32>,
    similar: SimilarTowns,
    buffers: KeyBuffers,
    koaza: Vec<u16>,
}

/// The rows of the businesses in an address's town that are near it.
pub struct Neighbours<L, B> {
    pub at_lot: L,
    pub in_block: B,
}

/// Inserts the alternatives after the first row. `town`: the key of the town in the text, if it was not found.
pub fn insert(
    reference: ReferenceData<'_>,
    address: &Address,
    town: &[u16],
    neighbours: Neighbours<impl Iterator<Item = u32>, impl Iterator<Item = u32>>,
    scratch: &mut AlternativeScratch,
    rows: &mut Vec<u32>,
) {
    let Some((&first, _)) = rows.split_first() else { return };
    let gazetteer = reference.gazetteer;
    scratch.found.clear();
    if let Some(code) = address.postal_code {
        let own = reference.rows_of_code(code);
        scratch.found.extend(own.filter(|row| rows.contains(row)));
    }
    // The towns of the municipality that a misspelt address may mean as well.
    let city = reference.record(first).map(|record| record.city_number());
    let suspects = address.suspects.iter().filter(|place| Some(place.city) == city);
    let suspects = suspects.filter_map(|place| place.town);
    scratch.found.extend(suspects.filter_map(|town| gazetteer.first_row(town)));
    scratch.found.extend(neighbours.at_lot);
    match address.level {
        MatchLevel::Town(town) => {
            scratch.add_other_towns(reference, address, town as usize);
            scratch.found.extend(neighbours.in_block.take(IN_BLOCK_MAX));
        }
        MatchLevel::City(city) => {
            scratch.add_streets(gazetteer, city as usize, address);
            scratch.add_unplaced(reference, city as usize, |record| is_at_lot(address, record));
            let similar = scratch.similar.find(gazetteer, &[city], town);
            scratch.found.extend(similar);
            // In Kyoto, businesses without a town have a street.
            if !gazetteer.cities[city as usize].has_streets {
                scratch.add_unplaced(reference, city as usize, has_no_town);
            }
        }
        MatchLevel::Cities => {
            let similar = scratch.similar.find(gazetteer, &address.cities, town);
            scratch.found.extend(similar);
        }
        MatchLevel::Prefecture(prefecture) => {
            let same = similar_towns::find_by_name(gazetteer, prefecture, town);
            scratch.found.extend(same);
        }
        MatchLevel::None => {}
    }
    scratch.remove_repeated(first);
    let found = &scratch.found;
    if !found.is_empty() {
        rows.retain(|row| !found.contains(row));
        rows.splice(1..1, found.iter().copied());
    }
}

impl AlternativeScratch {
    /// Keeps the first occurrence of each alternative, and removes those that are the first row of the address.
    fn remove_repeated(&mut self, first: u32) {
        let found = &mut self.found;
        let mut count = 0;
        for index in 0..found.len() {
            if found[index] != first && !found[..count].contains(&found[index]) {
                found[count] = found[index];
                count += 1;
            }
        }
        found.truncate(count);
    }

    /// Adds alternatives in other towns of the municipality, for an address with a town.
    fn add_other_towns(&mut self, reference: ReferenceData<'_>, address: &Address, town: usize) {
        let gazetteer = reference.gazetteer;
        let Some(record) = reference.record_of_town(town) else { return };
        let city = record.city_number();
        let written = address.get(Component::Town).unwrap_or_default();
        let koaza = written.strip_prefix(record.town().name.text).unwrap_or_default();
        if !koaza.is_empty() && address.details.koaza.is_none() {
            self.buffers.write(koaza, &mut self.koaza);
            let named = town_of_koaza(gazetteer, city, &self.koaza);
            self.found.extend(named.and_then(|named| gazetteer.first_row(named)));
        }
        self.add_streets(gazetteer, city, address);
        self.add_unplaced(reference, city, |record| is_at_lot(address, record));
        if address.corrections().any(|corrected| corrected.component == Component::Town) {
            self.found
                .extend(gazetteer.unnamed_town(city).and_then(|own| gazetteer.first_row(own)));
        }
    }

    /// Adds the rows of a ward with the street of the address, or else with its two streets in either order.
    fn add_streets(&mut self, gazetteer: &ArchivedGazetteer, city: usize, address: &Address) {
        let street = &address.details.street;
        if street.is_empty() || !gazetteer.cities[city].has_streets {
            return;
        }
        let before = self.found.len();
        self.found.extend(kyoto::rows_of_street(gazetteer, city, street));
        if self.found.len() == before {
            self.found.extend(kyoto::rows_of_crossing(gazetteer, city, street));
        }
        self.found.truncate(before + STREET_MAX);
    }

    /// Adds wanted businesses of the municipality whose town no record has.
    fn add_unplaced(
        &mut self,
        reference: ReferenceData<'_>,
        city: usize,
        wanted: impl Fn(PostalView<'_>) -> bool,
    ) {
        let gazetteer = reference.gazetteer;
        let own = gazetteer.unnamed_town(city).map_or(&[][..], |own| gazetteer.rows_of(own));
        let rows = own.iter().map(|row| row.to_native());
        let found = rows.filter(|row| {
            let record = reference.record(*row);
            record.is_some_and(|record| record.corporation().is_some() && wanted(record))
        });
        self.found.extend(found.take(UNPLACED_MAX));
    }
}

/// Whether a business has the lot of the address.
fn is_at_lot(address: &Address, record: PostalView<'_>) -> bool {
    let lot = address.lot_numbers();
    lot.is_some() && lot_of(record) == lot
}

fn has_no_town(record: PostalView<'_>) -> bool {
    record.town().name.text.is_empty()
}

/// The town with the longest name that begins the koaza, with or without 町: 岡田町 for 中御所字岡田, ブナ坂 for
/// 芦峅寺ブナ坂外.
fn town_of_koaza(gazetteer: &ArchivedGazetteer, city: usize, koaza: &[u16]) -> Option<usize> {
    let marks: [&[u16]; 3] = [&[unit('大'), unit('字')], &[unit('小'), unit('字')], &[unit('字')]];
    let name = marks.iter().find_map(|mark| koaza.strip_prefix(*mark)).unwrap_or(koaza);
    let keys = &gazetteer.towns;
    let (mut names, mut found) = (gazetteer.towns_of(city), None);
    for (depth, code) in name.iter().enumerate() {
        names = keys.narrow(&names, depth, *code);
        let depth = depth + 1;
        let all = depth == name.len();
        let with_ending = || all.then(|| keys.narrow(&names, depth, unit('町')));
        let whole = keys.with_length(&names, depth).next();
        let whole = whole.or_else(|| keys.with_length(&with_ending()?, depth + 1).next());
        found = whole.filter(|_| depth >= NAME_MIN).or(found);
    }
    found
}
