//! Finds the place that an address means although it is misspelt: every municipality and town that the text may mean
//! gets a cost (`cost`), and the cheapest is the place if it is clearly cheaper than the next.
//!
//! The municipality is evidence, not a gate: `area` also tries the text without its 市, behind a wrong prefecture and in
//! another order. `town` compares the rest with the towns of each, letter by letter (`align`). A postal code beside the
//! address makes its places cheaper. Whatever is corrected is recorded; what was nearly as cheap is a candidate.
//! Used only if the text names no place literally. Knows the names of the gazetteer only, not what people call places.

mod align;
mod area;
mod cost;
mod rare;
mod town;

use std::cmp::Reverse;

use self::area::NearArea;
use self::cost::COST_MAX;
use super::area::{Area, AreaCorrection, Candidate};
use super::counter;
use super::gazetteer::ArchivedAreaForm as AreaForm;
use super::name_match::{Hit, OTHER_NAME};
use super::reading::{self, ReadText};
use super::reference::ReferenceData;
use super::result::{Component, CorrectionKind, Suspect};
use super::town::{CityText, TownMatch, unknown_name_follows};
use super::units::{Unit, codes};
use crate::text::fold::Folded;

/// Highest cost if no prefecture precedes the municipality, which is itself misspelt.
const COST_WITHOUT_PREFECTURE: u16 = 5;
/// How much cheaper a place must be than any other.
const MARGIN: u16 = 2;
/// Candidates cost at most this much more than the cheapest place.
const CANDIDATE_RANGE: u16 = 4;
/// Most candidates that are kept.
const CANDIDATES_MAX: usize = 5;
/// Most municipalities, the cheapest first, and most towns that are compared with one text: a text without any known name
/// is similar to many.
const AREAS_MAX: usize = 24;
const TOWNS_MAX: usize = 2_000;
/// The cost of a name behind the town that the data lack.
const UNKNOWN_TAIL: u16 = 5;
/// From this cost on, a name that is another town's in the prefecture is rather that town, of which the text names the
/// wrong municipality: 春日市石原町 is not 春日市原町. Below it, names differ as registers do.
const OTHER_NAME_MIN: u16 = 3;
/// Highest cost of a town that explains more of the text than the literal one.
const LONGER_MAX: u16 = 2;
/// The cost of a town in kana or Roman letters.
const READ: u16 = 1;
/// The cost of a municipality of which the text names no town.
const NO_TOWN: u16 = 5;
/// Shortest name of a municipality, in units, that explains a text in which no other name follows: a county and its
/// town, or a city and its ward.
const LONG_NAME: usize = 5;
/// What a place gains that has the postal code in the text, and what one loses in a municipality without it.
const WITH_CODE: u16 = 3;
const WITHOUT_CODE: u16 = 3;

/// One way to read the text.
#[derive(Debug, Clone)]
struct Reading {
    cost: u16,
    area: NearArea,
    below: TownMatch,
    /// Whether the text names this place literally.
    is_literal: bool,
    since: Option<u16>,
}

impl Reading {
    fn place(&self) -> Suspect {
        Suspect { city: self.area.city, town: self.below.town }
    }
}

/// What the text says besides its names.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    pub reference: ReferenceData<'a>,
    /// The text before folding, and its folded characters.
    pub source: &'a str,
    pub folded: &'a [Folded],
    pub text: &'a [Unit],
    /// Where the address begins.
    pub start: usize,
    /// The municipalities of a postal code in the text or beside it.
    pub cities_of_code: &'a [usize],
    /// Its towns.
    pub towns_of_code: &'a [usize],
}

/// Whether a text that was read as `area` may mean another place: it names no town, or has a name after it that the
/// data lack.
pub fn may_be_misspelt(text: &[Unit], area: &Area) -> bool {
    let end = area.end();
    if area.below.street.is_some() || end >= text.len() {
        return false;
    }
    match area.below.town {
        Some(_) => area.below.koaza.is_none() && unknown_name_follows(text, area.below.end),
        // 3条8丁目 is a street with a number, 3番 is a lot.
        None => !text[end].is_figure() || counter::is_counted_name(text, end),
    }
}

