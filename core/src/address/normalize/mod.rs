//! Turns a text into an [`Address`]: finds where the address begins, what each part names, and the values as
//! spelled in the data.
//!
//! Each part that is read adds a span; the gaps between them become separators or unplaced, so that the spans always
//! cover the text. `after_town` writes what follows the town.

mod after_town;
mod code;

use std::ops::Range;

use super::area::{self, Area, AreaCorrection, Candidate, PrefectureMatch, length_with_mark};
use super::correct::{self, Evidence};
use super::gazetteer::{ArchivedAreaForm as AreaForm, ArchivedGazetteer, DetailKind};
use super::name_match::{Hit, Tolerance, is_name, match_names};
use super::reading::{self, ReadText};
use super::reference::ReferenceData;
use super::repair::{RepairedChome, repair};
use super::result::{Address, Component, CorrectionKind, MatchLevel, Span, SpanKind};
use super::tail::Tail;
use super::units::{
    Unit, code_at, codes, is_dash_at, is_figure_at, is_separator, unit, units_from,
};
use super::{counter, cover::cover, decoration, english, kyoto, town::TownMatch};
use crate::record::postal::{CityView, NameView};
use crate::text::codes::PostalCode;
use crate::text::fold::{Folded, Level, fold};
use crate::work::{StopReason, WorkBudget};

/// Most positions at which an address is sought in one text.
const STARTS_MAX: usize = 200;
/// Longest name of a town, in units.
const NAME_MAX: usize = 24;

#[derive(Debug, Clone, Default)]
pub struct NormalizeScratch {
    folded: Vec<Folded>,
    units: Vec<Unit>,
    area: Area,
    tail: Tail,
    /// The municipalities and the towns of the postal code in the text or beside it.
    hint: Vec<usize>,
    towns_of_code: Vec<usize>,
    /// The spans of the parts, as they are found.
    spans: Vec<Span>,
    /// The folded characters of an aza.
    aza: Vec<Folded>,
    /// The tail without the parts that were cut out of it.
    rest: Vec<Folded>,
    /// The units of a side between the numbers of a lot: 北 in 南郷通7北1-1.
    side: Option<Range<usize>>,
    /// Folded characters that belong to no part: telephone numbers, 様.
    decorations: Vec<Range<usize>>,
    chome: Vec<RepairedChome>,
}

/// Units of work to compare a text with the places of the whole country, an upper bound: 0.1 to 0.3 ms. Only a text that
/// names no place literally needs it.
const UNITS_PER_COUNTRY: u64 = 250_000;

/// Reads a text into `address`. A text without an address gives an empty one. `beside`: a postal code that stands beside
/// the text, in another column of a file. If the budget does not suffice, `address` is not complete.
pub fn normalize(
    reference: ReferenceData<'_>,
    text: &str,
    beside: Option<PostalCode>,
    scratch: &mut NormalizeScratch,
    address: &mut Address,
    work: &WorkBudget<'_>,
) -> Result<(), StopReason> {
    address.clear(text);
    scratch.clear();
    fold(text, Level::Address, &mut scratch.folded);
    english::reorder(&mut scratch.folded);
    repair(&mut scratch.folded, &mut scratch.chome);
    decoration::find(&scratch.folded, &mut scratch.decorations);
    scratch.write_units();
    Normalizer { reference, text, scratch, address, work }.read(beside)
}

impl NormalizeScratch {
    fn clear(&mut self) {
        self.folded.clear();
        self.units.clear();
        self.area.clear();
        self.hint.clear();
        self.towns_of_code.clear();
        self.side = None;
        self.spans.clear();
        self.decorations.clear();
        self.chome.clear();
    }

    /// Writes the units of the folded text outside its decorations.
    fn write_units(&mut self) {
        let mut start = 0;
        for decoration in &self.decorations {
            units_from(&self.folded[..decoration.start], start, &mut self.units);
            start = decoration.end;
        }
        units_from(&self.folded, start, &mut self.units);
    }
}

/// One text while it is read into an address.
struct Normalizer<'a> {
    reference: ReferenceData<'a>,
    text: &'a str,
    scratch: &'a mut NormalizeScratch,
    address: &'a mut Address,
    work: &'a WorkBudget<'a>,
}

