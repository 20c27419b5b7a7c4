//! Finds the places that a typed text may mean: by the whole text, and by the rest after an area at its beginning,
//! both in any spelling.

use std::collections::{HashSet, VecDeque};

use super::candidate::{Candidate, Class, MatchKind, Place, first};
use super::forms;
use super::mark::{Mark, Marks};
use super::names::written;
use super::{ArchivedArea, ArchivedAreaKind, ArchivedSuggestions, AreaKind};
use crate::address::normalize::ReferenceData;
use crate::index::beginnings::{self, Names, Reached};
use crate::record::postal::PostalView;
use crate::text::spellings::{Extent, Letter, Spellings, reading};

/// The area preferred among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearArea {
    /// JIS X 0401.
    Prefecture(u32),
    /// JIS X 0402, five digits.
    City(u32),
}

#[derive(Debug, Clone, Copy)]
pub struct PlaceQuery<'q> {
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
    let Some(mut finder) = Finder::of(reference, suggestions, query) else { return Vec::new() };
    let whole = Behind {
        area: None,
        at: 0,
        match_kind: MatchKind::Prefix,
        marks: Marks::default(),
        class: Class::Named,
    };
    finder.read(whole, 0);
    finder.read_behind_short();
    if let Some(near) = finder.preferred {
        finder.put_preferred_first(near);
    }
    if finder.places() < finder.limit {
        finder.open_areas();
    }
    if finder.found.is_empty() {
        finder.read_near();
    }
    first(finder.found, query.limit)
}

/// The least number of places searched, since a place with several names is found once per name.
const LOOKED_FOR_MIN: usize = 10;
/// Most areas at the beginning of a text: prefecture, city and ward.
const DEPTH_MAX: usize = 3;
/// Most splits of one text that are followed.
const SPLITS_MAX: usize = 32;
/// A longer run has one name: if this many of its towns do not match, none does.
const RUN_MAX: usize = 48;

pub(super) struct Finder<'s> {
    pub(super) reference: ReferenceData<'s>,
    pub(super) suggestions: &'s ArchivedSuggestions,
    written_areas: Names<'s>,
    read_areas: Names<'s>,
    pub(super) written_towns: Names<'s>,
    pub(super) read_towns: Names<'s>,
    pub(super) q: &'s str,
    pub(super) limit: usize,
    preferred: Option<u32>,
    pub(super) found: Vec<Candidate>,
    /// The areas that the text names, and those that it begins with and continues after.
    pub(super) named: Vec<Behind>,
    pub(super) begun: Vec<Behind>,
    /// The rests after areas without their 市, 区 or the like, with the depth of each.
    behind_short: VecDeque<(Behind, usize)>,
    splits: usize,
}

/// The rest of the text after an area, from this byte on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behind {
    pub area: Option<u32>,
    pub at: usize,
    pub match_kind: MatchKind,
    pub marks: Marks,
    pub class: Class,
}

/// A typed text, taken either as a written name or as a reading.
pub(super) struct Writing {
    pub typed: Spellings,
    pub match_kind: MatchKind,
}

impl Writing {
    /// The two forms that a text may have.
    pub fn of(text: &str) -> [Option<Writing>; 2] {
        let match_kind =
            if Spellings::is_roman(text) { MatchKind::Roman } else { MatchKind::Reading };
        [
            written(text).map(|typed| Writing { typed, match_kind: MatchKind::Prefix }),
            Spellings::reading(text).map(|typed| Writing { typed, match_kind }),
        ]
    }

    pub fn is_written(&self) -> bool {
        self.match_kind == MatchKind::Prefix
    }

    /// How many units of a name were typed; a reading marks the whole name.
    pub fn units(&self) -> Option<u8> {
        self.is_written().then(|| self.typed.letters() as u8)
    }
}