/// Replaces `area` by the place that the text means if that is clear, and appends the places that it may mean as well,
/// the likeliest first.
pub fn improve(evidence: Evidence<'_>, area: &mut Area, suspects: &mut Vec<Suspect>) {
    let readings = readings(evidence, area);
    let Some(best) = readings.first().cloned() else { return };
    let limit = match best.area.prefecture {
        None if !best.is_literal && best.area.cost > 0 => COST_WITHOUT_PREFECTURE,
        _ => COST_MAX,
    };
    let others = readings.iter().skip(1).filter(|other| other.cost <= best.cost + CANDIDATE_RANGE);
    let next = others.clone().find(|other| other.below.town.is_some() || best.below.town.is_none());
    let is_clear = next.is_none_or(|next| next.cost >= best.cost + MARGIN);
    // A municipality that the text names literally gives way only to one that has the town, or to one of its wards.
    let names_city = !matches!(area.form, None | Some(AreaForm::County));
    let is_better = best.below.town.is_some() || !names_city || best.area.is_ward_of(area);
    let is_accepted = best.cost <= limit
        && is_clear
        && !best.is_literal
        && is_better
        && !evidence.names_town_elsewhere(&best);
    let first = Some(best.place()).filter(|_| !is_accepted);
    let places = first.into_iter().chain(others.map(Reading::place));
    let is_read = |place: &Suspect| {
        !is_accepted && area.below.town.is_some() && place.town == area.below.town
    };
    let places = places.filter(|place| place.town.is_some() && !is_read(place));
    suspects.extend(places.take(CANDIDATES_MAX));
    if is_accepted {
        accept(best, area);
    }
}

/// The ways to read the text, one for each place, the cheapest first.
fn readings(evidence: Evidence<'_>, area: &Area) -> Vec<Reading> {
    let mut readings = Vec::new();
    let mut work = Work { towns: TOWNS_MAX };
    read_literally(evidence, area, &mut work, &mut readings);
    let literal_has_town = readings.iter().any(|reading| reading.below.town.is_some());
    let Evidence { reference: ReferenceData { gazetteer, .. }, text, start, .. } = evidence;
    let mut areas: Vec<NearArea> = Vec::new();
    area::near_areas(gazetteer, text, start, area, &mut |near| areas.push(near));
    // Of equals the longest: 大坂市北区 is a ward of 大阪市 rather than one of the 24 that 大坂市 may be.
    areas.sort_by_key(|near| (near.cost, Reverse(near.end)));
    keep_first(&mut areas, |near| (near.city, near.end, near.town_before.is_some()));
    for near in areas.into_iter().take(AREAS_MAX) {
        // A ward is compared with the towns that its city has of a similar name: 横浜市仲区 is 中区, not 仲通.
        let is_ward = near.is_ward_of(area);
        add_towns(evidence, near, literal_has_town && !is_ward, &mut work, &mut readings);
    }
    for reading in &mut readings {
        evidence.weigh(reading);
    }
    // The first of equals: the literal reading, then the order of the gazetteer.
    readings.sort_by_key(|reading| reading.cost);
    keep_first(&mut readings, Reading::place);
    readings
}

/// Removes all but the first element of each key.
fn keep_first<T, K: PartialEq>(elements: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut seen: Vec<K> = Vec::new();
    elements.retain(|element| {
        let key = key(element);
        let is_first = !seen.contains(&key);
        if is_first {
            seen.push(key);
        }
        is_first
    });
}

/// What remains of the work for one text.
struct Work {
    /// How many towns may still be compared letter by letter.
    towns: usize,
}

