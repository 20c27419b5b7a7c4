//! What stands behind the first of the rows of an address: the code that the text itself has, businesses at its lot,
//! and towns whose name is like the one that was not found.
//!
//! Only the order of the rows changes here. A town is the more like a text the longer the stretch that they share.

use super::gazetteer::{ArchivedGazetteer, Kind};
use super::kyoto;
use super::normalize::Reference;
use super::result::{Address, MatchLevel};

/// So many towns that are like the text stand behind the first row.
const LIKE_MAX: usize = 4;
/// Two names that share less than this are not alike.
const SHARED_MIN: usize = 2;
/// No name is compared behind this many units.
const COMPARED_MAX: usize = 24;

#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// The rows that go behind the first, in their order.
    next: Vec<u32>,
    /// Towns with the length of what they share with the text; the most like first.
    like: Vec<(usize, usize, usize)>,
    street: Vec<u16>,
}

/// Puts rows behind the first. `town`: the town as the text has it, where it was not found; `at_lot`: businesses there.
pub fn order(
    reference: Reference<'_>,
    address: &Address,
    town: &[u16],
    at_lot: impl Iterator<Item = u32>,
    scratch: &mut Scratch,
    rows: &mut Vec<u32>,
) {
    let Some((&first, _)) = rows.split_first() else { return };
    scratch.next.clear();
    if let Some(code) = address.postal_code {
        scratch.next.extend(reference.codes.find(code.number()).iter().map(|row| row.to_native()));
    }
    scratch.next.extend(at_lot);
    match address.level {
        MatchLevel::City(city) => scratch.find_like(reference.gazetteer, &[city], town),
        MatchLevel::Cities => scratch.find_like(reference.gazetteer, &address.cities, town),
        MatchLevel::Prefecture(prefecture) => {
            scratch.find_same(reference.gazetteer, prefecture, town);
        }
        MatchLevel::None | MatchLevel::Town(_) => {}
    }
    let next = &mut scratch.next;
    next.retain(|row| *row != first && rows.contains(row));
    let mut kept = 0;
    for at in 0..next.len() {
        if !next[..kept].contains(&next[at]) {
            next[kept] = next[at];
            kept += 1;
        }
    }
    next.truncate(kept);
    if !next.is_empty() {
        rows.retain(|row| !next.contains(row));
        rows.splice(1..1, next.iter().copied());
    }
}

impl Scratch {
    /// The towns of a prefecture that have this very name.
    fn find_same(&mut self, gazetteer: &ArchivedGazetteer, prefecture: u32, text: &[u16]) {
        let cities = 0..gazetteer.cities.len() - 1;
        let inside =
            cities.filter(|city| u32::from(gazetteer.cities[*city].prefecture) == prefecture);
        let towns = inside.flat_map(|city| gazetteer.towns_of(city));
        let same =
            |town: &usize| !text.is_empty() && gazetteer.towns.is(*town, text.iter().copied());
        let rows = towns.filter(same).take(LIKE_MAX);
        self.next.extend(rows.filter_map(|town| gazetteer.first_row(town)));
    }

    fn find_like(&mut self, gazetteer: &ArchivedGazetteer, cities: &[u32], text: &[u16]) {
        if text.len() < SHARED_MIN {
            return;
        }
        self.like.clear();
        self.street.clear();
        self.street.extend(kyoto::canonical_street(text));
        for &city in cities {
            let streets = cities.len() == 1 && gazetteer.cities[city as usize].streets;
            for town in gazetteer.towns_of(city as usize) {
                let name = gazetteer.towns.units(town);
                let mut shared = shared(name, text);
                if streets {
                    let streets = gazetteer.details_of(town, Kind::Street);
                    let streets = streets.map(|street| gazetteer.detail_names.units(street));
                    let most = streets.map(|street| self::shared(street, &self.street)).max();
                    shared = shared.max(most.unwrap_or(0));
                }
                if shared >= SHARED_MIN {
                    self.like.push((shared, name.len(), town));
                }
            }
        }
        self.like.sort_unstable_by_key(|(shared, length, town)| {
            (std::cmp::Reverse(*shared), *length, *town)
        });
        let like = self.like.iter().take(LIKE_MAX);
        self.next.extend(like.filter_map(|(_, _, town)| gazetteer.first_row(*town)));
    }
}

/// The length of the longest stretch that both have.
fn shared(name: &[rkyv::rend::u16_le], text: &[u16]) -> usize {
    let text = &text[..text.len().min(COMPARED_MAX)];
    let mut ends = [0_u8; COMPARED_MAX + 1];
    let mut longest = 0;
    for unit in &name[..name.len().min(COMPARED_MAX)] {
        let unit = unit.to_native();
        for (place, code) in text.iter().enumerate().rev() {
            ends[place + 1] = if *code == unit { ends[place] + 1 } else { 0 };
            longest = longest.max(ends[place + 1]);
        }
    }
    usize::from(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::units::key;

    #[test]
    fn the_longest_stretch_that_two_names_share_is_counted() {
        for (name, text, expected) in [
            ("西七条南衣田町", "四七条南衣田町", 6),
            ("木滑", "木滑出", 2),
            ("嵯峨天龍寺車道町", "車道町", 3),
            ("本町", "中央", 0),
            ("", "中央", 0),
        ] {
            let name: Vec<_> = key(name).into_iter().map(rkyv::rend::u16_le::from_native).collect();
            assert_eq!(shared(&name, &key(text)), expected, "{text}");
        }
    }
}