impl<'a> Normalizer<'a> {
    fn read(&mut self, beside: Option<PostalCode>) -> Result<(), StopReason> {
        for number in 0..self.scratch.decorations.len() {
            let (start, end) = self.decoration_bytes(number);
            self.scratch.spans.push(Span { kind: SpanKind::Unplaced, start, end });
        }
        let start = self.read_postal_code(beside);
        let is_found = self.find_area(start)?;
        if self.use_place_of_code(start) || is_found {
            self.write_area();
            let tail_start = self.write_town();
            self.read_tail(tail_start);
        }
        cover(self.text, &mut self.scratch.spans, &mut self.address.spans);
        Ok(())
    }

    /// Finds the area; `false` if the text has none. It is sought from `start` on, then wherever a name may begin.
    fn find_area(&mut self, start: usize) -> Result<bool, StopReason> {
        let scratch = &mut *self.scratch;
        let text = scratch.units.as_slice();
        let gazetteer = self.reference.gazetteer;
        area::locate(gazetteer, text, start, &scratch.hint, &mut scratch.area);
        if scratch.area.candidates.is_empty() {
            let named = scratch.area.prefecture.as_ref().map(|it| (it.code, it.name.end));
            let position = named.map_or(start, |(_, end)| end);
            let inside = named.map(|(code, _)| gazetteer.cities_in(code.into()));
            let hinted = scratch.hint.iter().copied().filter(|_| named.is_none());
            let cities = inside.into_iter().flatten().chain(hinted);
            area::locate_town(gazetteer, text, position, cities, 2, &mut scratch.area);
        }
        choose_by_lot(gazetteer, text, &mut scratch.area);
        if scratch.hint.is_empty() && area::is_rather_town(gazetteer, text, &scratch.area) {
            scratch.area.clear();
            return Ok(false);
        }
        read_old_address(gazetteer, text, &mut scratch.area);
        if correct::may_be_misspelt(text, &scratch.area) {
            self.work.spend(UNITS_PER_COUNTRY)?;
            let evidence = Evidence {
                reference: self.reference,
                source: self.text,
                folded: &scratch.folded,
                text,
                start,
                cities_of_code: &scratch.hint,
                towns_of_code: &scratch.towns_of_code,
            };
            correct::improve(evidence, &mut scratch.area, &mut self.address.suspects);
        }
        if scratch.area.candidates.is_empty() && self.read_place(start)? {
            return Ok(true);
        }
        let scratch = &mut *self.scratch;
        let text = scratch.units.as_slice();
        if !scratch.area.is_empty() {
            return Ok(true);
        }
        for position in start + 1..text.len().min(start + STARTS_MAX) {
            let before = text[position - 1];
            let set_off = before.last < text[position].first || !is_name(before.code);
            area::locate(gazetteer, text, position, &scratch.hint, &mut scratch.area);
            let area = &scratch.area;
            // Other text rarely contains a whole prefecture; a municipality counts only together with its town.
            let full = area.prefecture.is_some() && !area.candidates.is_empty();
            if full || area.has_town() && (set_off || !ends_area(before.code)) {
                return Ok(true);
            }
        }
        scratch.area.clear();
        // 三軒茶屋2-11-22: a town that exists once in the country.
        let cities = 0..gazetteer.city_count();
        let has_lot = text[start..].iter().take(NAME_MAX).any(|unit| unit.is_figure());
        if !has_lot {
            return Ok(false);
        }
        self.work.spend(UNITS_PER_COUNTRY)?;
        Ok(area::locate_town(gazetteer, text, start, cities, 3, &mut scratch.area))
    }

