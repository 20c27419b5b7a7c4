//! Finds the municipality and the town in a text. If several municipalities have the name, the town decides between
//! them.

use std::{cmp::Reverse, ops::Range};

use super::counter;
use super::gazetteer::{ArchivedAreaForm as AreaForm, ArchivedGazetteer, keys::ArchivedKeys};
use super::name_match::{Hit, Hits, Tolerance, match_names, section_mark};
use super::result::{Component, CorrectionKind};
use super::town::{CityText, TownMatch, unknown_name_follows};
use super::units::{Unit, codes, is_digit_at, unit};

#[derive(Debug, Clone, Default)]
pub struct Area {
    pub prefecture: Option<PrefectureMatch>,
    /// The municipalities that fit equally well; a single one if the text is unambiguous.
    pub candidates: Vec<Candidate>,
    pub form: Option<AreaForm>,
    /// The units of the municipality's name, including the county's.
    pub name: Range<usize>,
    /// What the text names after the municipality; without a town if several municipalities fit.
    pub below: TownMatch,
    /// The names of the area that are other ones in the text.
    pub corrections: Vec<AreaCorrection>,
}

/// A name of the area that is another one in the text, or in the wrong place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AreaCorrection {
    pub kind: CorrectionKind,
    pub component: Component,
    /// The units of the text.
    pub range: Range<usize>,
}

/// A prefecture that the text names.
#[derive(Debug, Clone)]
pub struct PrefectureMatch {
    /// JIS X 0401.
    pub code: u8,
    /// One of its municipalities, which has its name.
    pub city: usize,
    /// The units of its name.
    pub name: Range<usize>,
}

/// A municipality that the text may mean.
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

    /// Whether one municipality fits, or none.
    pub fn is_certain(&self) -> bool {
        self.candidates.len() < 2
    }

    pub fn end(&self) -> usize {
        let prefecture = self.prefecture.as_ref().map_or(0, |found| found.name.end);
        self.below.end.max(self.name.end).max(prefecture)
    }

    pub fn clear(&mut self) {
        self.candidates.clear();
        (self.prefecture, self.form, self.name) = (None, None, 0..0);
        self.below = TownMatch::default();
        self.corrections.clear();
    }
}

/// How well a municipality explains the text. The fields are compared in this order; the greatest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    has_town: bool,
    /// The end of the text that it covers, in units.
    end: usize,
    /// How far the town differs from the text.
    cost: Reverse<u8>,
    /// How incomplete the municipality's name is.
    form_rank: Reverse<u8>,
}

/// Reads the area that begins at `start` into `area`. `hint`: municipalities of a postal code in the text.
pub fn locate(
    gazetteer: &ArchivedGazetteer,
    text: &[Unit],
    start: usize,
    hint: &[usize],
    area: &mut Area,
) {
    area.clear();
    let mut search = Search { gazetteer, text, best: None, area };
    let prefectures = search.literal(&gazetteer.prefectures, start);
    let named = |is_short| {
        prefectures.iter().find_map(|hit| {
            let name = &gazetteer.prefecture_of[hit.name];
            let (code, city) = (name.prefecture, usize::from(name.city.to_native()));
            let found = PrefectureMatch { code, city, name: start..hit.end };
            (name.is_short == is_short).then_some(found)
        })
    };
    if let Some(mut full) = named(false) {
        // 東京都東京都港区: written twice.
        full.name.end += repetition_length(text, &full.name);
        search.add_municipalities(full.name.end, Some(full.code));
        search.add_former(full.name.end, Some(full.code));
        search.area.prefecture = Some(full);
    } else {
        search.add_municipalities(start, None);
        if let Some(short) = named(true) {
            let before = search.best;
            search.add_municipalities(short.name.end, Some(short.code));
            if search.best > before {
                search.area.prefecture = Some(short);
            }
        }
        search.add_former(start, None);
    }
    choose_by_postal_code(hint, area);
}