impl<'s> Finder<'s> {
    fn of(
        reference: ReferenceData<'s>,
        suggestions: &'s ArchivedSuggestions,
        query: PlaceQuery<'s>,
    ) -> Option<Finder<'s>> {
        let mut finder = Finder {
            reference,
            suggestions,
            written_areas: Names::of(&suggestions.written_areas)?,
            read_areas: Names::of(&suggestions.read_areas)?,
            written_towns: Names::of(&suggestions.written_towns)?,
            read_towns: Names::of(&suggestions.read_towns)?,
            q: query.q,
            limit: query.limit.max(LOOKED_FOR_MIN),
            preferred: None,
            found: Vec::new(),
            named: Vec::new(),
            begun: Vec::new(),
            behind_short: VecDeque::new(),
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

    /// Finds what the text from a position on may mean, in an area or anywhere.
    fn read(&mut self, behind: Behind, depth: usize) {
        let text = &self.q[behind.at..];
        for writing in Writing::of(text).into_iter().flatten() {
            if writing.typed.is_empty() {
                if behind.area.is_some() {
                    self.named.push(behind);
                }
                return;
            }
            let mut splits = Vec::new();
            self.find_areas(&behind, &writing, &mut splits);
            match behind.area {
                None => self.find_towns(&behind, &writing),
                Some(area) => self.find_towns_inside(area, &behind, &writing),
            }
            self.begun.extend(splits.iter().filter(|split| split.at < self.q.len()));
            for split in splits.into_iter().filter(|_| depth < DEPTH_MAX) {
                match split.class {
                    Class::Named => self.follow(split, depth + 1),
                    _ => self.behind_short.push_back((split, depth + 1)),
                }
            }
        }
    }

    fn follow(&mut self, split: Behind, depth: usize) {
        if self.splits < SPLITS_MAX {
            self.splits += 1;
            self.read(split, depth);
        }
    }

    /// Follows the rests after short names of areas: 北 is a ward of twelve cities. Skipped if enough was found by
    /// full names, which come first.
    fn read_behind_short(&mut self) {
        if self.places() < self.limit {
            while let Some((split, depth)) = self.behind_short.pop_front() {
                self.follow(split, depth);
            }
        }
    }

    /// The number of distinct places found.
    fn places(&self) -> usize {
        self.found.iter().map(|found| found.place).collect::<HashSet<Place>>().len()
    }

    /// Finds areas whose names begin with the text, and those that the text begins with.
    fn find_areas(&mut self, behind: &Behind, writing: &Writing, splits: &mut Vec<Behind>) {
        let names = self.area_names(writing);
        let suggestions = self.suggestions;
        let outer = behind.area.and_then(|area| suggestions.area(area));
        // A municipality contains no areas.
        if outer.is_some_and(|outer| outer.kind == ArchivedAreaKind::Municipality) {
            return;
        }
        let inside = |item: u32| {
            let (number, form) = forms::of_item(item);
            let area = suggestions.area(number)?;
            outer.is_none_or(|outer| area.is_within(outer)).then_some((number, form))
        };
        let match_kind = writing.match_kind.max(behind.match_kind);
        let mut found = Vec::new();
        let mut below = Vec::new();
        names.walk(&writing.typed, |reached| match reached {
            Reached::Below(place) => below.push(place),
            Reached::Run { run, states } => {
                for (number, form) in names.items(run).filter_map(inside) {
                    let units = form
                        .short
                        .then(|| writing.is_written().then_some(states.trailing_zeros() as u8));
                    let mark = Mark::Area { form, units: units.flatten() };
                    if writing.typed.is_whole(states) {
                        found.push((number, mark, true));
                    }
                    for place in writing.typed.places(states).filter(|place| *place > 0) {
                        let class = if form.short { Class::BehindShort } else { Class::Named };
                        let class = class.max(behind.class);
                        let marks = behind.marks.with(mark);
                        let at = behind.at + place;
                        splits.push(Behind { area: Some(number), at, match_kind, marks, class });
                    }
                }
            }
        });
        let units = writing.units();
        let mut push = |(number, form)| found.push((number, Mark::Area { form, units }, false));
        match outer {
            // Few are inside the area, and most names below belong to others, so ordering them would be wasted.
            Some(_) => names.each_below(below, |item| inside(item).into_iter().for_each(&mut push)),
            None => self.heaviest_forms(names, below).filter_map(inside).for_each(push),
        }
        for (number, mark, exact) in found {
            self.push_area(number, match_kind, behind.class, behind.marks.with(mark), exact);
        }
    }

    /// The heaviest forms of areas below these places; enough for the limit, since an area has eight names at most.
    pub(super) fn heaviest_forms(
        &self,
        names: &Names<'s>,
        below: Vec<beginnings::Place>,
    ) -> impl Iterator<Item = u32> {
        let area = |item| self.suggestions.area(forms::of_item(item).0);
        let weight = move |item| area(item).map_or(0, |area| area.weight);
        names.below(below.into_iter(), weight).take(self.limit * 4).map(|found| found.item)
    }

    pub(super) fn push_area(
        &mut self,
        number: u32,
        match_kind: MatchKind,
        class: Class,
        marks: Marks,
        exact: bool,
    ) {
        let Some(area) = self.suggestions.area(number) else { return };
        self.found.push(Candidate {
            place: Place::Area(number),
            match_kind,
            marks,
            class,
            exact,
            weight: area.weight,
            far: false,
            jisx0402: area.jisx0402.to_native(),
        });
    }

    pub(super) fn area_names(&self, writing: &Writing) -> &Names<'s> {
        if writing.is_written() { &self.written_areas } else { &self.read_areas }
    }

