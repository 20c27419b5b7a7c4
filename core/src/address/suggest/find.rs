//! Finds the places that a typed text may mean: by the whole text, and by the rest after an area at its beginning,
//! both in any spelling.

use std::collections::{HashSet, VecDeque};

use super::candidate::{Candidate, Rest, SuggestedPlace, Tier, best};
use super::forms;
use super::mark::Mark;
use super::names::TypedText;
use super::{ArchivedArea, ArchivedAreaKind, ArchivedSuggestions, AreaKind};
use crate::address::reference::ReferenceData;
use crate::index::beginnings::{self, BeginningsReader, Match};
use crate::record::postal::PostalView;
use crate::text::spellings::{Extent, Letter, reading};
use crate::text::typed_keys::MatchKind;

/// The area of which places are preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearArea {
    /// JIS X 0401.
    Prefecture(u32),
    /// JIS X 0402, five digits.
    City(u32),
}

/// A request for suggestions.
#[derive(Debug, Clone, Copy)]
pub struct PlaceQuery<'q> {
    /// The typed text.
    pub q: &'q str,
    pub limit: usize,
    pub near: Option<NearArea>,
}

/// The places that a text may mean, the likeliest first.
pub fn find(
    reference: ReferenceData<'_>,
    suggestions: &ArchivedSuggestions,
    query: PlaceQuery<'_>,
) -> Vec<Candidate> {
    let Some(mut finder) = Finder::new(reference, suggestions, query) else { return Vec::new() };
    finder.search(Rest::whole(MatchKind::Prefix, Tier::Name), 0);
    finder.search_after_short_names();
    if let Some(near) = finder.preferred {
        finder.put_preferred_first(near);
    }
    if finder.place_count() < finder.limit {
        finder.add_places_inside();
    }
    if finder.found.is_empty() {
        finder.search_with_typo();
    }
    best(finder.found, query.limit)
}

/// At least this many places are sought, whatever the limit: a place with several names is found once per name.
const SEARCHED_MIN: usize = 10;
/// Most areas at the beginning of a text: prefecture, city and ward.
const DEPTH_MAX: usize = 3;
/// Most splits of one text that are followed.
const SPLITS_MAX: usize = 32;
/// All towns of a longer run have one name: if this many of them do not match, none does.
const RUN_MAX: usize = 48;

/// The search for one query.
pub(super) struct Finder<'s> {
    pub(super) reference: ReferenceData<'s>,
    pub(super) suggestions: &'s ArchivedSuggestions,
    written_areas: BeginningsReader<'s>,
    read_areas: BeginningsReader<'s>,
    written_towns: BeginningsReader<'s>,
    read_towns: BeginningsReader<'s>,
    pub(super) q: &'s str,
    pub(super) limit: usize,
    preferred: Option<u32>,
    pub(super) found: Vec<Candidate>,
    /// The areas that are the whole text.
    pub(super) typed_areas: Vec<Rest>,
    /// The areas with which the text begins, and after which it continues.
    pub(super) leading_areas: Vec<Rest>,
    /// The rests after areas without their 市, 区 or the like, with the depth of each.
    after_short_names: VecDeque<(Rest, usize)>,
    /// How many rests were followed.
    splits: usize,
}

