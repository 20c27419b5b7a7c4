//! Towns of one area: those that match the text after it, and the heaviest if there is no text.

use super::candidate::{Candidate, Rest, SuggestedPlace, Tier};
use super::find::Finder;
use super::names::{TypedText, initial};
use super::{ArchivedArea, ArchivedAreaKind};
use crate::text::spellings::{Extent, Letter};

impl Finder<'_> {
    /// Adds towns of an area that begin with the rest.
    pub(super) fn add_towns_inside(&mut self, area: u32, rest: &Rest, typed: &TypedText) {
        let Some(area) = self.suggestions.area(area) else { return };
        let towns = match typed.is_written() {
            true => self.spelled_inside(area, typed),
            false => self.read_inside(area, typed),
        };
        let rest = rest.in_town(typed);
        for (town, extent) in self.heaviest(towns) {
            self.push_town(town, &rest, extent);
        }
    }

    /// The towns of an area's municipalities.
    pub(super) fn towns_of(&self, area: &ArchivedArea) -> impl Iterator<Item = u32> {
        let gazetteer = self.reference.gazetteer;
        let cities = self.suggestions.cities_of(area);
        cities.flat_map(|city| gazetteer.towns_of(city)).map(|town| town as u32)
    }

    fn spelled_inside(&self, area: &ArchivedArea, typed: &TypedText) -> Vec<(u32, Extent)> {
        let keys = &self.reference.gazetteer.towns;
        let mut letters: Vec<Letter> = Vec::new();
        let (mut states, mut next) = (typed.spellings.start(), Vec::new());
        while !typed.spellings.is_final(states) {
            typed.spellings.next_letters(states, &mut next);
            let Some((letter, next_states)) = next.first().copied() else { return Vec::new() };
            letters.push(letter);
            states = next_states;
        }
        let towns = self.suggestions.cities_of(area).flat_map(|city| {
            let towns = self.reference.gazetteer.towns_of(city);
            keys.narrow_by(towns, 0, letters.iter().copied())
        });
        let extent = |town| match keys.length(town) == letters.len() {
            true => Extent::Whole,
            false => Extent::Part,
        };
        towns.map(|town| (town as u32, extent(town))).collect()
    }

    fn read_inside(&self, area: &ArchivedArea, typed: &TypedText) -> Vec<(u32, Extent)> {
        let (mut next, mut begins) = (Vec::new(), [false; 256]);
        typed.spellings.next_letters(typed.spellings.start(), &mut next);
        for (letter, _) in next {
            begins[usize::from(initial(Some(letter)))] = true;
        }
        let mut found = Vec::new();
        for city in self.suggestions.cities_of(area) {
            let towns = self.reference.gazetteer.towns_of(city);
            let initials = self.suggestions.initials.get(towns.clone()).unwrap_or_default();
            for (town, initial) in towns.zip(initials) {
                if begins[usize::from(*initial)]
                    && let Some(extent) = self.extent(typed, town as u32)
                {
                    found.push((town as u32, extent));
                }
            }
        }
        found
    }

    /// The heaviest towns: as many as the limit of whole names, and of others, since whole names come before heavier
    /// towns.
    fn heaviest(&self, mut towns: Vec<(u32, Extent)>) -> Vec<(u32, Extent)> {
        if towns.len() > 2 * self.limit {
            let weight = |town| self.suggestions.weight_of_town(self.reference.gazetteer, town);
            towns.sort_by_cached_key(|(town, extent)| {
                (std::cmp::Reverse((*extent, weight(*town))), *town)
            });
            let whole = towns.partition_point(|(_, extent)| *extent == Extent::Whole);
            let rest = towns.split_off(whole.min(towns.len()));
            towns.truncate(self.limit);
            towns.extend(rest.into_iter().take(self.limit));
        }
        towns
    }

    /// Adds the places inside the areas that are the whole text: municipalities of a prefecture, wards of a city, towns
    /// of a municipality.
    pub(super) fn add_places_inside(&mut self) {
        for rest in std::mem::take(&mut self.typed_areas) {
            let Some(number) = rest.area else { continue };
            let Some(area) = self.suggestions.area(number) else { continue };
            let rest = Rest { tier: Tier::InsideArea, ..rest };
            let mut found = Vec::new();
            if area.kind == ArchivedAreaKind::Municipality {
                let gazetteer = self.reference.gazetteer;
                let code = area.jisx0402.to_native();
                let towns = self.towns_of(area);
                // The empty name is the municipality's.
                for town in towns.filter(|town| gazetteer.towns.length(*town as usize) > 0) {
                    let weight = self.suggestions.weight_of_town(gazetteer, town);
                    found.push(rest.candidate(SuggestedPlace::Town(town), weight, code));
                }
            } else {
                for (other, inner) in (0..).zip(self.suggestions.areas.iter()) {
                    if other != number && inner.is_within(area) {
                        let code = inner.jisx0402.to_native();
                        let place = SuggestedPlace::Area(other);
                        found.push(rest.candidate(place, inner.weight, code));
                    }
                }
            }
            // Each place occurs once, so duplicates need not be searched.
            if found.len() > self.limit {
                found.select_nth_unstable_by_key(self.limit, Candidate::order);
                found.truncate(self.limit);
            }
            self.found.extend(found);
        }
    }
}
