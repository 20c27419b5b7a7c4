//! Places that the text names with one typing error. Used only if it names none literally.

use super::AreaKind;
use super::candidate::Tier;
use super::find::{Finder, Rest, TypedText};
use super::forms;
use super::mark::Marks;
use crate::index::beginnings::NearMatch;
use crate::text::match_info::MatchKind;
use crate::text::spellings::near::NearStates;
use crate::text::spellings::{Extent, reading};

/// With fewer letters, too many names are similar.
const WRITTEN_MIN: usize = 3;
const READ_MIN: usize = 4;

impl Finder<'_> {
    /// Adds places for the whole text, and towns for the rest after an area.
    pub(super) fn search_with_typo(&mut self) {
        let rest = Rest {
            area: None,
            start: 0,
            match_kind: MatchKind::Near,
            marks: Marks::default(),
            tier: Tier::Typo,
        };
        for typed in TypedText::interpretations(self.q).into_iter().flatten().filter(may_have_typo)
        {
            self.add_similar_areas(&typed);
            self.add_similar_towns(&rest, &typed);
        }
        for after_area in std::mem::take(&mut self.leading_areas) {
            let rest = Rest {
                match_kind: MatchKind::Near,
                marks: Marks::default(),
                tier: Tier::Typo,
                ..after_area
            };
            for typed in TypedText::interpretations(&self.q[rest.start..])
                .into_iter()
                .flatten()
                .filter(may_have_typo)
            {
                self.add_similar_inside(&rest, &typed);
            }
        }
    }

    fn add_similar_areas(&mut self, typed: &TypedText) {
        let names = self.area_names(typed);
        let mut below = Vec::new();
        names.walk_near(&typed.spellings, |reached| {
            if let NearMatch::Subtree(subtree) = reached {
                below.push(subtree);
            }
        });
        let found: Vec<u32> = self.heaviest_forms(names, below).collect();
        for item in found {
            let (number, _) = forms::of_item(item);
            self.push_area(number, MatchKind::Near, Tier::Typo, Marks::default(), false);
        }
    }

    fn add_similar_towns(&mut self, rest: &Rest, typed: &TypedText) {
        let names = if typed.is_written() { &self.written_towns } else { &self.read_towns };
        let (mut found, mut below) = (Vec::new(), Vec::new());
        names.walk_near(&typed.spellings, |reached| match reached {
            NearMatch::Subtree(subtree) => below.push(subtree),
            NearMatch::Run { run, letters, states } => {
                let towns = names.items(run).take(self.limit);
                found.extend(towns.filter(|town| self.is_near(typed, *town, letters, states)));
            }
        });
        let weight = |town| self.suggestions.weight_of_town(self.reference.gazetteer, town);
        found.extend(names.items_below(below.into_iter(), weight).take(self.limit));
        for town in found {
            self.push_similar(town, rest, typed);
        }
    }

    fn add_similar_inside(&mut self, rest: &Rest, typed: &TypedText) {
        let area = rest.area.and_then(|area| self.suggestions.area(area));
        // A whole prefecture has too many towns to compare.
        let Some(area) = area.filter(|it| AreaKind::from(it.kind) != AreaKind::Prefecture) else {
            return;
        };
        let towns: Vec<u32> = self
            .suggestions
            .cities_of(area)
            .flat_map(|city| self.reference.gazetteer.towns_of(city))
            .map(|town| town as u32)
            .filter(|town| self.is_near(typed, *town, 0, typed.spellings.near_start()))
            .collect();
        for town in towns {
            self.push_similar(town, rest, typed);
        }
    }

    /// Adds a town without marking its typed letters.
    fn push_similar(&mut self, town: u32, rest: &Rest, typed: &TypedText) {
        let marks = rest.marks;
        self.push_town(town, rest, typed, Extent::Part);
        if let Some(last) = self.found.last_mut() {
            last.marks = marks;
        }
    }

    /// Whether a town matches with one typing error; its first letters led to these states.
    fn is_near(&self, typed: &TypedText, town: u32, letters: usize, states: NearStates) -> bool {
        if typed.is_written() {
            return typed
                .spellings
                .is_near_prefix(states, self.written_letters(town).skip(letters));
        }
        let kana = self.record(town).map_or("", |record| record.town().kana.text);
        typed.spellings.is_near_prefix(states, reading::letters(kana).skip(letters))
    }
}

fn may_have_typo(typed: &TypedText) -> bool {
    let min = if typed.is_written() { WRITTEN_MIN } else { READ_MIN };
    typed.spellings.max_letters() >= min
}
