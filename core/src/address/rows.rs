//! Orders the records of an address, the most precise first.
//!
//! docs/rules.md#addresses has the rules. A building's own code comes first if the text names the
//! building. A large business's own code comes first only if the text names the business, since others receive mail
//! at the same lot, and the name of a building with several businesses does not name any of them. `row_query` ranks
//! the rows of a town.

use super::alternatives::{self, AlternativeScratch, Neighbours};
use super::gazetteer::{ArchivedLotRange, lots};
use super::result::{Address, Component, MatchLevel};
use super::row_query::{KeyWriter, Rank, RowQuery, lot_of};
use super::units::without_mark;
use super::{kyoto, normalize::ReferenceData};
use crate::record::postal::PostalView;

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
    // 3-18-8 is in the block 3-18-.
    let in_block = with_rank(Rank::Other).filter(|row| {
        let lot = block.and_then(|_| lot_of(reference.record(*row)?));
        lot.zip(block).is_some_and(|(lot, block)| lot.starts_with(block))
    });
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
    let mut order = RowOrder { reference, address, scratch, rows };
    match address.level {
        MatchLevel::None => {
            // A text with only a code names the place of the code.
            let code = address.postal_code.filter(|_| address.is_only_postal_code());
            let found = code.map(|code| reference.codes.find(code.number()));
            rows.extend(found.unwrap_or_default().iter().map(|row| row.to_native()));
        }
        MatchLevel::Prefecture(prefecture) => {
            let inside = gazetteer.cities_in(prefecture);
            rows.extend(inside.flat_map(|city| gazetteer.rows_of_city(city)));
            rows.sort_unstable();
        }
        MatchLevel::City(city) => order.add_city(city as usize),
        MatchLevel::Cities => address.cities.iter().for_each(|city| order.add_city(*city as usize)),
        MatchLevel::Town(town) => order.add_town(town as usize),
    }
}

/// Appends the rows of one address.
struct RowOrder<'a> {
    reference: ReferenceData<'a>,
    address: &'a Address,
    scratch: &'a mut RowScratch,
    rows: &'a mut Vec<u32>,
}

/// How precisely an address without a known town names a row of its municipality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CityRank {
    Named,
    Unlisted,
    OtherUnlisted,
    Other,
}

impl RowOrder<'_> {
    /// Appends the rows of a municipality; first the one for unlisted towns, or for lots without a town.
    fn add_city(&mut self, city: usize) {
        let RowOrder { reference, address, .. } = *self;
        let gazetteer = reference.gazetteer;
        if city >= gazetteer.city_count() {
            return;
        }
        let RowScratch { query, cities, keys, .. } = &mut *self.scratch;
        let RowQuery { town, parts: streets, .. } = query;
        keys.buffers.write(address.get(Component::Town).unwrap_or_default(), town);
        streets.clear();
        let street = &address.details.street;
        if !street.is_empty() {
            streets.extend(kyoto::rows_of_street(gazetteer, city, street));
        }
        let mut rank = |row: u32| match reference.record(row) {
            Some(_) if streets.contains(&row) => CityRank::Named,
            Some(record) if record.corporation().is_some() => {
                rank_of_business(address, town, record, keys)
            }
            Some(record) if record.town().name.text.is_empty() => {
                let lots = gazetteer.lots_of(row);
                rank_without_town(address, town, record, lots)
            }
            _ => CityRank::Other,
        };
        cities.clear();
        cities.extend(gazetteer.rows_of_city(city).map(|row| (rank(row), row)));
        cities.sort_unstable();
        self.rows.extend(cities.iter().map(|(_, row)| *row));
    }

    /// Appends the rows of a town, the most precise first.
    fn add_town(&mut self, town: usize) {
        let RowOrder { reference, address, .. } = *self;
        let gazetteer = reference.gazetteer;
        if town >= gazetteer.towns.count() {
            return;
        }
        let all = gazetteer.rows_of(town).iter().map(|row| row.to_native());
        let RowScratch { query, ranked, keys, .. } = &mut *self.scratch;
        query.set(gazetteer, address, town, keys);
        query.find_tenant(reference, all.clone(), keys);
        ranked.clear();
        ranked.extend(all.zip(0..).map(|(row, source_order)| {
            let record = reference.record(row);
            let rank = record.map_or(Rank::Other, |it| query.rank(gazetteer, row, it, keys));
            RankedRow { rank, source_order, row }
        }));
        ranked.sort_unstable();
        self.rows.extend(ranked.iter().map(|ranked| ranked.row));
    }
}

/// The rank of a business: whether it has the lot and a town that only its own address has.
fn rank_of_business(
    address: &Address,
    town: &[u16],
    record: PostalView<'_>,
    keys: &mut KeyWriter,
) -> CityRank {
    let lot = address.lot_numbers();
    if lot.is_none() || lot_of(record) != lot {
        return CityRank::Other;
    }
    let own_town = keys.key_of(without_mark(record.town().name.text));
    let is_named = !own_town.is_empty() && town.starts_with(own_town);
    if is_named { CityRank::Named } else { CityRank::Other }
}

/// The rank of a row for lots without a town, or for unlisted towns.
fn rank_without_town(
    address: &Address,
    town: &[u16],
    record: PostalView<'_>,
    lots: &[ArchivedLotRange],
) -> CityRank {
    let details = &address.details;
    let lot = details.lot.as_slice();
    // いの町字正雲寺3297: a koaza without a town.
    let without_town = town.is_empty() || details.is_koaza_without_town;
    let follows_city = lots::follows_city(record.town_raw().text);
    match (follows_city, lots::contains(lots, lot, details.has_chome)) {
        (true, Some(true)) if without_town => CityRank::Named,
        (true, None) if without_town && !lot.is_empty() => CityRank::Named,
        (false, _) => CityRank::Unlisted,
        _ => CityRank::OtherUnlisted,
    }
}
