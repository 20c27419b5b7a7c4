//! Orders the records of an address, the most precise first.
//!
//! The rules are those of docs/rules.md#addresses. A building's own code comes first if the text names the
//! building. A large business's own code comes first only if the text names the business, since others receive mail
//! at the same lot, and the name of a building with several businesses does not name any of them. `row_query` ranks
//! the rows of a town.

use super::alternatives::{self, AlternativeScratch, Neighbours};
use super::gazetteer::lots;
use super::result::{Address, Component, MatchLevel};
use super::row_query::{KeyWriter, Rank, RowQuery};
use super::units::without_mark;
use super::{kyoto, normalize::ReferenceData};
use crate::record::postal::{CorporationView, PostalView};

#[derive(Debug, Clone, Default)]
pub struct RowScratch {
    query: RowQuery,
    /// The rows of a town.
    ranked: Vec<RankedRow>,
    /// The rows of a municipality with their ranks.
    cities: Vec<(CityRank, u32)>,
    keys: KeyWriter,
    alternatives: AlternativeScratch,
}

/// A row of a town. Rows are sorted by these fields in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankedRow {
    rank: Rank,
    /// Its index among the rows of the town in the source.
    source_order: u32,
    row: u32,
}

/// The rows of an address: the one for the envelope, then alternatives, then the rest of its level.
pub fn rows(
    reference: ReferenceData<'_>,
    address: &Address,
    scratch: &mut RowScratch,
    rows: &mut Vec<u32>,
) {
    best_first(reference, address, scratch, rows);
    let RowScratch { query, ranked, keys, alternatives, .. } = scratch;
    match address.level {
        MatchLevel::City(_) | MatchLevel::Cities => {}
        MatchLevel::Prefecture(_) => {
            let town = address.get(Component::City).unwrap_or_default();
            keys.buffers.write(town, &mut query.town);
        }
        MatchLevel::None | MatchLevel::Town(_) => query.town.clear(),
    }
    let of_town = matches!(address.level, MatchLevel::Town(_));
    let with_rank = |wanted: Rank| {
        let ranked = ranked.iter().filter(move |ranked| of_town && ranked.rank == wanted);
        ranked.map(|ranked| ranked.row)
    };
    let block = query.block();
    let others = with_rank(Rank::Other).filter(|_| block.is_some());
    let in_block = others.filter(|row| is_in_block(reference.record(*row), block));
    let neighbours = Neighbours { at_lot: with_rank(Rank::BusinessAtLot), in_block };
    alternatives::insert(reference, address, &query.town, neighbours, alternatives, rows);
}

/// The rows of the deepest level resolved, the most precise first.
pub fn best_first(
    reference: ReferenceData<'_>,
    address: &Address,
    scratch: &mut RowScratch,
    rows: &mut Vec<u32>,
) {
    rows.clear();
    let gazetteer = reference.gazetteer;
    match address.level {
        MatchLevel::None => {
            // A text with only a code names the place of the code.
            let code = address.postal_code.filter(|_| address.is_only_postal_code());
            let found = code.map(|code| reference.codes.find(code.number()));
            rows.extend(found.unwrap_or_default().iter().map(|row| row.to_native()));
        }
        MatchLevel::Prefecture(prefecture) => {
            let cities = gazetteer.cities.iter();
            let inside = cities.filter(|city| u32::from(city.prefecture) == prefecture);
            rows.extend(
                inside.flat_map(|city| city.first_row.to_native()..city.end_row.to_native()),
            );
            rows.sort_unstable();
        }
        MatchLevel::City(city) => city_rows(reference, address, city, scratch, rows),
        MatchLevel::Cities => {
            for &city in &address.cities {
                city_rows(reference, address, city, scratch, rows);
            }
        }
        MatchLevel::Town(town) => town_rows(reference, address, town as usize, scratch, rows),
    }
}

