//! Finds the municipality and the town in a text. If several municipalities have the name, the town decides between
//! them.

use std::{cmp::Reverse, ops::Range};

use super::below_city;
use super::gazetteer::{ArchivedForm as Form, ArchivedGazetteer};
use super::town::{self, TownMatch};
use super::units::{Unit, unit};
use super::walk::{Style, section_mark, walk};

#[derive(Debug, Clone, Default)]
pub struct Area {
    /// The prefecture in the text: its JIS code, one of its municipalities, its units.
    pub prefecture: Option<(u8, usize, Range<usize>)>,
    /// The municipalities that fit equally well; a single one if the text is unambiguous.
    pub candidates: Vec<Candidate>,
    pub form: Option<Form>,
    /// The units of the municipality's name, including the county's.
    pub name: Range<usize>,
    /// What the text names after the municipality; without a town if several municipalities fit.
    pub below: TownMatch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub city: usize,
    pub town: Option<usize>,
    /// The year since which the name in the text is old.
    pub since: Option<u16>,
}

impl Area {
    pub fn is_empty(&self) -> bool {
        self.prefecture.is_none() && self.candidates.is_empty()
    }

    pub fn has_town(&self) -> bool {
        self.below.town.is_some()
    }

    pub fn end(&self) -> usize {
        let prefecture = self.prefecture.as_ref().map_or(0, |(_, _, name)| name.end);
        self.below.end.max(self.name.end).max(prefecture)
    }

    pub fn clear(&mut self) {
        self.candidates.clear();
        (self.prefecture, self.form, self.name) = (None, None, 0..0);
        self.below = TownMatch::default();
    }
}

/// How well a reading fits, compared in this order: whether a town was found, the length of the text that it
/// covers, how literal and how complete the name is.
type Fit = (bool, usize, Reverse<u8>, Reverse<u8>);

/// Reads the area at `at` into `area`. `hint`: municipalities of a postal code in the text.
pub fn locate(
    gazetteer: &ArchivedGazetteer,
    text: &[Unit],
    at: usize,
    hint: &[usize],
    area: &mut Area,
) {
    area.clear();
    let names = 0..gazetteer.prefectures.count();
    let prefectures = walk(&gazetteer.prefectures, names, text, at, Style::Literal);
    let named = |short| {
        prefectures.iter().find_map(|hit| {
            let name = &gazetteer.prefecture_of[hit.name];
            let city = usize::from(name.city.to_native());
            (name.short == short).then_some((name.prefecture, city, at..hit.end))
        })
    };
    let mut search = Search { gazetteer, text, best: None, area };
    if let Some(mut full) = named(false) {
        // 東京都東京都港区: written twice.
        full.2.end += repeated(text, &full.2);
        search.municipalities(full.2.end, Some(full.0));
        search.former(full.2.end, Some(full.0));
        search.area.prefecture = Some(full);
    } else {
        search.municipalities(at, None);
        if let Some(short) = named(true) {
            let before = search.best;
            search.municipalities(short.2.end, Some(short.0));
            if search.best > before {
                search.area.prefecture = Some(short);
            }
        }
        search.former(at, None);
    }
    correct(gazetteer, text, area);
    decide(hint, area);
}

/// Finds a misspelt or shortened town, if the text names none literally.
fn correct(gazetteer: &ArchivedGazetteer, text: &[Unit], area: &mut Area) {
    let known = matches!(area.form, Some(form) if form != Form::County && form != Form::Ward);
    if !known || area.has_town() || area.below.street.is_some() {
        return;
    }
    let cities = area.candidates.iter().map(|candidate| candidate.city);
    let found = below_city::resolve_near(gazetteer, cities.clone(), text, area.name.end)
        .or_else(|| below_city::behind_own_stem(gazetteer, cities, text, area.name.clone()));
    if let Some((city, below)) = found {
        area.candidates.clear();
        area.candidates.push(Candidate { city, town: below.town, since: None });
        area.below = below;
    }
}

/// Finds a town without its municipality, of at least this many units, if exactly one of these municipalities has
/// it and a number follows.
pub fn locate_town(
    gazetteer: &ArchivedGazetteer,
    text: &[Unit],
    at: usize,
    cities: impl Iterator<Item = usize>,
    length_min: usize,
    area: &mut Area,
) -> bool {
    let mut only = None;
    for city in cities.filter(|city| begins_town(gazetteer, *city, text, at, length_min)) {
        let hit = town::town(gazetteer, city, text, at).filter(|hit| {
            let lot = text.get(hit.end).is_some_and(|unit| unit.is_digit());
            hit.edits == 0 && gazetteer.towns.length(hit.name) >= length_min && lot
        });
        if hit.is_some() && only.replace(city).is_some_and(|other| other != city) {
            return false;
        }
    }
    let Some(city) = only else { return false };
    let below = below_city::resolve(gazetteer, city, text, at);
    area.candidates.push(Candidate { city, town: below.town, since: None });
    (area.form, area.name, area.below) = (None, at..at, below);
    true
}

/// Whether a town of the municipality begins literally as the text does, for this many units, up to a 字 inside its
/// name. Most municipalities have no such town and need not be read further.
fn begins_town(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    at: usize,
    length: usize,
) -> bool {
    let begins = |start: usize| {
        let inside = |place: &usize| *place == start || section_mark(text, *place).is_none();
        let places = (start..text.len().min(start + length)).take_while(inside);
        let codes = places.map(|place| text[place].code);
        !gazetteer.towns.narrow_by(gazetteer.towns_of(city), 0, codes).is_empty()
    };
    begins(at) || section_mark(text, at).is_some_and(|mark| begins(at + mark))
}