    /// Makes the place that the text names in kana or Roman letters the area; `false` if it names none.
    fn read_place(&mut self, start: usize) -> Result<bool, StopReason> {
        let NormalizeScratch { folded, units, area, .. } = &mut *self.scratch;
        let named = area.prefecture.as_ref().map(|named| (u32::from(named.code), named.name.end));
        let begin = named.map_or(start, |(_, end)| end);
        let Some(text) = ReadText::new(self.text, folded, units, begin) else { return Ok(false) };
        self.work.spend(UNITS_PER_COUNTRY)?;
        let inside = named.map(|(code, _)| code);
        let Some(mut place) = reading::find(self.reference, &text, inside) else {
            return Ok(false);
        };
        // A long text is read in two parts.
        if place.town.is_none()
            && let Some(rest) = ReadText::new(self.text, folded, units, place.city_end)
            && let [(town, end)] = reading::towns_of(self.reference, &rest, place.city)[..]
        {
            (place.town, place.end) = (Some(town), end);
        }
        let kind = CorrectionKind::Reading;
        let city_start = place.prefecture.map_or(begin, |(_, end)| end);
        if place.prefecture.is_some() {
            let (component, range) = (Component::Prefecture, begin..city_start);
            area.corrections.push(AreaCorrection { kind, component, range });
        }
        let name = city_start..place.city_end;
        let (component, range) = (Component::City, name.clone());
        area.corrections.push(AreaCorrection { kind, component, range });
        area.candidates.push(Candidate { city: place.city, town: place.town, since: None });
        area.form = Some(AreaForm::WithoutCounty);
        area.name = name;
        area.below = TownMatch {
            town: place.town,
            name: place.city_end..place.end,
            end: place.end,
            corrected: place.town.map(|_| (kind, None)),
            ..TownMatch::default()
        };
        Ok(true)
    }

    /// Writes prefecture, county, city and ward, and sets how precise the address is.
    fn write_area(&mut self) {
        let area = std::mem::take(&mut self.scratch.area);
        if let Some(PrefectureMatch { code, city, name }) = area.prefecture.clone() {
            self.add_span(SpanKind::Part(Component::Prefecture), name);
            self.address.level = MatchLevel::Prefecture(u32::from(code));
            if let Some(city) = self.reference.city(city) {
                self.address.set(Component::Prefecture, city.prefecture().name.text);
            }
        }
        let first = area.candidates.first().and_then(|first| self.reference.city(first.city));
        if let Some(city) = first {
            self.write_city(&area, city);
            self.write_area_corrections(&area, city);
        }
        self.scratch.area = area;
    }

