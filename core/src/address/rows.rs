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
use super::{kyoto, reference::ReferenceData};
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
            rows.extend(code.into_iter().flat_map(|code| reference.rows_of_code(code)));
        }
        // The rest of the text names no place, and none of the prefecture's codes is likelier than another.
        MatchLevel::Prefecture(_) if address.get(Component::City).is_some() => {}
        MatchLevel::Prefecture(prefecture) => {
            let inside = gazetteer.cities_in(prefecture);
            rows.extend(inside.flat_map(|city| gazetteer.rows_of_city(city)));
            rows.sort_unstable();
        }
        MatchLevel::City(city) => order.add_city(city as usize),
        // Several places fit. Only a code that all of them share is certain.
        MatchLevel::Cities if address.has_shared_code => {
            address.towns.iter().for_each(|town| order.add_town(*town as usize));
        }
        MatchLevel::Cities if address.has_text_below_city() => {}
        MatchLevel::Cities => address.cities.iter().for_each(|city| order.add_city(*city as usize)),
        MatchLevel::Town(town) => order.add_town(town as usize),
    }
    if address.is_from_code {
        let code = address.postal_code.into_iter();
        let own: Vec<u32> = code.flat_map(|code| reference.rows_of_code(code)).collect();
        rows.retain(|row| !own.contains(row));
        rows.splice(..0, own);
    }
}

/// Records whether the text, with the code in it or beside it, decides for one postal code: in a town of several codes,
/// and between towns of one name.
pub fn decide(reference: ReferenceData<'_>, address: &mut Address, scratch: &mut RowScratch) {
    match address.level {
        MatchLevel::Town(town) if has_several_codes(reference, town as usize) => {
            rank_town(reference, address, town as usize, scratch);
            address.has_open_code = open_codes(reference, address, scratch).count() > 1;
        }
        MatchLevel::Cities if !address.towns.is_empty() => {
            let mut codes = address.towns.iter().map(|town| {
                rank_town(reference, address, *town as usize, scratch);
                let mut open = open_codes(reference, address, scratch);
                let first = open.next().map(|(_, code)| code);
                first.filter(|_| open.next().is_none())
            });
            let first = codes.next().flatten();
            let is_shared = first.is_some() && codes.all(|code| code == first);
            address.has_shared_code = is_shared;
        }
        _ => {}
    }
}

/// The rows, one of each code, among which the text does not decide, the most likely first: one row if it does.
pub(super) fn open_rows(
    reference: ReferenceData<'_>,
    address: &Address,
    scratch: &mut RowScratch,
) -> Vec<u32> {
    let MatchLevel::Town(town) = address.level else { return Vec::new() };
    rank_town(reference, address, town as usize, scratch);
    open_codes(reference, address, scratch).map(|(row, _)| row).collect()
}

/// Whether the area rows of a town, apart from buildings, have more than one code.
fn has_several_codes(reference: ReferenceData<'_>, town: usize) -> bool {
    let rows = reference.gazetteer.rows_of(town).iter();
    let areas = rows.filter_map(|row| reference.record(row.to_native()));
    let mut codes = areas
        .filter(|record| record.corporation().is_none() && record.building().text.is_empty())
        .map(PostalView::postal_code);
    codes.next().is_some_and(|first| codes.any(|code| code != first))
}

/// The best row of the town, and with it those of other codes that are as good.
fn open_codes<'a>(
    reference: ReferenceData<'a>,
    address: &Address,
    scratch: &'a RowScratch,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let best = scratch.ranked.first().copied();
    let code_of = move |row: u32| reference.record(row).map(PostalView::postal_code);
    let first = best.and_then(|best| Some((best.row, code_of(best.row)?)));
    let given = address.postal_code.map(|code| code.number());
    let is_decided = best.is_none_or(|best| best.rank < Rank::Town)
        || first.is_some_and(|(_, code)| Some(code) == given);
    let others = scratch
        .ranked
        .iter()
        .skip(1)
        .filter(move |other| !is_decided && best.is_some_and(|best| best.rank == other.rank));
    let others = others.filter_map(move |other| Some((other.row, code_of(other.row)?)));
    let mut seen = Vec::new();
    first.into_iter().chain(others).filter(move |(_, code)| {
        let is_fresh = !seen.contains(code);
        seen.push(*code);
        is_fresh
    })
}

/// Ranks the rows of a town into the scratch, the most precise first. Among the area rows between which the text does
/// not decide, a postal code in the text or beside it does.
fn rank_town(
    reference: ReferenceData<'_>,
    address: &Address,
    town: usize,
    scratch: &mut RowScratch,
) {
    let gazetteer = reference.gazetteer;
    let all = gazetteer.rows_of(town).iter().map(|row| row.to_native());
    let RowScratch { query, ranked, keys, .. } = scratch;
    query.set(gazetteer, address, town, keys);
    query.find_neighbours(reference, all.clone(), keys);
    ranked.clear();
    ranked.extend(all.zip(0..).map(|(row, source_order)| {
        let record = reference.record(row);
        let rank = record.map_or(Rank::Other, |it| query.rank(gazetteer, row, it, keys));
        RankedRow { rank, source_order, row }
    }));
    ranked.sort_unstable();
    let is_decided = ranked.first().is_none_or(|best| best.rank < Rank::Town);
    let Some(code) = address.postal_code.filter(|_| !is_decided) else { return };
    let of_code = ranked.iter().position(|ranked| {
        !query.excludes(gazetteer, ranked.row)
            && reference.record(ranked.row).is_some_and(|record| {
                record.postal_code() == code.number()
                    && record.corporation().is_none()
                    && record.building().text.is_empty()
            })
    });
    if let Some(position) = of_code {
        ranked[..=position].rotate_right(1);
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
        rank_town(reference, address, town, self.scratch);
        self.rows.extend(self.scratch.ranked.iter().map(|ranked| ranked.row));
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