/// Finds a town that stands without its municipality, if exactly one of these municipalities has it, or exactly one of them
/// has it with the chome of the text, and a number follows. Its name has at least `length_min` units.
pub fn locate_town(
    gazetteer: &ArchivedGazetteer,
    text: &[Unit],
    start: usize,
    cities: impl Iterator<Item = usize>,
    length_min: usize,
    area: &mut Area,
) -> bool {
    let mut found: Vec<(CityText<'_>, Hit)> = Vec::new();
    for city in cities.map(|city| CityText { gazetteer, city, text }) {
        if !may_begin_town(city, start, TOWN_ALONE_MIN)
            || found.iter().any(|(it, _)| it.city == city.city)
        {
            continue;
        }
        let hit = city.town(start).filter(|hit| {
            let ends = !unknown_name_follows(text, hit.end) && is_digit_at(text, hit.end);
            let is_long = gazetteer.towns.length(hit.name) >= TOWN_ALONE_MIN;
            hit.cost == 0 && is_long && ends
        });
        found.extend(hit.map(|hit| (city, hit)));
    }
    if found.len() > 1 {
        found.retain(|(_, hit)| {
            let needs_chome = counter::needs_chome(text, hit.end);
            needs_chome == Some(gazetteer.with_chome[hit.name])
        });
    }
    // A shorter name elsewhere is as likely: 本町二丁目 is a town of 十日町市, and 2丁目 of each 本町.
    let [(city, hit)] = found[..] else { return false };
    if gazetteer.towns.length(hit.name) < length_min {
        return false;
    }
    let below = city.below(start);
    area.candidates.push(Candidate { city: city.city, town: below.town, since: None });
    (area.form, area.name, area.below) = (None, start..start, below);
    true
}

/// Whether the municipality that the text names without county and prefecture, with a lot behind it, may as well be a town:
/// 栄町2-1 is in some hundred municipalities, and in the one of this name no lot is without a town.
pub fn is_rather_town(gazetteer: &ArchivedGazetteer, text: &[Unit], area: &Area) -> bool {
    let [only] = area.candidates[..] else { return false };
    let is_bare = area.prefecture.is_none() && area.form == Some(AreaForm::WithoutCounty);
    let Range { start, end } = area.name;
    if !is_bare || area.end() > end || !is_digit_at(text, end) {
        return false;
    }
    let others = (0..gazetteer.city_count()).filter(|city| *city != only.city);
    let mut others = others.map(|city| CityText { gazetteer, city, text });
    others.any(|city| {
        may_begin_town(city, start, end - start)
            && city.town(start).is_some_and(|hit| hit.cost == 0 && hit.end == end)
    })
}

/// A town of fewer letters names no place by itself.
const TOWN_ALONE_MIN: usize = 2;

/// Whether a town of the municipality begins with the same `length` units as the text; a 字 in the text ends the
/// comparison early. Most municipalities have no such town, so that the expensive search is skipped.
fn may_begin_town(city: CityText<'_>, start: usize, length: usize) -> bool {
    let CityText { gazetteer, text, .. } = city;
    let begins = |from: usize| {
        let inside =
            |position: &usize| *position == from || section_mark(text, *position).is_none();
        let positions = (from..text.len().min(from + length)).take_while(inside);
        let codes = positions.map(|position| text[position].code);
        !gazetteer.towns.narrow_by(city.towns(), 0, codes).is_empty()
    };
    begins(start) || section_mark(text, start).is_some_and(|mark| begins(start + mark))
}

/// The number of units by which the text repeats a name directly after it: all of the name, or its part up to 市 or
/// after 郡; 0 if it does not.
fn repetition_length(text: &[Unit], name: &Range<usize>) -> usize {
    let written = &text[name.clone()];
    let position_after =
        |mark| length_with_mark(written, mark).filter(|position| *position < written.len());
    let without_county = position_after('郡').map(|from| &written[from..]);
    let (city, ward) = position_after('市').map(|position| written.split_at(position)).unzip();
    let next = &text[name.end..];
    let again = |part: &&[Unit]| {
        part.len() > 1 && next.len() > part.len() && codes(part).eq(codes(&next[..part.len()]))
    };
    let parts = [Some(written), without_county, city, ward];
    parts.into_iter().flatten().find(again).map_or(0, <[Unit]>::len)
}

/// The length of a name up to its first 郡 or 市; the first letter does not count.
pub fn length_with_mark(name: &[Unit], mark: char) -> Option<usize> {
    codes(name).skip(1).position(|code| code == unit(mark)).map(|before| before + 2)
}

struct Search<'a> {
    gazetteer: &'a ArchivedGazetteer,
    text: &'a [Unit],
    best: Option<Fit>,
    area: &'a mut Area,
}

impl<'a> Search<'a> {
    /// The names with which the text continues at `start`.
    fn literal(&self, keys: &ArchivedKeys, start: usize) -> Hits {
        match_names(keys, 0..keys.count(), self.text, start, Tolerance::Literal)
    }

