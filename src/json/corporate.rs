//! Corporate records in JSON: flat with strings up to API version 2023-09-01; with an address object
//! and numbers from 2024-01-01; the cause of closing a number from 2025-01-01.
//!
//! The published date is the date of the full file or difference that the record came from. The number of a qualified
//! invoice issuer is `T` and the corporate number, or `null`. The loaded register decides, else the register that
//! the snapshot was built with; in a snapshot built without one, every corporation has the number.

use std::sync::Arc;

use super::address::write_parts;
use super::fragments::Fragments;
use super::search::{QueryOutcome, write_query_outcome};
use super::write::{
    close_data, date, digits_or_null, eight_digits, member, name_or_null, open_data, push_date,
    push_escaped, push_number, quoted_or_null,
};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::{CorporateView, OfficePlaceView, Reading};
use crate::dataset::invoice::InvoiceData;
use crate::record::Text;
use crate::snapshot::OpenError;
use crate::text::codes::{ApiVersion, CorporateNumber, DataVersion};
use crate::text::{name_form, prefecture};

/// The API version from which the address is an object and codes are numbers.
pub const OBJECT_SINCE: ApiVersion = ApiVersion::V2024_01_01;

pub const CLOSE_CAUSE_NUMBER_SINCE: ApiVersion = ApiVersion::V2025_01_01;

/// The place members of every place of one version of the corporate data, from API version 2024-01-01 on.
#[derive(Debug, Default)]
pub struct PlaceFragments(Fragments);

impl PlaceFragments {
    /// Empty: the members are formatted for each record.
    pub const NONE: &'static PlaceFragments = &PlaceFragments(Fragments::NONE);

    /// Writes the members of every place; some 1,900 of 200 bytes each.
    pub fn new(data: &CorporateData) -> Result<PlaceFragments, Arc<OpenError>> {
        let places = data.places()?.map(|(place, _rows)| place);
        let write = |out: &mut Vec<u8>, place| write_place_members(out, place, Text::EMPTY);
        Ok(PlaceFragments(Fragments::new(places, write)))
    }

    /// The members of this place, unless the record has a name of the prefecture of its own.
    pub fn get(&self, place: OfficePlaceView<'_>, en_prefecture: Text<'_>) -> Option<&[u8]> {
        self.0.get(place.number()?).filter(|_| en_prefecture.text.is_empty())
    }
}

/// Appends the answer with one corporation. Fails only if the register of issuers is damaged.
pub fn write_corporation(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    view: &CorporateView<'_>,
) -> Result<(), Arc<OpenError>> {
    open_data(out, form.version);
    write_corporate_record(out, form, view)?;
    close_data(out);
    Ok(())
}

pub fn write_corporate_search(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    outcome: &QueryOutcome<'_>,
) -> Result<(), Arc<OpenError>> {
    open_data(out, form.version);
    let mut separator = b'[';
    for row in &outcome.found.rows {
        let Some(view) = data.row(*row)? else { continue };
        out.push(separator);
        separator = b',';
        write_corporate_record(out, form, &view)?;
    }
    out.extend_from_slice(if separator == b'[' { b"[]," } else { b"]," });
    write_query_outcome(out, outcome);
    close_data(out);
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct CorporateForm<'a> {
    pub api: ApiVersion,
    pub version: DataVersion,
    pub naming: Naming,
    pub places: &'a PlaceFragments,
    /// The register that decides who is a qualified invoice issuer; without it the record does.
    pub register: Option<&'a InvoiceData>,
}

impl CorporateForm<'_> {
    /// Whether a corporation is a qualified invoice issuer on the day of the data version.
    pub fn is_issuer(&self, view: &CorporateView<'_>) -> Result<bool, Arc<OpenError>> {
        match self.register.filter(|_| self.api >= OBJECT_SINCE) {
            Some(register) => register.is_registered(view.number(), self.version.number()),
            None => Ok(view.is_issuer),
        }
    }
}