/// Adds the readings of the municipalities that the text names literally.
fn read_literally(
    evidence: Evidence<'_>,
    area: &Area,
    work: &mut Work,
    readings: &mut Vec<Reading>,
) {
    let Some(form) = area.form.filter(|form| *form != AreaForm::County) else { return };
    for candidate in &area.candidates {
        let (name, prefecture) = (area.name.clone(), area.prefecture.clone());
        let near = NearArea::literal(candidate.city, name, form, prefecture);
        if candidate.town.is_some() {
            let below = TownMatch { town: candidate.town, ..area.below.clone() };
            let cost = UNKNOWN_TAIL + u16::from(below.cost.min(2));
            let since = candidate.since;
            add_longer_towns(evidence, &near, below.end, readings);
            readings.push(Reading { cost, area: near, below, is_literal: true, since });
        } else {
            let before = readings.len();
            // A ward alone may be in any of its cities, of which each has many towns.
            if form != AreaForm::Ward {
                add_towns(evidence, near, false, work, readings);
            }
            for reading in &mut readings[before..] {
                reading.since = candidate.since;
                reading.is_literal = reading.below.town.is_none();
            }
        }
    }
}

/// Adds the towns that explain more of the text than the literal one, which ends at `end`, and differ from it only in
/// what registers write in different ways: 室生区大野 is 室生大野, not 室生.
fn add_longer_towns(
    evidence: Evidence<'_>,
    near: &NearArea,
    end: usize,
    readings: &mut Vec<Reading>,
) {
    let Evidence { reference: ReferenceData { gazetteer, .. }, text, .. } = evidence;
    let inside = CityText { gazetteer, city: near.city, text };
    let mut add = |found: town::NearTown| {
        if found.cost <= LONGER_MAX && found.hit.end > end {
            let below = TownMatch::of(found.start, found.hit);
            let below = TownMatch { corrected: Some((found.kind, None)), ..below };
            let (cost, area) = (found.cost, near.clone());
            let below = inside.with_koaza(below);
            readings.push(Reading { cost, area, below, is_literal: false, since: None });
        }
    };
    town::near_towns(inside, near.end, LONGER_MAX, &mut add);
    if let Some(found) = town::behind_district(inside, near.end) {
        add(found);
    }
}

/// Adds the readings of one municipality. `literal_only`: the text has a literal reading, so that only another literal
/// one is as good.
fn add_towns(
    evidence: Evidence<'_>,
    near: NearArea,
    literal_only: bool,
    work: &mut Work,
    readings: &mut Vec<Reading>,
) {
    let Evidence { reference: ReferenceData { gazetteer, .. }, text, .. } = evidence;
    // A town in front of its municipality ends with it.
    let text = near.town_before.as_ref().map_or(text, |before| &text[..before.end]);
    let inside = CityText { gazetteer, city: near.city, text };
    let start = near.town_before.as_ref().map_or(near.end, |before| before.start);
    let mut push = |cost: u16, below: TownMatch| {
        let cost = near.cost + cost;
        let is_literal = false;
        readings.push(Reading { cost, area: near.clone(), below, is_literal, since: None });
    };
    // Behind the municipality stands the lot, if its town stands before it.
    let ends = |end: usize| near.town_before.as_ref().is_none_or(|before| before.end == end);
    let literal = match near.form {
        AreaForm::Former => inside.below_former(near.name.clone()),
        _ => inside.below(start),
    };
    if literal.town.is_some() && ends(literal.end) {
        let is_tail = near.town_before.is_none()
            && literal.koaza.is_none()
            && unknown_name_follows(text, literal.end);
        let tail = if is_tail { UNKNOWN_TAIL } else { 0 };
        if !(is_tail && literal_only) {
            let end = literal.end.max(near.end);
            push(tail + u16::from(literal.cost.min(2)), TownMatch { end, ..literal.clone() });
        }
        if !is_tail {
            return;
        }
    }
    if literal_only {
        return;
    }
    if let Some(hit) = inside.town_with_tail(start) {
        // 菱池上畑: a town with a name that the data lack, or 菱池上浜.
        push(UNKNOWN_TAIL, TownMatch::of(start, hit));
    }
    if near.cost > 0 {
        let nothing = near.end..near.end;
        let no_name = text.get(near.end).is_none_or(|next| next.is_figure());
        let is_whole = no_name && near.name.len() >= LONG_NAME;
        push(
            if is_whole { 0 } else { NO_TOWN },
            TownMatch { end: near.end, name: nothing, ..TownMatch::default() },
        );
    }
    let mut add = |found: town::NearTown| {
        if !ends(found.hit.end) {
            return;
        }
        let below = TownMatch::of(found.start, found.hit);
        let end = below.end.max(near.end);
        let corrected = Some((found.kind, None));
        push(found.cost, inside.with_koaza(TownMatch { corrected, end, ..below }));
    };
    if let Some(read) = ReadText::new(evidence.source, evidence.folded, text, start) {
        for (name, end) in reading::towns_of(evidence.reference, &read, near.city) {
            let hit = Hit { name, count: 1, end, cost: OTHER_NAME };
            add(town::NearTown { hit, start, cost: READ, kind: CorrectionKind::Reading });
        }
    }
    // A municipality that the text contradicts must have the town to the letter.
    let highest = COST_MAX.saturating_sub(near.cost);
    let count = inside.towns().len();
    if near.cost < area::CONTRADICTED && count <= work.towns {
        work.towns -= count;
        town::near_towns(inside, start, highest + WITH_CODE, &mut add);
    }
    let others = [
        town::after_own_stem(inside, &near.name),
        town::behind_district(inside, start),
        town::in_brackets(inside, start),
        town::behind_former(inside, start),
    ];
    others.into_iter().flatten().for_each(add);
}