    fn in_city(&self, city: usize) -> CityText<'a> {
        CityText { gazetteer: self.gazetteer, city, text: self.text }
    }

    /// Adds every municipality whose name begins at `start`.
    fn add_municipalities(&mut self, start: usize, prefecture: Option<u8>) {
        let gazetteer = self.gazetteer;
        let hits = self.literal(&gazetteer.areas, start);
        let longest = hits.longest().map_or(start, |hit| hit.end);
        for (name, end) in hits.names() {
            let name = &gazetteer.area_of[name];
            let city = usize::from(name.city.to_native());
            // If the text names the ward, the rest is not a town or street of the whole city.
            let omits_written_ward = name.form == AreaForm::WithoutWard && end < longest;
            if !omits_written_ward
                && prefecture.is_none_or(|code| code == gazetteer.cities[city].prefecture)
            {
                self.add_municipality(city, name.form, start..end);
            }
        }
    }

    /// Adds former municipalities, if no present one has the town. Without their prefecture or county they count
    /// only with a town: many texts begin with 中央町.
    fn add_former(&mut self, start: usize, prefecture: Option<u8>) {
        if self.best.is_some_and(|best| best.has_town) {
            return;
        }
        let gazetteer = self.gazetteer;
        let hits = self.literal(&gazetteer.former, start);
        for (name, end) in hits.names() {
            let former = &gazetteer.former_of[name];
            let city = usize::from(former.city.to_native());
            if prefecture.is_some_and(|code| code != gazetteer.cities[city].prefecture) {
                continue;
            }
            let own_name = start + usize::from(former.county_length)..end;
            let below = self.in_city(city).below_former(own_name);
            if below.town.is_some() || prefecture.is_some() || former.county_length > 0 {
                let since = Some(former.year.to_native()).filter(|year| *year > 0);
                self.add_candidate(city, since, AreaForm::Former, start..end, below);
            }
        }
    }

    /// Adds a municipality with what the text names after it.
    fn add_municipality(&mut self, city: usize, form: AreaForm, mut name: Range<usize>) {
        let inside = self.in_city(city);
        let mut below = if form == AreaForm::County {
            TownMatch { end: name.end, ..TownMatch::default() }
        } else {
            inside.below(name.end)
        };
        if form != AreaForm::County && below.town.is_none() {
            // 明石市明石市, 仙台市太白区仙台市富沢.
            let again = repetition_length(self.text, &name);
            if again > 0 {
                name.end += again;
                below = inside.below(name.end);
            }
        }
        self.add_candidate(city, None, form, name, below);
    }

    /// Replaces the candidates if this one fits better, and adds it if it fits equally well.
    fn add_candidate(
        &mut self,
        city: usize,
        since: Option<u16>,
        form: AreaForm,
        name: Range<usize>,
        below: TownMatch,
    ) {
        let has_town = below.town.is_some();
        // A county alone is less specific than a municipality with the same beginning.
        let cost = if form == AreaForm::County { u8::MAX } else { below.cost };
        let form_rank = match form {
            // Tokyo's 中央区 is a city; elsewhere the city before the ward is missing.
            AreaForm::Ward if has_town => 1,
            AreaForm::County => 2,
            AreaForm::Former => 3,
            _ => 0,
        };
        let (cost, form_rank) = (Reverse(cost), Reverse(form_rank));
        let fit = Fit { has_town, end: below.end, cost, form_rank };
        if self.best.is_some_and(|best| best > fit) {
            return;
        }
        if self.best != Some(fit) {
            self.area.candidates.clear();
            self.best = Some(fit);
        }
        if !self.area.candidates.iter().any(|known| known.city == city) {
            self.area.candidates.push(Candidate { city, town: below.town, since });
            (self.area.form, self.area.name, self.area.below) = (Some(form), name, below);
        }
    }
}

/// Of several candidates, keeps the one of the postal code in the text; if several remain, the town is unknown.
fn choose_by_postal_code(hint: &[usize], area: &mut Area) {
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
    // Each has a town of the name in the text: its name is certain, its place is not.
    if area.candidates.iter().all(|candidate| candidate.town.is_some()) {
        area.below = TownMatch { koaza: None, ..area.below.clone() };
        return;
    }
    area.candidates.iter_mut().for_each(|candidate| candidate.town = None);
    area.below = TownMatch { end: area.name.end, ..TownMatch::default() };
}