/// How precisely an address without a known town names a row of its municipality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CityRank {
    Named,
    Unlisted,
    OtherUnlisted,
    Other,
}

/// Appends the rows of a municipality; first the one for unlisted towns, or for lots without a town.
fn city_rows(
    reference: ReferenceData<'_>,
    address: &Address,
    city: u32,
    scratch: &mut RowScratch,
    rows: &mut Vec<u32>,
) {
    let gazetteer = reference.gazetteer;
    let Some(range) = gazetteer.cities.get(city as usize) else { return };
    let (lot, has_chome) = (address.details.lot.as_slice(), address.details.has_chome);
    let RowScratch { query, cities, keys, .. } = scratch;
    let RowQuery { town, parts: streets, .. } = query;
    keys.buffers.write(address.get(Component::Town).unwrap_or_default(), town);
    let lot_text = Some(address.lot_numbers()).filter(|numbers| !numbers.is_empty());
    streets.clear();
    if !address.details.street.is_empty() {
        let street = &address.details.street;
        streets.extend(kyoto::rows_of_street(gazetteer, city as usize, street));
    }
    let mut rank = |row: u32| -> CityRank {
        let Some(record) = reference.record(row) else { return CityRank::Other };
        if streets.contains(&row) {
            return CityRank::Named;
        }
        if let Some(business) = record.corporation() {
            // A town that only a business's own address has.
            let number = lot_text.and(business.block_lot_num()).map(|number| number.text);
            if number.is_none() || number != lot_text {
                return CityRank::Other;
            }
            keys.buffers.write(without_mark(record.town().name.text), &mut keys.key);
            let named = !keys.key.is_empty() && town.starts_with(&keys.key);
            return if named { CityRank::Named } else { CityRank::Other };
        }
        if !record.town().name.text.is_empty() {
            return CityRank::Other;
        }
        let follows = lots::follows_city(record.town_raw().text);
        // いの町字正雲寺3297: a koaza without a town.
        let without_town = town.is_empty() || address.details.is_koaza_without_town;
        match (follows, lots::contains(gazetteer.lots_of(row), lot, has_chome)) {
            (true, Some(true)) if without_town => CityRank::Named,
            (true, None) if without_town && !lot.is_empty() => CityRank::Named,
            (false, _) => CityRank::Unlisted,
            _ => CityRank::OtherUnlisted,
        }
    };
    let all = range.first_row.to_native()..range.end_row.to_native();
    cities.clear();
    cities.extend(all.map(|row| (rank(row), row)));
    cities.sort_unstable();
    rows.extend(cities.iter().map(|(_, row)| *row));
}

/// Appends the rows of a town, the most precise first.
fn town_rows(
    reference: ReferenceData<'_>,
    address: &Address,
    town: usize,
    scratch: &mut RowScratch,
    rows: &mut Vec<u32>,
) {
    let gazetteer = reference.gazetteer;
    if town >= gazetteer.towns.count() {
        return;
    }
    let all = gazetteer.rows_of(town).iter().map(|row| row.to_native());
    let RowScratch { query, ranked, keys, .. } = scratch;
    query.set(gazetteer, address, town, keys);
    query.find_tenant(reference, all.clone(), keys);
    ranked.clear();
    ranked.extend(all.zip(0..).map(|(row, source_order)| {
        let rank = reference
            .record(row)
            .map_or(Rank::Other, |record| query.rank(gazetteer, row, record, keys));
        RankedRow { rank, source_order, row }
    }));
    ranked.sort_unstable();
    rows.extend(ranked.iter().map(|ranked| ranked.row));
}

/// Whether a record is a business of this chome and block: 3-18-8 is in 3-18-.
fn is_in_block(record: Option<PostalView<'_>>, block: Option<&str>) -> bool {
    let business = record.and_then(PostalView::corporation);
    let number = business.and_then(CorporationView::block_lot_num);
    number.zip(block).is_some_and(|(number, block)| number.text.starts_with(block))
}
