//! Places that the text names with one typing error. Used only if it names none literally.

use super::ArchivedAreaKind;
use super::candidate::{Rest, Tier};
use super::find::Finder;
use super::forms;
use super::names::TypedText;
use crate::index::beginnings::NearMatch;
use crate::text::spellings::near::NearStates;
use crate::text::spellings::{Extent, reading};
use crate::text::typed_keys::MatchKind;

/// With fewer letters, too many names are similar.
const WRITTEN_MIN: usize = 3;
const READ_MIN: usize = 4;

impl Finder<'_> {
    /// Adds places for the whole text, and towns for the rest after an area.
    pub(super) fn search_with_typo(&mut self) {
        let whole = Rest::whole(MatchKind::Near, Tier::Typo);
        for typed in TypedText::interpretations(self.q).filter(may_have_typo) {
            self.add_similar_areas(&whole, &typed);
            self.add_similar_towns(&whole, &typed);
        }
        for Rest { area, start, .. } in std::mem::take(&mut self.leading_areas) {
            let rest = Rest { area, start, ..whole };
            for typed in TypedText::interpretations(&self.q[start..]).filter(may_have_typo) {
                self.add_similar_inside(&rest, &typed);
            }
        }
    }

    fn add_similar_areas(&mut self, rest: &Rest, typed: &TypedText) {
        let names = self.area_names(typed);
        let mut below = Vec::new();
        names.walk_near(&typed.spellings, |reached| {
            if let NearMatch::Subtree(subtree) = reached {
                below.push(subtree);
            }
        });
        let found: Vec<u32> = self.heaviest_forms(names, below).collect();
        for item in found {
            self.push_area(forms::of_item(item).0, rest, false);
        }
    }

    fn add_similar_towns(&mut self, rest: &Rest, typed: &TypedText) {
        let names = self.town_names(typed);
        let (mut found, mut below) = (Vec::new(), Vec::new());
        names.walk_near(&typed.spellings, |reached| match reached {
            NearMatch::Subtree(subtree) => below.push(subtree),
            NearMatch::Run { run, letters, states } => {
                let towns = names.items(run).take(self.limit);
                found.extend(towns.filter(|town| self.is_near(typed, *town, letters, states)));
            }
        });
        found.extend(self.heaviest_towns(names, below));
        for town in found {
            self.push_town(town, rest, Extent::Part);
        }
    }

    fn add_similar_inside(&mut self, rest: &Rest, typed: &TypedText) {
        let area = rest.area.and_then(|area| self.suggestions.area(area));
        // A whole prefecture has too many towns to compare.
        let Some(area) = area.filter(|it| it.kind != ArchivedAreaKind::Prefecture) else { return };
        let towns = self.towns_of(area);
        let towns: Vec<u32> = towns
            .filter(|town| self.is_near(typed, *town, 0, typed.spellings.near_start()))
            .collect();
        for town in towns {
            self.push_town(town, rest, Extent::Part);
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