/// The length in units of a repetition after a name: of all of it, or of the part up to 市 or after 郡.
fn repeated(text: &[Unit], name: &Range<usize>) -> usize {
    let written = &text[name.clone()];
    let behind = |mark: char| {
        let place = written.iter().skip(1).position(|found| found.code == unit(mark));
        place.map(|place| place + 2).filter(|place| *place < written.len())
    };
    let without_county = behind('郡').map(|from| &written[from..]);
    let (city, ward) = behind('市').map(|place| written.split_at(place)).unzip();
    let next = &text[name.end..];
    let again = |part: &&[Unit]| {
        part.len() > 1
            && next.len() > part.len()
            && part.iter().zip(next).all(|(one, other)| one.code == other.code)
    };
    let parts = [Some(written), without_county, city, ward];
    parts.into_iter().flatten().find(again).map_or(0, <[Unit]>::len)
}

struct Search<'a> {
    gazetteer: &'a ArchivedGazetteer,
    text: &'a [Unit],
    best: Option<Fit>,
    area: &'a mut Area,
}

impl Search<'_> {
    /// Reads every municipality named at `at` with the text after it, and keeps the best.
    fn municipalities(&mut self, at: usize, prefecture: Option<u8>) {
        let names = 0..self.gazetteer.areas.count();
        let hits = walk(&self.gazetteer.areas, names, self.text, at, Style::Literal);
        let longest = hits.longest().map_or(at, |hit| hit.end);
        for hit in hits.iter() {
            for name in hit.name..hit.name + hit.count {
                let name = &self.gazetteer.area_of[name];
                let city = usize::from(name.city.to_native());
                let city_prefecture = self.gazetteer.cities[city].prefecture;
                let form = name.form;
                // If the text names the ward, the rest is not a town or street of the whole city.
                let partly = form == Form::WithoutWard && hit.end < longest;
                if !partly && prefecture.is_none_or(|prefecture| prefecture == city_prefecture) {
                    self.read_city(city, form, at..hit.end);
                }
            }
        }
    }

    /// Reads former municipalities, if no present one has the town. Without their prefecture or county they count
    /// only with a town: many texts begin with 中央町.
    fn former(&mut self, at: usize, prefecture: Option<u8>) {
        if self.best.is_some_and(|(found, ..)| found) {
            return;
        }
        let names = 0..self.gazetteer.former.count();
        let hits = walk(&self.gazetteer.former, names, self.text, at, Style::Literal);
        for hit in hits.iter() {
            for name in hit.name..hit.name + hit.count {
                let former = &self.gazetteer.former_of[name];
                let city = usize::from(former.city.to_native());
                let city_prefecture = self.gazetteer.cities[city].prefecture;
                if prefecture.is_some_and(|prefecture| prefecture != city_prefecture) {
                    continue;
                }
                let name = at..hit.end;
                let own = at + usize::from(former.own);
                let below =
                    below_city::resolve_former(self.gazetteer, city, self.text, own, name.end);
                if below.town.is_some() || prefecture.is_some() || former.own > 0 {
                    let since = Some(former.year.to_native()).filter(|year| *year > 0);
                    self.add_candidate((city, since), Form::Former, name, below);
                }
            }
        }
    }

    fn read_city(&mut self, city: usize, form: Form, mut name: Range<usize>) {
        let below = if form == Form::County {
            TownMatch { end: name.end, ..TownMatch::default() }
        } else {
            let below = below_city::resolve(self.gazetteer, city, self.text, name.end);
            // 明石市明石市, 仙台市太白区仙台市富沢.
            let again = if below.town.is_none() { repeated(self.text, &name) } else { 0 };
            if again > 0 {
                name.end += again;
                below_city::resolve(self.gazetteer, city, self.text, name.end)
            } else {
                below
            }
        };
        self.add_candidate((city, None), form, name, below);
    }

    fn add_candidate(
        &mut self,
        (city, since): (usize, Option<u16>),
        form: Form,
        name: Range<usize>,
        below: TownMatch,
    ) {
        let found = below.town.is_some();
        // A county alone is less specific than a municipality with the same beginning.
        let less = Reverse(if form == Form::County { u8::MAX } else { below.edits });
        let rank = match form {
            // Tokyo's 中央区 is a city; elsewhere the city before the ward is missing.
            Form::Ward if found => 1,
            Form::County => 2,
            Form::Former => 3,
            _ => 0,
        };
        let fit = (found, below.end, less, Reverse(rank));
        if self.best.is_some_and(|best| best > fit) {
            return;
        }
        if self.best != Some(fit) {
            self.area.candidates.clear();
            self.best = Some(fit);
        }
        if !self.area.candidates.iter().any(|candidate| candidate.city == city) {
            self.area.candidates.push(Candidate { city, town: below.town, since });
            (self.area.form, self.area.name, self.area.below) = (Some(form), name, below);
        }
    }
}

/// Keeps the candidate of the written postal code; if several remain, the town is unknown.
fn decide(hint: &[usize], area: &mut Area) {
    if area.candidates.len() < 2 {
        return;
    }
    let mut hinted = area.candidates.iter().filter(|candidate| hint.contains(&candidate.city));
    if let (Some(&one), None) = (hinted.next(), hinted.next()) {
        area.candidates.clear();
        area.candidates.push(one);
        area.below.town = one.town;
        return;
    }
    area.below = TownMatch { end: area.name.end, ..TownMatch::default() };
}