impl CorporateForm<'static> {
    /// The form of the newest API version, with names as published and without prepared parts.
    pub fn newest(version: DataVersion) -> CorporateForm<'static> {
        let (naming, places) = (Naming::Published, PlaceFragments::NONE);
        CorporateForm { api: ApiVersion::NEWEST, version, naming, places, register: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    #[default]
    Published,
    /// With half-width letters and digits and one long-vowel mark, see [`name_form`].
    Normalised,
}

pub fn write_corporate_record(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    view: &CorporateView<'_>,
) -> Result<(), Arc<OpenError>> {
    let CorporateForm { api, naming, places, .. } = *form;
    let has_numbers = api >= OBJECT_SINCE;
    let place = if has_numbers { places.get(view.place(), view.en_prefecture()) } else { None };
    date(out, "{\"published_date\":\"", view.published.date());
    code_value(out, "\",\"sequence_number\":", view.sequence_number(), has_numbers);
    out.extend_from_slice(b",\"corporate_number\":\"");
    let number = number_digits(view.number());
    out.extend_from_slice(&number);
    code_value(out, "\",\"process\":", view.process().into(), has_numbers);
    code_value(out, ",\"correct\":", view.correct().into(), has_numbers);
    date(out, ",\"update_date\":\"", view.update_date());
    date(out, "\",\"change_date\":\"", view.change_date());
    out.extend_from_slice(b"\",\"name\":\"");
    push_naming(out, view.name(), naming);
    out.push(b'"');
    digits_or_null::<8>(out, ",\"name_image_id\":", view.name_image());
    code_value(out, ",\"kind\":", view.kind().into(), has_numbers);
    if has_numbers {
        write_address(out, view, place)
    } else {
        write_flat_address(out, view)
    }
    member(out, ",\"address_outside\":\"", view.outside());
    out.push(b'"');
    digits_or_null::<8>(out, ",\"address_outside_image_id\":", view.outside_image());
    write_closing(out, view, api >= CLOSE_CAUSE_NUMBER_SINCE);
    member(out, ",\"change_cause\":\"", view.change_cause());
    date(out, "\",\"assignment_date\":\"", view.assignment_date());
    member(out, "\",\"en_name\":\"", view.en_name());
    if has_numbers {
        out.push(b'"');
        text_or_null(out, ",\"en_address_line\":", view.en_city());
        text_or_null(out, ",\"en_address_outside\":", view.en_outside());
        out.extend_from_slice(b",\"furigana\":\"");
    } else {
        out.extend_from_slice(b"\",\"en_prefecture_name\":\"");
        push_roman(out, view.place(), view.en_prefecture());
        member(out, "\",\"en_address_line\":\"", view.en_city());
        member(out, "\",\"en_address_outside\":\"", view.en_outside());
        out.extend_from_slice(b"\",\"furigana\":\"");
    }
    push_reading(out, view.furigana());
    code_value(out, "\",\"hihyoji\":", view.hihyoji().into(), has_numbers);
    if has_numbers {
        let key = ",\"qualified_invoice_issuer_number\":";
        quoted_or_null(out, key, form.is_issuer(view)?.then_some(number), |out, number| {
            out.push(b'T');
            out.extend_from_slice(&number);
        });
    }
    out.push(b'}');
    Ok(())
}

pub(super) fn push_naming(out: &mut Vec<u8>, name: Text<'_>, naming: Naming) {
    match naming {
        Naming::Published => member(out, "", name),
        Naming::Normalised => push_escaped(out, &name_form::normalised(name.text)),
    }
}

pub(super) fn push_reading(out: &mut Vec<u8>, reading: Reading<'_>) {
    match reading {
        Reading::Text(text) => push_escaped(out, text),
        Reading::Kana(_) => reading.push_to(out),
    }
}

