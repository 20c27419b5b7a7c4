//! Turns a text into an [`Address`]: finds where the address begins, what each part names, and the values as
//! spelled in the data.
//!
//! The parts are recorded in text order as they are read; the gaps become separators or unplaced, so that the spans
//! always cover the text.

mod behind_town;

use std::ops::Range;

use super::area::{self, Area};
use super::gazetteer::{ArchivedForm as Form, ArchivedGazetteer, Kind};
use super::result::{Address, Component, CorrectionKind, MatchLevel, Piece, Span};
use super::tail::Tail;
use super::units::{Unit, is_dash, is_separator, unit, units};
use super::walk::{Style, is_name, walk};
use super::{counter, cover::cover, kyoto, town::TownMatch};
use crate::index::exact::ArchivedCodeIndex;
use crate::record::postal::archive::ArchivedPostalTables;
use crate::record::postal::{CityView, PostalView};
use crate::record::strings::ArchivedStringTable;
use crate::text::codes::PostalCode;
use crate::text::fold::{Folded, Level, fold};

/// Upper bound on the start positions tried in one text.
const STARTS_MAX: usize = 200;
/// Longest name of a town, in units.
const NAME_MAX: usize = 24;

/// The sections of one version that addresses are compared with.
#[derive(Clone, Copy)]
pub struct Reference<'s> {
    pub gazetteer: &'s ArchivedGazetteer,
    pub tables: &'s ArchivedPostalTables,
    pub strings: &'s ArchivedStringTable,
    pub codes: &'s ArchivedCodeIndex,
}

impl<'s> Reference<'s> {
    fn city(self, number: usize) -> Option<CityView<'s>> {
        CityView::of(self.tables, self.strings, number)
    }

    pub(super) fn record(self, row: u32) -> Option<PostalView<'s>> {
        PostalView::of(self.tables, self.strings, row as usize)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Scratch {
    folded: Vec<Folded>,
    units: Vec<Unit>,
    area: Area,
    tail: Tail,
    hint: Vec<usize>,
    marks: Vec<Span>,
    aza: Vec<Folded>,
    /// The tail without the parts that were cut out of it.
    rest: Vec<Folded>,
    /// The units of a side between the numbers of a lot: 北 in 南郷通7北1-1.
    side: Option<Range<usize>>,
}

pub fn normalize(
    reference: Reference<'_>,
    text: &str,
    scratch: &mut Scratch,
    address: &mut Address,
) {
    address.clear(text);
    scratch.clear();
    fold(text, Level::Address, &mut scratch.folded);
    units(&scratch.folded, &mut scratch.units);
    Reading { reference, text, scratch, address }.read();
}

impl Scratch {
    fn clear(&mut self) {
        self.folded.clear();
        self.units.clear();
        self.area.clear();
        self.hint.clear();
        self.side = None;
        self.marks.clear();
    }
}

struct Reading<'a> {
    reference: Reference<'a>,
    text: &'a str,
    scratch: &'a mut Scratch,
    address: &'a mut Address,
}