impl Evidence<'_> {
    /// Whether the misspelt town is the exact name of a town elsewhere in the prefecture, and no postal code decides.
    fn names_town_elsewhere(self, reading: &Reading) -> bool {
        let Evidence { reference: ReferenceData { gazetteer, .. }, text, .. } = self;
        let TownMatch { town, name, corrected, .. } = &reading.below;
        let is_misspelt = matches!(corrected, Some((CorrectionKind::Letters, _)));
        let has_code = town.is_some_and(|town| self.towns_of_code.contains(&town));
        if !is_misspelt || has_code || reading.cost < reading.area.cost + OTHER_NAME_MIN {
            return false;
        }
        let city = reading.area.city;
        let prefecture = u32::from(gazetteer.cities[city].prefecture);
        let written = codes(&text[name.clone()]);
        let mut others = gazetteer.cities_in(prefecture).filter(|other| *other != city);
        others.any(|other| {
            let towns = gazetteer.towns_of(other);
            !gazetteer.towns.with_rest(towns, 0, written.clone()).is_empty()
        })
    }

    /// Adds what the postal code says to the cost of a reading.
    fn weigh(self, reading: &mut Reading) {
        if self.cities_of_code.is_empty() {
            return;
        }
        let town = reading.below.town;
        if town.is_some_and(|town| self.towns_of_code.contains(&town)) {
            reading.cost = reading.cost.saturating_sub(WITH_CODE);
        } else if !self.cities_of_code.contains(&reading.area.city) {
            reading.cost += WITHOUT_CODE;
        }
    }
}

/// Makes a reading the area.
fn accept(reading: Reading, area: &mut Area) {
    let Reading { area: near, below, since, .. } = reading;
    let NearArea { city, name, form, why, prefecture, wrong_prefecture, town_before, .. } = near;
    area.corrections.clear();
    if let Some(range) = wrong_prefecture {
        let kind = CorrectionKind::Contradicted;
        area.corrections.push(AreaCorrection { kind, component: Component::Prefecture, range });
    }
    if let Some((kind, component)) = why {
        // A town in front of the municipality is part of what was in the wrong place.
        let start = town_before.map_or(name.start, |before| before.start.min(name.start));
        area.corrections.push(AreaCorrection { kind, component, range: start..name.end });
    }
    area.prefecture = prefecture;
    area.candidates.clear();
    area.candidates.push(Candidate { city, town: below.town, since });
    (area.form, area.name, area.below) = (Some(form), name, below);
}
