//! Finds the towns whose name is most similar to one that was not found.
//!
//! Similarity is the length of the longest common substring with the town's name; in Kyoto also with the name of
//! one of its streets.

use std::cmp::Reverse;

use super::gazetteer::{ArchivedGazetteer, DetailKind};
use super::kyoto;

/// Most towns returned.
const TOWNS_MAX: usize = 4;
/// Shortest common substring of similar names.
const SHARED_MIN: usize = 2;
/// Names are compared up to this many units.
const COMPARED_MAX: usize = 24;

#[derive(Debug, Clone, Default)]
pub struct SimilarTowns {
    /// Towns: the most similar first, then by the length of their names.
    found: Vec<(Reverse<usize>, usize, usize)>,
    /// The text in the form of the keys of streets.
    street: Vec<u16>,
}

impl SimilarTowns {
    /// The first rows of the towns of these municipalities that are most similar to the text.
    pub fn find<'a>(
        &'a mut self,
        gazetteer: &'a ArchivedGazetteer,
        cities: &[u32],
        text: &[u16],
    ) -> impl Iterator<Item = u32> + use<'a> {
        self.found.clear();
        self.street.clear();
        self.street.extend(kyoto::street_key(text.iter().copied()));
        for &city in cities.iter().filter(|_| text.len() >= SHARED_MIN) {
            let streets = cities.len() == 1 && gazetteer.cities[city as usize].has_streets;
            for town in gazetteer.towns_of(city as usize) {
                let name = gazetteer.towns.units(town);
                let mut shared = shared_length(name, text);
                if streets {
                    let streets = gazetteer.details_of(town, DetailKind::Street);
                    let streets = streets.map(|street| gazetteer.detail_names.units(street));
                    let most = streets.map(|street| shared_length(street, &self.street)).max();
                    shared = shared.max(most.unwrap_or(0));
                }
                if shared >= SHARED_MIN {
                    self.found.push((Reverse(shared), name.len(), town));
                }
            }
        }
        self.found.sort_unstable();
        let most_similar = self.found.iter().take(TOWNS_MAX);
        most_similar.filter_map(|(_, _, town)| gazetteer.first_row(*town))
    }
}

/// The first rows of the towns of a prefecture with exactly this name.
pub fn find_by_name<'a>(
    gazetteer: &'a ArchivedGazetteer,
    prefecture: u32,
    name: &'a [u16],
) -> impl Iterator<Item = u32> {
    let cities = gazetteer.cities_in(prefecture).filter(|_| !name.is_empty());
    let towns_in =
        |city| gazetteer.towns.with_rest(gazetteer.towns_of(city), 0, name.iter().copied());
    cities.flat_map(towns_in).take(TOWNS_MAX).filter_map(|town| gazetteer.first_row(town))
}

/// The length of the longest common substring, in units.
fn shared_length(name: &[rkyv::rend::u16_le], text: &[u16]) -> usize {
    let text = &text[..text.len().min(COMPARED_MAX)];
    let mut ends = [0_u8; COMPARED_MAX + 1];
    let mut longest = 0;
    for unit in &name[..name.len().min(COMPARED_MAX)] {
        let unit = unit.to_native();
        for (index, code) in text.iter().enumerate().rev() {
            ends[index + 1] = if *code == unit { ends[index] + 1 } else { 0 };
            longest = longest.max(ends[index + 1]);
        }
    }
    usize::from(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::units::key;

    #[test]
    fn the_longest_common_substring_is_counted() {
        for (name, text, expected) in [
            ("西七条南衣田町", "四七条南衣田町", 6),
            ("木滑", "木滑出", 2),
            ("嵯峨天龍寺車道町", "車道町", 3),
            ("本町", "中央", 0),
            ("", "中央", 0),
        ] {
            let name: Vec<_> = key(name).into_iter().map(rkyv::rend::u16_le::from_native).collect();
            assert_eq!(shared_length(&name, &key(text)), expected, "{text}");
        }
    }
}