impl<'s> Finder<'s> {
    fn new(
        reference: ReferenceData<'s>,
        suggestions: &'s ArchivedSuggestions,
        query: PlaceQuery<'s>,
    ) -> Option<Finder<'s>> {
        let mut finder = Finder {
            reference,
            suggestions,
            written_areas: BeginningsReader::new(&suggestions.written_areas)?,
            read_areas: BeginningsReader::new(&suggestions.read_areas)?,
            written_towns: BeginningsReader::new(&suggestions.written_towns)?,
            read_towns: BeginningsReader::new(&suggestions.read_towns)?,
            q: query.q,
            limit: query.limit.max(SEARCHED_MIN),
            preferred: None,
            found: Vec::new(),
            typed_areas: Vec::new(),
            leading_areas: Vec::new(),
            after_short_names: VecDeque::new(),
            splits: 0,
        };
        finder.preferred = query.near.and_then(|near| finder.area_near(near));
        Some(finder)
    }

    fn area_near(&self, near: NearArea) -> Option<u32> {
        let (kind, code) = match near {
            NearArea::Prefecture(code) => (AreaKind::Prefecture, code * 1_000),
            NearArea::City(code) => (AreaKind::Municipality, code),
        };
        let is_it = |area: &ArchivedArea| area.jisx0402 == code && area.kind as u8 == kind as u8;
        self.suggestions.areas.iter().position(is_it).map(|area| area as u32)
    }

    /// Searches what a rest may mean: inside the area before it, or anywhere. `depth`: how many areas precede it.
    fn search(&mut self, rest: Rest, depth: usize) {
        let text = &self.q[rest.start..];
        for typed in TypedText::interpretations(text) {
            if typed.spellings.is_empty() {
                if rest.area.is_some() {
                    self.typed_areas.push(rest);
                }
                return;
            }
            let mut splits = Vec::new();
            self.add_areas(&rest, &typed, &mut splits);
            match rest.area {
                None => self.add_towns(&rest, &typed),
                Some(area) => self.add_towns_inside(area, &rest, &typed),
            }
            self.leading_areas.extend(splits.iter().filter(|split| split.start < self.q.len()));
            for split in splits.into_iter().filter(|_| depth < DEPTH_MAX) {
                match split.tier {
                    Tier::Name => self.follow(split, depth + 1),
                    _ => self.after_short_names.push_back((split, depth + 1)),
                }
            }
        }
    }

    /// Searches a rest, unless too many were searched already.
    fn follow(&mut self, split: Rest, depth: usize) {
        if self.splits < SPLITS_MAX {
            self.splits += 1;
            self.search(split, depth);
        }
    }

    /// Searches the rests after short names of areas: 北 is a ward of twelve cities. Skipped if full names, which come
    /// first, found enough.
    fn search_after_short_names(&mut self) {
        if self.place_count() < self.limit {
            while let Some((split, depth)) = self.after_short_names.pop_front() {
                self.follow(split, depth);
            }
        }
    }

    /// The number of distinct places found.
    fn place_count(&self) -> usize {
        self.found.iter().map(|found| found.place).collect::<HashSet<SuggestedPlace>>().len()
    }

    /// Adds areas whose names begin with the rest. Areas with which the rest begins go to `splits`.
    fn add_areas(&mut self, rest: &Rest, typed: &TypedText, splits: &mut Vec<Rest>) {
        let names = self.area_names(typed);
        let suggestions = self.suggestions;
        let outer = rest.area.and_then(|area| suggestions.area(area));
        // A municipality contains no areas.
        if outer.is_some_and(|outer| outer.kind == ArchivedAreaKind::Municipality) {
            return;
        }
        let inside = |item: u32| {
            let (number, form) = forms::of_item(item);
            let area = suggestions.area(number)?;
            outer.is_none_or(|outer| area.is_within(outer)).then_some((number, form))
        };
        let match_kind = typed.match_kind.max(rest.match_kind);
        let mut found = Vec::new();
        let mut below = Vec::new();
        names.walk(&typed.spellings, |reached| match reached {
            Match::Subtree(subtree) => below.push(subtree),
            Match::Run { run, states } => {
                for (number, form) in names.items(run).filter_map(inside) {
                    let is_marked = form.is_short && typed.is_written();
                    let units = is_marked.then_some(states.trailing_zeros() as u8);
                    let mark = Mark { part: Some(form.part), units };
                    if typed.spellings.is_exact(states) {
                        found.push((number, mark, true));
                    }
                    for offset in typed.spellings.offsets(states).filter(|offset| *offset > 0) {
                        let tier = if form.is_short { Tier::AfterShortName } else { Tier::Name };
                        let tier = tier.max(rest.tier);
                        let marks = rest.marks.with(mark);
                        let start = rest.start + offset;
                        splits.push(Rest { area: Some(number), start, match_kind, marks, tier });
                    }
                }
            }
        });
        let units = typed.units();
        let mut push = |(number, form): (u32, forms::NameForm)| {
            found.push((number, Mark { part: Some(form.part), units }, false));
        };
        match outer {
            // Few are inside the area, and most names below belong to others, so ordering them would be wasted.
            Some(_) => {
                names.for_each_below(below, |item| inside(item).into_iter().for_each(&mut push))
            }
            None => self.heaviest_forms(names, below).filter_map(inside).for_each(push),
        }
        for (number, mark, is_whole_name) in found {
            let read = Rest { match_kind, marks: rest.marks.with(mark), ..*rest };
            self.push_area(number, &read, is_whole_name);
        }
    }

    /// The heaviest forms of areas below these nodes; enough for the limit, since an area has eight names at most.
    pub(super) fn heaviest_forms(
        &self,
        names: &BeginningsReader<'s>,
        below: Vec<beginnings::Subtree>,
    ) -> impl Iterator<Item = u32> {
        let area = |item| self.suggestions.area(forms::of_item(item).0);
        let weight = move |item| area(item).map_or(0, |area| area.weight);
        names.items_below(below.into_iter(), weight).take(self.limit * 4)
    }

    pub(super) fn push_area(&mut self, number: u32, rest: &Rest, is_whole_name: bool) {
        let Some(area) = self.suggestions.area(number) else { return };
        let (place, code) = (SuggestedPlace::Area(number), area.jisx0402.to_native());
        let candidate = rest.candidate(place, area.weight, code);
        self.found.push(Candidate { is_whole_name, ..candidate });
    }

    pub(super) fn area_names(&self, typed: &TypedText) -> &BeginningsReader<'s> {
        if typed.is_written() { &self.written_areas } else { &self.read_areas }
    }

    pub(super) fn town_names(&self, typed: &TypedText) -> &BeginningsReader<'s> {
        if typed.is_written() { &self.written_towns } else { &self.read_towns }
    }

    /// Adds towns of the whole country that begin with the rest.
    fn add_towns(&mut self, rest: &Rest, typed: &TypedText) {
        let names = self.town_names(typed);
        let (mut found, mut below) = (Vec::new(), Vec::new());
        names.walk(&typed.spellings, |reached| match reached {
            Match::Subtree(subtree) => below.push(subtree),
            Match::Run { run, .. } => {
                let (mut refused, mut taken) = (0, 0);
                for town in names.items(run) {
                    match self.extent(typed, town) {
                        Some(extent) => {
                            found.push((town, extent));
                            taken += 1;
                        }
                        None => refused += 1,
                    }
                    if taken >= self.limit || refused > RUN_MAX {
                        break;
                    }
                }
            }
        });
        let below = self.heaviest_towns(names, below);
        found.extend(below.map(|town| (town, Extent::Part)));
        let rest = rest.in_town(typed);
        for (town, extent) in found {
            self.push_town(town, &rest, extent);
        }
    }

    /// The heaviest towns below these nodes.
    pub(super) fn heaviest_towns(
        &self,
        names: &BeginningsReader<'s>,
        below: Vec<beginnings::Subtree>,
    ) -> impl Iterator<Item = u32> {
        let weight = |town| self.suggestions.weight_of_town(self.reference.gazetteer, town);
        names.items_below(below.into_iter(), weight).take(self.limit)
    }

    /// How much of a town's name the text is; `None` if the name does not begin with it.
    pub(super) fn extent(&self, typed: &TypedText, town: u32) -> Option<Extent> {
        if typed.is_written() {
            return typed.spellings.prefix_extent(self.written_letters(town));
        }
        typed.spellings.prefix_extent(reading::letters(self.record(town)?.town().kana.text))
    }

    /// The letters of a town's name.
    pub(super) fn written_letters(&self, town: u32) -> impl Iterator<Item = Letter> + use<'s> {
        self.reference.gazetteer.towns.codes(town as usize)
    }

    /// The first record of a town, which has its names.
    pub(super) fn record(&self, town: u32) -> Option<PostalView<'s>> {
        self.reference.record_of_town(town as usize)
    }

    pub(super) fn push_town(&mut self, town: u32, rest: &Rest, extent: Extent) {
        let Some(record) = self.record(town) else { return };
        let weight = self.suggestions.weight_of_town(self.reference.gazetteer, town);
        let place = SuggestedPlace::Town(town);
        let candidate = rest.candidate(place, weight, record.city().jisx0402());
        self.found.push(Candidate { is_whole_name: extent == Extent::Whole, ..candidate });
    }

    /// Puts places in the preferred area first, and searches it separately if the whole country has too many.
    fn put_preferred_first(&mut self, preferred: u32) {
        let Some(outer) = self.suggestions.area(preferred) else { return };
        let rest = Rest { area: Some(preferred), ..Rest::whole(MatchKind::Prefix, Tier::Name) };
        for typed in TypedText::interpretations(self.q) {
            self.add_areas(&rest, &typed, &mut Vec::new());
            self.add_towns_inside(preferred, &rest, &typed);
        }
        let is_in = |code: u32| match outer.kind {
            ArchivedAreaKind::Prefecture => code / 1_000 == outer.jisx0402.to_native() / 1_000,
            _ => code == outer.jisx0402.to_native(),
        };
        for candidate in &mut self.found {
            candidate.is_outside_preferred = !is_in(candidate.jisx0402);
        }
    }
}
