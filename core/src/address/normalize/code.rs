//! The postal code in a text or beside it, and the place that it names where the text names none.
//!
//! A code that a spreadsheet changed is read as the code that it was: 600042 lost its first zero, 1500043.0 is a number.
//! The text takes precedence: a code only completes a text that is a lot, a building or a business.

use super::{Normalizer, ends_area};
use crate::address::area::Candidate;
use crate::address::name_match::is_name;
use crate::address::reference::ReferenceData;
use crate::address::result::{Component, CorrectionKind, SpanKind};
use crate::address::town::TownMatch;
use crate::address::units::{Unit, code_at, codes, is_dash, is_figure_at, key, unit};
use crate::text::codes::PostalCode;

/// The place that all records of a code share.
struct CodePlace {
    city: usize,
    /// `None` if the code stands for several towns.
    town: Option<usize>,
    /// Whether the text has the name of its business.
    is_named: bool,
}

impl Normalizer<'_> {
    /// Records the postal code at the beginning, or else the one beside the text. Returns the position after it in the
    /// text; 0 if the text has none.
    pub(super) fn read_postal_code(&mut self, beside: Option<PostalCode>) -> usize {
        let text = &self.scratch.units;
        let mut position = 0;
        while text.get(position).is_some_and(|unit| !unit.is_digit()) && position < 6 {
            // 〒, 郵便番号, brackets.
            position += 1;
        }
        let before = &text[..position];
        let is_marked = codes(before).any(|code| code == unit('〒'));
        let may_begin = position == 0 || is_marked || codes(before).eq("郵便番号".encode_utf16());
        let found = if may_begin {
            parse_postal_code(text, position)
                .or_else(|| parse_shortened(self.reference, text, position))
        } else {
            None
        };
        let Some(code) = found.map(|(code, _)| code).or(beside) else { return 0 };
        self.address.postal_code = Some(code);
        for record in self.reference.records_of_code(code) {
            let city = record.city_number();
            self.scratch.hint.push(city);
            if record.corporation().is_none() {
                let name = key(record.town().name.text);
                let town = self.reference.gazetteer.town_with_key(city, &name);
                self.scratch.towns_of_code.extend(town);
            }
        }
        let Some((_, end)) = found else { return 0 };
        self.add_span(SpanKind::PostalCode, position..end);
        end
    }

    /// Makes the place of the postal code the area, if the text from `start` on names none, or only an area that
    /// contains it. Returns whether it did.
    pub(super) fn use_place_of_code(&mut self, start: usize) -> bool {
        let area = &self.scratch.area;
        let Some(code) = self.address.postal_code.filter(|_| !area.has_town()) else {
            return false;
        };
        let text = self.scratch.units.as_slice();
        if start >= text.len() || area.below.street.is_some() {
            return false;
        }
        let Some(place) = place_of_code(self.reference, code, &text[start..]) else { return false };
        let tail = if place.is_named { start } else { area.end().max(start) };
        let prefecture = self.reference.gazetteer.cities[place.city].prefecture;
        let agrees = area.prefecture.as_ref().is_none_or(|named| named.code == prefecture)
            && (area.candidates.is_empty()
                || area.candidates.iter().any(|candidate| candidate.city == place.city));
        let is_city_named = !area.candidates.is_empty();
        let names_no_area = || {
            let mut name = text[tail..].iter().take_while(|next| !next.is_figure());
            !name.any(|next| ends_area(next.code))
        };
        let is_lot = is_figure_at(text, tail);
        if !agrees || !(place.is_named || is_lot || !is_city_named && names_no_area()) {
            return false;
        }
        let area = &mut self.scratch.area;
        if place.is_named {
            area.prefecture = None;
            area.name = start..start;
        }
        if area.candidates.is_empty() {
            area.form = None;
            area.name = tail..tail;
        }
        area.candidates.clear();
        area.candidates.push(Candidate { city: place.city, town: place.town, since: None });
        area.below = TownMatch {
            town: place.town,
            name: tail..tail,
            end: tail,
            corrected: Some((CorrectionKind::Completed, None)),
            ..TownMatch::default()
        };
        if area.form.is_none()
            && let Some(city) = self.reference.city(place.city)
        {
            let why = (CorrectionKind::Completed, None);
            let name = city.city_without_county_and_ward().name.text;
            self.address.add_correction(why, Component::City, (0, 0), name);
        }
        self.address.is_from_code = true;
        true
    }
}

/// The place of a code; `None` if its records are in several municipalities. `text` is the text beside it.
fn place_of_code(
    reference: ReferenceData<'_>,
    code: PostalCode,
    text: &[Unit],
) -> Option<CodePlace> {
    let mut records = reference.records_of_code(code);
    let first = records.clone().next()?;
    let (city, name) = (first.city_number(), first.town().name.text);
    if records.clone().any(|record| record.city_number() != city) {
        return None;
    }
    let is_one = !name.is_empty() && records.clone().all(|it| it.town().name.text == name);
    let town = || {
        let of_name = |name: &str| reference.gazetteer.town_with_key(city, &key(name));
        of_name(name).or_else(|| of_name(&format!("{name}町")))
    };
    let written: Vec<u16> = codes(text).take_while(|code| is_name(*code)).collect();
    let is_named = written.len() > 1
        && records.any(|record| {
            let business = record.corporation().map(|business| key(business.name().text));
            let business = business.unwrap_or_default();
            business.windows(written.len()).any(|part| part == written)
                || business.len() > 1 && written.starts_with(&business)
        });
    Some(CodePlace { city, town: is_one.then(town).flatten(), is_named })
}

/// The postal code of which the digits begin at a position, and the position after it.
fn parse_postal_code(text: &[Unit], position: usize) -> Option<(PostalCode, usize)> {
    let mut digits = [0u8; 7];
    let (mut position, mut count) = (position, 0);
    while count < digits.len() {
        let found = text.get(position)?;
        if found.is_figure() {
            digits[count] = found.code as u8;
            count += 1;
        } else if count != 3 || found.is_digit() || is_name(found.code) && !is_dash(found.code) {
            return None;
        }
        position += 1;
    }
    if text[position - 1].is_inner_digit {
        return None;
    }
    let code = PostalCode::parse(std::str::from_utf8(&digits).ok()?).ok()?;
    // 1500043.0: a spreadsheet's number.
    let is_decimal = code_at(text, position) == Some(unit('.'))
        && code_at(text, position + 1) == Some(unit('0'))
        && !is_figure_at(text, position + 2);
    Some((code, position + if is_decimal { 2 } else { 0 }))
}

/// A code of the data without its first zero, and the position after it: 600042 札幌市.
fn parse_shortened(
    reference: ReferenceData<'_>,
    text: &[Unit],
    position: usize,
) -> Option<(PostalCode, usize)> {
    let digits = text.get(position..position + 6)?;
    let is_followed = text.get(position + 6).is_some_and(|next| is_name(next.code));
    if !digits.iter().all(|digit| digit.is_figure()) || !is_followed {
        return None;
    }
    let code = String::from_utf16_lossy(&codes(digits).collect::<Vec<u16>>());
    let code = PostalCode::parse(&format!("0{code}")).ok()?;
    reference.rows_of_code(code).next().map(|_| (code, position + 6))
}