impl Reading<'_> {
    fn read(&mut self) {
        let start = self.postal_code();
        if self.find_area(start) {
            self.name_area();
            let behind = self.name_town();
            self.read_tail(behind);
        }
        cover(self.text, &mut self.scratch.marks, &mut self.address.spans);
    }

    /// Records a postal code at the beginning and returns the unit after it.
    fn postal_code(&mut self) -> usize {
        let text = &self.scratch.units;
        let mut at = 0;
        while text.get(at).is_some_and(|unit| !unit.is_digit()) && at < 6 {
            // 〒, 郵便番号, brackets.
            at += 1;
        }
        let mark = text[..at].iter().any(|found| found.code == unit('〒'));
        if at > 0 && !mark && !text[..at].iter().map(|unit| unit.code).eq("郵便番号".encode_utf16())
        {
            return 0;
        }
        let Some((code, end)) = postal_code(text, at) else { return 0 };
        self.address.postal_code = Some(code);
        let rows = self.reference.codes.find(code.number());
        let cities = rows.iter().filter_map(|row| self.reference.record(row.to_native()));
        self.scratch.hint.extend(cities.map(|record| record.city_number()));
        self.note(Piece::PostalCode, at, end);
        end
    }

    fn find_area(&mut self, start: usize) -> bool {
        let scratch = &mut *self.scratch;
        let text = scratch.units.as_slice();
        let gazetteer = self.reference.gazetteer;
        area::locate(gazetteer, text, start, &scratch.hint, &mut scratch.area);
        if scratch.area.candidates.is_empty() {
            let named = scratch.area.prefecture.as_ref().map(|(code, _, name)| (*code, name.end));
            let at = named.map_or(start, |(_, end)| end);
            let inside = |city: &usize| {
                let city_prefecture = gazetteer.cities[*city].prefecture;
                named.is_some_and(|(prefecture, _)| prefecture == city_prefecture)
            };
            let cities = (0..gazetteer.cities.len() - 1).filter(inside);
            let hinted = scratch.hint.iter().copied().filter(|_| named.is_none());
            let cities = cities.chain(hinted);
            area::locate_town(gazetteer, text, at, cities, 2, &mut scratch.area);
        }
        if !scratch.area.is_empty() {
            return true;
        }
        for at in start + 1..text.len().min(start + STARTS_MAX) {
            let before = text[at - 1];
            let set_off = before.last < text[at].first || !is_name(before.code);
            area::locate(gazetteer, text, at, &scratch.hint, &mut scratch.area);
            let area = &scratch.area;
            // Other text rarely contains a whole prefecture; a municipality counts only together with its town.
            let full = area.prefecture.is_some() && !area.candidates.is_empty();
            if full || area.has_town() && (set_off || !ends_area(before.code)) {
                return true;
            }
        }
        scratch.area.clear();
        // 三軒茶屋2-11-22: a town that exists once in the country.
        let cities = 0..gazetteer.cities.len() - 1;
        let has_lot = text[start..].iter().take(NAME_MAX).any(|unit| unit.is_figure());
        has_lot && area::locate_town(gazetteer, text, start, cities, 3, &mut scratch.area)
    }

    fn name_area(&mut self) {
        let area = std::mem::take(&mut self.scratch.area);
        if let Some((prefecture, city, name)) = area.prefecture.clone() {
            self.note(Piece::Part(Component::Prefecture), name.start, name.end);
            self.address.level = MatchLevel::Prefecture(u32::from(prefecture));
            if let Some(city) = self.reference.city(city) {
                self.address.set(Component::Prefecture, city.prefecture().name.text);
            }
        }
        let first = area.candidates.first().and_then(|first| self.reference.city(first.city));
        if let Some(city) = first {
            self.name_city(&area, city);
        }
        self.scratch.area = area;
    }

    fn name_city(&mut self, area: &Area, city: CityView<'_>) {
        let one = area.candidates.len() == 1;
        let others = area.candidates.iter().filter_map(|other| self.reference.city(other.city));
        let agree = |name: &dyn Fn(CityView<'_>) -> String| {
            let expected = name(city);
            others.clone().all(|other| name(other) == expected)
        };
        let text = |name: crate::record::postal::view::NameView<'_>| name.name.text.to_owned();
        let prefecture = one || agree(&|city| text(city.prefecture()));
        let county = one || agree(&|city| text(city.county()));
        let alone = one || agree(&|city| text(city.city_without_county_and_ward()));
        let form = area.form.unwrap_or(Form::Full);
        let component = match form {
            Form::County => Component::County,
            Form::Ward => Component::CityWard,
            _ => Component::City,
        };
        self.note_area(area, city, component);
        if form == Form::Former {
            let read = self.bytes(area.name.start, area.name.end);
            let today = if one { city.city() } else { city.city_without_county_and_ward() };
            let since = area.candidates[0].since;
            let why = (CorrectionKind::OldName, since);
            self.address.correct(why, component, read, today.name.text);
        }
        if prefecture {
            self.address.set(Component::Prefecture, city.prefecture().name.text);
        }
        if county {
            self.address.set(Component::County, city.county().name.text);
        }
        if form == Form::County {
            return;
        }
        if alone {
            let name = city.city_without_county_and_ward().name.text;
            self.address.set(Component::City, name);
        }
        if one && !(form == Form::WithoutWard && area.below.town.is_none()) {
            self.address.set(Component::CityWard, city.city_ward().name.text);
        }
        let number = |city: usize| u32::try_from(city).unwrap_or(u32::MAX);
        self.address.level = match area.candidates.as_slice() {
            [one] => MatchLevel::City(number(one.city)),
            several => {
                self.address.cities.extend(several.iter().map(|other| number(other.city)));
                MatchLevel::Cities
            }
        };
    }

    fn note_area(&mut self, area: &Area, city: CityView<'_>, component: Component) {
        let (mut start, end) = (area.name.start, area.name.end);
        let behind = |text: &[Unit], start: usize, mark: char| {
            let mark = text[start..end].iter().skip(1).position(|found| found.code == unit(mark));
            mark.map_or(start, |mark| start + mark + 2)
        };
        let full = area.form == Some(Form::Full);
        if full && !city.county().name.text.is_empty() {
            let county = behind(&self.scratch.units, start, '郡');
            self.note(Piece::Part(Component::County), start, county);
            start = county;
        }
        if full && !city.city_ward().name.text.is_empty() {
            let alone = behind(&self.scratch.units, start, '市');
            self.note(Piece::Part(Component::City), start, alone);
            self.note(Piece::Part(Component::CityWard), alone, end);
        } else {
            self.note(Piece::Part(component), start, end);
        }
    }

    /// Writes the town with its koaza, and the street. Returns the folded character after them.
    fn name_town(&mut self) -> usize {
        let below = self.scratch.area.below.clone();
        let end = self.scratch.area.end();
        let behind_chome = counter::behind_chome(&self.scratch.units, below.end);
        self.address.details.has_chome = behind_chome.is_some();
        let Some(town) = below.town else {
            if let Some(street) = below.street.clone() {
                self.name_street(street);
            }
            return self.folded_end(end);
        };
        self.note_details(town, &below, behind_chome);
        self.address.level = MatchLevel::Town(u32::try_from(town).unwrap_or(u32::MAX));
        let row = self.reference.gazetteer.first_row(town);
        let record = row.and_then(|row| self.reference.record(row));
        let name = record.map(|record| record.town().name.text).unwrap_or_default();
        self.address.set(Component::Town, name);
        if let Some(why) = below.corrected {
            let read = self.bytes(below.name.start, below.name.end);
            self.address.correct(why, Component::Town, read, name);
        }
        if let Some(street) = below.street.clone() {
            self.name_street(street);
        }
        self.note(Piece::Part(Component::Town), below.name.start, below.name.end);
        if let Some((_, koaza)) = &below.koaza {
            let bytes = self.bytes(koaza.start, koaza.end);
            self.append_aza(bytes);
            self.note(Piece::Part(Component::Town), koaza.start, koaza.end);
        }
        self.folded_end(end)
    }

    fn note_details(&mut self, town: usize, below: &TownMatch, behind_chome: Option<usize>) {
        let gazetteer = self.reference.gazetteer;
        let units = &self.scratch.units;
        let details = &mut self.address.details;
        details.koaza = below.koaza.as_ref().map(|(koaza, _)| *koaza);
        details.jiwari = counter::jiwari(&units[below.end.min(units.len())..]);
        let side = |at: usize| {
            let koaza = gazetteer.details_of(town, Kind::Koaza);
            walk(&gazetteer.detail_names, koaza, units, at, Style::Literal).longest()
        };
        if let Some(behind) = behind_chome {
            details.side = side(behind).map_or(0..0, |hit| hit.name..hit.name + hit.count);
        } else if let Some(start) = counter::behind_number(units, below.end)
            && units.get(start).is_some_and(|next| is_name(next.code))
            && let Some(hit) = side(start)
            && units.get(hit.end).is_some_and(|next| next.is_figure())
        {
            details.side = hit.name..hit.name + hit.count;
            details.has_chome = true;
            self.scratch.side = Some(counter::with_dash(units, start)..hit.end);
        }
    }

    fn name_street(&mut self, street: Range<usize>) {
        let units = &self.scratch.units;
        let first = kyoto::first_street(units, street.clone());
        kyoto::write_street_key(&units[first.clone()], &mut self.address.details.street);
        let several = first.end < street.end;
        let (start, end) = self.bytes(street.start, street.end);
        let text = self.text;
        let raw = text.get(start as usize..end as usize).unwrap_or_default();
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
        self.note(Piece::Part(Component::KyotoStreet), street.start, street.end);
    }

    fn note(&mut self, piece: Piece, start: usize, end: usize) {
        let (start, end) = self.bytes(start, end);
        self.scratch.marks.push(Span { piece, start, end });
    }

    /// The byte range of some units; empty for none.
    fn bytes(&self, start: usize, end: usize) -> (u32, u32) {
        let (units, folded) = (&self.scratch.units, &self.scratch.folded);
        let first = units.get(start).and_then(|unit| folded.get(unit.first as usize));
        let last = end.checked_sub(1).and_then(|last| units.get(last));
        let last = last.and_then(|unit| folded.get((unit.last as usize).checked_sub(1)?));
        match (first, last) {
            (Some(first), Some(last)) if start < end => (first.start, last.end),
            _ => (0, 0),
        }
    }

    fn folded_end(&self, end: usize) -> usize {
        end.checked_sub(1).map_or(0, |last| self.scratch.units[last].last as usize)
    }
}

/// A letter that ends an area's name: a name after it is the next level, not a new address.
fn ends_area(code: u16) -> bool {
    "都道府県市郡区町村".encode_utf16().any(|letter| letter == code)
}

fn postal_code(text: &[Unit], at: usize) -> Option<(PostalCode, usize)> {
    let mut digits = [0u8; 7];
    let (mut place, mut count) = (at, 0);
    while count < digits.len() {
        let found = text.get(place)?;
        if found.is_figure() {
            digits[count] = found.code as u8;
            count += 1;
        } else if count != 3 || found.is_digit() || is_name(found.code) && !is_dash(found.code) {
            return None;
        }
        place += 1;
    }
    if text[place - 1].within {
        return None;
    }
    let code = PostalCode::parse(std::str::from_utf8(&digits).ok()?).ok()?;
    Some((code, place))
}