/// The address object, with the prepared members of its place if any, followed by the image.
fn write_address(out: &mut Vec<u8>, view: &CorporateView<'_>, place: Option<&[u8]>) {
    digits_or_null::<7>(out, ",\"address\":{\"postal_code\":", view.post_code());
    match place {
        Some(members) => out.extend_from_slice(members),
        None => write_place_members(out, view.place(), view.en_prefecture()),
    }
    member(out, ",\"street_number\":\"", view.street());
    out.push(b'"');
    write_parts(out, view.parts());
    out.push(b'}');
    digits_or_null::<8>(out, ",\"address_image_id\":", view.address_image());
}

fn write_place_members(out: &mut Vec<u8>, place: OfficePlaceView<'_>, en_prefecture: Text<'_>) {
    digits_or_null::<5>(out, ",\"jisx0402\":", place.jisx0402());
    name_or_null(out, ",\"prefecture\":", place.prefecture());
    let key = ",\"prefecture_kana\":\"\",\"prefecture_roman\":";
    let known = place.prefecture_code().is_some() || !en_prefecture.text.is_empty();
    let roman = known.then_some(place);
    quoted_or_null(out, key, roman, |out, place| push_roman(out, place, en_prefecture));
    name_or_null(out, ",\"city\":", place.city());
    out.extend_from_slice(b",\"city_kana\":\"\",\"city_roman\":\"\"");
}

/// The address members of older versions, with their older names.
fn write_flat_address(out: &mut Vec<u8>, view: &CorporateView<'_>) {
    let place = view.place();
    name_or_null(out, ",\"prefecture_name\":", place.prefecture());
    name_or_null(out, ",\"city_name\":", place.city());
    member(out, ",\"street_number\":\"", view.street());
    out.push(b'"');
    write_parts(out, view.parts());
    digits_or_null::<8>(out, ",\"address_image_id\":", view.address_image());
    digits_or_null::<5>(out, ",\"jisx0402\":", place.jisx0402());
    digits_or_null::<7>(out, ",\"post_code\":", view.post_code());
}

fn write_closing(out: &mut Vec<u8>, view: &CorporateView<'_>, is_cause_number: bool) {
    quoted_or_null(out, ",\"close_date\":", view.close_date(), push_date);
    match view.close_cause() {
        None => out.extend_from_slice(b",\"close_cause\":null"),
        Some(cause) => code_value(out, ",\"close_cause\":", cause.into(), is_cause_number),
    }
    let key = ",\"successor_corporate_number\":";
    quoted_or_null(out, key, view.successor(), push_corporate_number);
}

/// The prefecture as the source writes it in English, else in Roman letters.
fn push_roman(out: &mut Vec<u8>, place: OfficePlaceView<'_>, given: Text<'_>) {
    if !given.text.is_empty() {
        member(out, "", given);
    } else if let Some(roman) = place.prefecture_code().and_then(prefecture::roman) {
        out.extend_from_slice(roman.as_bytes());
    }
}

/// A code without leading zeros, as a number or as a string.
#[inline]
fn code_value(out: &mut Vec<u8>, key: &str, value: u32, is_number: bool) {
    out.extend_from_slice(key.as_bytes());
    match value {
        // Most codes have one digit, which needs no call.
        0..10 if is_number => return out.push(b'0' + value as u8),
        _ if is_number => return push_number(out, value.into()),
        _ => out.push(b'"'),
    }
    push_number(out, value.into());
    out.push(b'"');
}

pub(super) fn push_corporate_number(out: &mut Vec<u8>, number: CorporateNumber) {
    out.extend_from_slice(&number_digits(number));
}

#[inline]
fn number_digits(number: CorporateNumber) -> [u8; CorporateNumber::DIGITS] {
    let number = number.number();
    let mut digits = [0; CorporateNumber::DIGITS];
    // The first eight digits, then the last eight: three are in both.
    digits[..8].copy_from_slice(&eight_digits((number / 100_000) as u32));
    digits[5..].copy_from_slice(&eight_digits((number % 100_000_000) as u32));
    digits
}

#[inline]
fn text_or_null(out: &mut Vec<u8>, key: &str, text: Text<'_>) {
    let text = Some(text).filter(|text| !text.text.is_empty());
    quoted_or_null(out, key, text, |out, text| member(out, "", text));
}