    /// Finds towns of the whole country that begin with the text.
    fn find_towns(&mut self, behind: &Behind, writing: &Writing) {
        let names = if writing.is_written() { &self.written_towns } else { &self.read_towns };
        let (mut found, mut below) = (Vec::new(), Vec::new());
        names.walk(&writing.typed, |reached| match reached {
            Reached::Below(place) => below.push(place),
            Reached::Run { run, .. } => {
                let (mut refused, mut taken) = (0, 0);
                for town in names.items(run) {
                    match self.extent(writing, town) {
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
        let weight = |town| self.suggestions.weight_of_town(self.reference.gazetteer, town);
        let below = names.below(below.into_iter(), weight).take(self.limit);
        found.extend(below.map(|found| (found.item, Extent::Part)));
        for (town, extent) in found {
            self.push_town(town, behind, writing, extent);
        }
    }

    /// How much of a town's name the text is; `None` if the name does not begin with it.
    pub(super) fn extent(&self, writing: &Writing, town: u32) -> Option<Extent> {
        if writing.is_written() {
            return writing.typed.begins(self.written_letters(town));
        }
        writing.typed.begins(reading::letters(self.record(town)?.town().kana.text))
    }

    pub(super) fn written_letters(&self, town: u32) -> impl Iterator<Item = Letter> + use<'s> {
        let units = self.reference.gazetteer.towns.units(town as usize);
        units.iter().map(|unit| unit.to_native())
    }

    /// The first record of a town, which has its names.
    pub(super) fn record(&self, town: u32) -> Option<PostalView<'s>> {
        let ReferenceData { gazetteer, tables, strings, .. } = self.reference;
        let row = gazetteer.first_row(town as usize)?;
        PostalView::of(tables, strings, row as usize)
    }

    pub(super) fn push_town(
        &mut self,
        town: u32,
        behind: &Behind,
        writing: &Writing,
        extent: Extent,
    ) {
        let Some(record) = self.record(town) else { return };
        self.found.push(Candidate {
            place: Place::Town(town),
            match_kind: writing.match_kind.max(behind.match_kind),
            marks: behind.marks.with(Mark::Town { units: writing.units() }),
            class: behind.class,
            exact: extent == Extent::Whole,
            weight: self.suggestions.weight_of_town(self.reference.gazetteer, town),
            far: false,
            jisx0402: record.city().jisx0402(),
        });
    }

    /// Puts places in the preferred area first, and searches it separately if the whole country has too many.
    fn put_preferred_first(&mut self, preferred: u32) {
        let Some(outer) = self.suggestions.area(preferred) else { return };
        let behind = Behind {
            area: Some(preferred),
            at: 0,
            match_kind: MatchKind::Prefix,
            marks: Marks::default(),
            class: Class::Named,
        };
        for writing in Writing::of(self.q).into_iter().flatten() {
            self.find_areas(&behind, &writing, &mut Vec::new());
            self.find_towns_inside(preferred, &behind, &writing);
        }
        let is_in = |code: u32| match outer.kind {
            ArchivedAreaKind::Prefecture => code / 1_000 == outer.jisx0402.to_native() / 1_000,
            _ => code == outer.jisx0402.to_native(),
        };
        for candidate in &mut self.found {
            candidate.far = !is_in(candidate.jisx0402);
        }
    }
}

/// The kind of a checked area.
impl From<ArchivedAreaKind> for AreaKind {
    fn from(kind: ArchivedAreaKind) -> AreaKind {
        match kind {
            ArchivedAreaKind::Prefecture => AreaKind::Prefecture,
            ArchivedAreaKind::DesignatedCity => AreaKind::DesignatedCity,
            ArchivedAreaKind::Municipality => AreaKind::Municipality,
        }
    }
}