    /// Writes the parts of the municipality's name on which all candidates agree. `city` is the first of them.
    fn write_city(&mut self, area: &Area, city: CityView<'a>) {
        let one = area.candidates.len() == 1;
        let reference = self.reference;
        let others = area.candidates[1..].iter().filter_map(|other| reference.city(other.city));
        let agree = |name: fn(CityView<'a>) -> NameView<'a>| {
            others.clone().all(|other| name(other).name.text == name(city).name.text)
        };
        let form = area.form.unwrap_or(AreaForm::Full);
        let component = match form {
            AreaForm::County => Component::County,
            AreaForm::Ward => Component::CityWard,
            _ => Component::City,
        };
        self.add_area_spans(area, city, component);
        if form == AreaForm::Former {
            let read = self.byte_range(area.name.clone());
            let today = if one { city.city() } else { city.city_without_county_and_ward() };
            let why = (CorrectionKind::OldName, area.candidates[0].since);
            self.address.add_correction(why, component, read, today.name.text);
        }
        if agree(CityView::prefecture) {
            self.address.set(Component::Prefecture, city.prefecture().name.text);
        }
        if agree(CityView::county) {
            self.address.set(Component::County, city.county().name.text);
        }
        if form == AreaForm::County {
            return;
        }
        if agree(CityView::city_without_county_and_ward) {
            let name = city.city_without_county_and_ward().name.text;
            self.address.set(Component::City, name);
        }
        if one && !(form == AreaForm::WithoutWard && area.below.town.is_none()) {
            self.address.set(Component::CityWard, city.city_ward().name.text);
        }
        let number = |city: usize| u32::try_from(city).unwrap_or(u32::MAX);
        self.address.level = match area.candidates.as_slice() {
            [one] => MatchLevel::City(number(one.city)),
            several => {
                self.address.cities.extend(several.iter().map(|other| number(other.city)));
                let towns = several.iter().filter_map(|other| other.town);
                self.address.towns.extend(towns.map(number));
                MatchLevel::Cities
            }
        };
    }

    /// Records the names of the area that are other ones in the text.
    fn write_area_corrections(&mut self, area: &Area, city: CityView<'_>) {
        for AreaCorrection { kind, component, range } in &area.corrections {
            let name = match component {
                Component::Prefecture => city.prefecture(),
                Component::CityWard => city.city_ward(),
                _ => city.city_without_county_and_ward(),
            };
            let read = self.byte_range(range.clone());
            self.address.add_correction((*kind, None), *component, read, name.name.text);
            if *component == Component::Prefecture {
                self.add_span(SpanKind::Part(Component::Prefecture), range.clone());
            }
        }
    }

    /// Adds the spans of county, city and ward.
    fn add_area_spans(&mut self, area: &Area, city: CityView<'_>, component: Component) {
        let Range { mut start, end } = area.name;
        let full = area.form == Some(AreaForm::Full);
        if full && !city.county().name.text.is_empty() {
            let county = start..self.position_after('郡', start..end);
            start = county.end;
            self.add_span(SpanKind::Part(Component::County), county);
        }
        if full && !city.city_ward().name.text.is_empty() {
            let alone = self.position_after('市', start..end);
            self.add_span(SpanKind::Part(Component::City), start..alone);
            self.add_span(SpanKind::Part(Component::CityWard), alone..end);
        } else {
            self.add_span(SpanKind::Part(component), start..end);
        }
    }

    /// The position after the first of these marks in a name; its start if it has none.
    fn position_after(&self, mark: char, name: Range<usize>) -> usize {
        let length = length_with_mark(&self.scratch.units[name.clone()], mark);
        name.start + length.unwrap_or(0)
    }

    /// Writes the town with its koaza, and the street. Returns the index of the folded character after them.
    fn write_town(&mut self) -> usize {
        let below = self.scratch.area.below.clone();
        let end = self.scratch.area.end();
        let after_chome = counter::after_chome(&self.scratch.units, below.end);
        self.address.details.has_chome = after_chome.is_some();
        if let Some(street) = below.street.clone() {
            self.write_street(street);
        }
        if let Some(town) = below.town {
            if self.scratch.area.candidates.len() == 1 {
                self.set_details(town, &below, after_chome);
                self.address.level = MatchLevel::Town(u32::try_from(town).unwrap_or(u32::MAX));
            }
            let record = self.reference.record_of_town(town);
            let name = record.map(|record| record.town().name.text).unwrap_or_default();
            self.address.set(Component::Town, name);
            if let Some(why) = below.corrected {
                let read = self.byte_range(below.name.clone());
                self.address.add_correction(why, Component::Town, read, name);
            }
            self.add_span(SpanKind::Part(Component::Town), below.name);
        }
        if let Some((_, koaza)) = below.koaza {
            self.append_aza(self.byte_range(koaza.clone()));
            self.add_span(SpanKind::Part(Component::Town), koaza);
        }
        end.checked_sub(1).map_or(0, |last| self.scratch.units[last].last as usize)
    }

    /// Records the details that distinguish the rows of the town.
    fn set_details(&mut self, town: usize, below: &TownMatch, after_chome: Option<usize>) {
        let gazetteer = self.reference.gazetteer;
        let units = &self.scratch.units;
        let details = &mut self.address.details;
        details.koaza = below.koaza.as_ref().map(|(koaza, _)| *koaza);
        details.jiwari = counter::jiwari(&units[below.end.min(units.len())..]);
        let side = |position: usize| {
            let koaza = gazetteer.details_of(town, DetailKind::Koaza);
            match_names(&gazetteer.detail_names, koaza, units, position, Tolerance::Literal)
                .longest()
        };
        let number_end = counter::figures_end(units, below.end);
        let start = number_end + usize::from(is_dash_at(units, number_end));
        let has_name = number_end > below.end && code_at(units, start).is_some_and(is_name);
        if let Some(start) = after_chome {
            details.side = side(start).map_or(0..0, Hit::names);
        } else if has_name
            && let Some(hit) = side(start)
            && is_figure_at(units, hit.end)
        {
            details.side = hit.names();
            details.has_chome = true;
            self.scratch.side = Some(number_end..hit.end);
        }
    }

    /// Writes the Kyoto street as the text spells it, without separators and with 上る for 上ル.
    fn write_street(&mut self, street: Range<usize>) {
        let units = &self.scratch.units;
        let first = kyoto::first_street(units, street.clone());
        self.address.details.street.extend(kyoto::street_key(codes(&units[first.clone()])));
        let several = first.end < street.end;
        let raw = self.raw(self.byte_range(street.clone()));
        self.address.set_with(Component::KyotoStreet, |out| {
            let mut before = ' ';
            let stays =
                |character: &char| !is_separator(*character) || several && *character == '、';
            for character in raw.trim_end_matches('、').chars().filter(stays) {
                let rewritten = match character {
                    'ル' | 'ﾙ' if matches!(before, '上' | '下' | '入') => 'る',
                    other => other,
                };
                out.push(rewritten);
                before = character;
            }
        });
        self.add_span(SpanKind::Part(Component::KyotoStreet), street);
    }

    /// Adds a span for these units; none if there are no units, several if a text in the English order has them apart.
    fn add_span(&mut self, kind: SpanKind, units: Range<usize>) {
        let mut first = units.start;
        for next in units.start + 1..=units.end {
            if next == units.end || self.is_turned_around(next) {
                let (start, end) = self.byte_range(first..next);
                self.scratch.spans.push(Span { kind, start, end });
                first = next;
            }
        }
    }

    /// Whether a unit stands before the one before it in the text.
    fn is_turned_around(&self, unit: usize) -> bool {
        let NormalizeScratch { units, folded, .. } = &*self.scratch;
        let start = |unit: usize| {
            let unit = units.get(unit)?;
            folded.get(unit.first as usize).map(|folded| folded.start)
        };
        start(unit).zip(start(unit - 1)).is_some_and(|(here, before)| here < before)
    }

    /// The byte range of some units; empty for none.
    fn byte_range(&self, range: Range<usize>) -> (u32, u32) {
        let (units, folded) = (&self.scratch.units, &self.scratch.folded);
        let first = units.get(range.start).and_then(|unit| folded.get(unit.first as usize));
        let last = range.end.checked_sub(1).and_then(|last| units.get(last));
        let last = last.and_then(|unit| folded.get((unit.last as usize).checked_sub(1)?));
        match (first, last) {
            (Some(first), Some(last)) if range.start < range.end && first.start <= last.end => {
                (first.start, last.end)
            }
            _ => (0, 0),
        }
    }

    /// The byte range of a decoration.
    fn decoration_bytes(&self, number: usize) -> (u32, u32) {
        let Range { start, end } = self.scratch.decorations[number].clone();
        (self.scratch.folded[start].start, self.scratch.folded[end - 1].end)
    }

    /// The text of some bytes.
    fn raw(&self, (start, end): (u32, u32)) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Of several municipalities with a town of the name in the text, keeps the only one in which the lot is possible: three
/// numbers, or a 丁目, need a town that is counted in 丁目, and a large first number one that is not.
fn choose_by_lot(gazetteer: &ArchivedGazetteer, text: &[Unit], area: &mut Area) {
    if area.is_certain() || !area.has_town() {
        return;
    }
    let Some(needs_chome) = counter::needs_chome(text, area.end()) else { return };
    let fits = |candidate: &Candidate| {
        candidate.town.is_some_and(|town| gazetteer.with_chome[town] == needs_chome)
    };
    let mut fitting = area.candidates.iter().copied().filter(fits);
    if let (Some(only), None) = (fitting.next(), fitting.next()) {
        area.candidates = vec![only];
        area.below.town = only.town;
    }
}

/// Reads the old address in brackets directly behind a municipality: 大阪市中央区（大阪市東区上町一丁目1番20号）.
fn read_old_address(gazetteer: &ArchivedGazetteer, text: &[Unit], area: &mut Area) {
    let open = area.end();
    let is_open = code_at(text, open) == Some(unit('('));
    if !is_open || area.has_town() || area.candidates.is_empty() {
        return;
    }
    let mut inside = Area::default();
    area::locate(gazetteer, text, open + 1, &[], &mut inside);
    let is_known = |city: usize| area.candidates.iter().any(|known| known.city == city);
    if let [only] = inside.candidates[..]
        && inside.has_town()
        && is_known(only.city)
    {
        area.candidates = vec![only];
        area.below = inside.below;
    }
}

/// A letter that ends an area's name: a name after it is the next level, not a new address.
fn ends_area(code: u16) -> bool {
    "都道府県市郡区町村".encode_utf16().any(|letter| letter == code)
}
