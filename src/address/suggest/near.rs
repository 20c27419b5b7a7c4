//! Places that the text names with one typing error. Used only if it names none literally.

use super::AreaKind;
use super::candidate::{Class, MatchKind};
use super::find::{Behind, Finder, Writing};
use super::forms;
use super::mark::Marks;
use crate::index::beginnings::NearlyReached;
use crate::text::spellings::near::NearStates;
use crate::text::spellings::{Extent, reading};

/// With fewer letters, too many names are similar.
const WRITTEN_MIN: usize = 3;
const READ_MIN: usize = 4;

impl Finder<'_> {
    pub(super) fn read_near(&mut self) {
        let behind = Behind {
            area: None,
            at: 0,
            match_kind: MatchKind::Near,
            marks: Marks::default(),
            class: Class::Near,
        };
        for writing in Writing::of(self.q).into_iter().flatten().filter(may_slip) {
            self.find_near_areas(&writing);
            self.find_near_towns(&behind, &writing);
        }
        for area in std::mem::take(&mut self.begun) {
            let behind = Behind {
                match_kind: MatchKind::Near,
                marks: Marks::default(),
                class: Class::Near,
                ..area
            };
            for writing in Writing::of(&self.q[area.at..]).into_iter().flatten().filter(may_slip) {
                self.find_near_inside(&behind, &writing);
            }
        }
    }

    fn find_near_areas(&mut self, writing: &Writing) {
        let names = self.area_names(writing);
        let mut below = Vec::new();
        names.walk_near(&writing.typed, |reached| {
            if let NearlyReached::Below(place) = reached {
                below.push(place);
            }
        });
        let found: Vec<u32> = self.heaviest_forms(names, below).collect();
        for item in found {
            let (number, _) = forms::of_item(item);
            self.push_area(number, MatchKind::Near, Class::Near, Marks::default(), false);
        }
    }

    fn find_near_towns(&mut self, behind: &Behind, writing: &Writing) {
        let names = if writing.is_written() { &self.written_towns } else { &self.read_towns };
        let (mut found, mut below) = (Vec::new(), Vec::new());
        names.walk_near(&writing.typed, |reached| match reached {
            NearlyReached::Below(place) => below.push(place),
            NearlyReached::Run { run, letters, states } => {
                let towns = names.items(run).take(self.limit);
                found.extend(towns.filter(|town| self.is_near(writing, *town, letters, states)));
            }
        });
        let weight = |town| self.suggestions.weight_of_town(self.reference.gazetteer, town);
        found.extend(names.below(below.into_iter(), weight).take(self.limit).map(|it| it.item));
        for town in found {
            self.push_near(town, behind, writing);
        }
    }

    fn find_near_inside(&mut self, behind: &Behind, writing: &Writing) {
        let area = behind.area.and_then(|area| self.suggestions.area(area));
        // A whole prefecture has too many towns to compare.
        let Some(area) = area.filter(|it| AreaKind::from(it.kind) != AreaKind::Prefecture) else {
            return;
        };
        let towns: Vec<u32> = self
            .suggestions
            .cities_of(area)
            .flat_map(|city| self.reference.gazetteer.towns_of(city))
            .map(|town| town as u32)
            .filter(|town| self.is_near(writing, *town, 0, writing.typed.near_start()))
            .collect();
        for town in towns {
            self.push_near(town, behind, writing);
        }
    }

    fn push_near(&mut self, town: u32, behind: &Behind, writing: &Writing) {
        let marks = behind.marks;
        self.push_town(town, behind, writing, Extent::Part);
        if let Some(last) = self.found.last_mut() {
            last.marks = marks;
        }
    }

    /// Whether a town matches with one typing error; its first letters led to these states.
    fn is_near(&self, writing: &Writing, town: u32, letters: usize, states: NearStates) -> bool {
        if writing.is_written() {
            return writing.typed.nearly_begins(states, self.written_letters(town).skip(letters));
        }
        let kana = self.record(town).map_or("", |record| record.town().kana.text);
        writing.typed.nearly_begins(states, reading::letters(kana).skip(letters))
    }
}

fn may_slip(writing: &Writing) -> bool {
    let min = if writing.is_written() { WRITTEN_MIN } else { READ_MIN };
    writing.typed.letters() >= min
}
