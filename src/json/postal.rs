//! Postal records in JSON: 20 fields in API version 2022-09-01, 35 in every later one. Municipalities and points.

use std::io::Write as _;
use std::sync::Arc;

use super::fragments::Fragments;
use super::write::{close_data, code, flag, member, open_data, put, quoted_or_null, write_data};
use crate::address::Point;
use crate::dataset::postal::PostalData;
use crate::record::postal::{CityView, CorporationView, PostalView};
use crate::snapshot::OpenError;
use crate::text::codes::{ApiVersion, DataVersion};

/// The members of every municipality of one version of the postal data, from API version 2022-11-01 on.
#[derive(Debug, Default)]
pub struct CityFragments(Fragments);

impl CityFragments {
    /// Empty: the members are formatted for each record.
    pub const NONE: &'static CityFragments = &CityFragments(Fragments::NONE);

    /// Writes the members of every municipality; some 1,900 of 700 bytes each.
    pub fn new(data: &PostalData) -> Result<CityFragments, Arc<OpenError>> {
        let write = |out: &mut Vec<u8>, city| {
            write_city_code(out, city);
            write_city_members(out, city);
        };
        Ok(CityFragments(Fragments::new(data.all_cities()?, write)))
    }

    fn get(&self, number: usize) -> Option<CityFragment<'_>> {
        let (code, members) = self.0.get(number)?.split_first_chunk()?;
        Some(CityFragment { code, members })
    }
}

/// Members that all records of a municipality share: `code` opens a record; `members` follow the record's postal codes.
struct CityFragment<'a> {
    code: &'a [u8; CODE_MEMBER_BYTES],
    members: &'a [u8],
}

/// Length of what [`write_city_code`] writes.
const CODE_MEMBER_BYTES: usize = "{\"jisx0402\":\"13101".len();

/// Appends the answer that lists postal records. `cities` is of the records' version, or empty.
pub fn write_postal<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = PostalView<'s>>,
    cities: &CityFragments,
) {
    write_data(out, version, records, |out, record| write_postal_record(out, api, record, cities));
}

/// As [`write_postal`], with the point of each record in the member `point`.
pub fn write_postal_points<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = (PostalView<'s>, Option<Point>)>,
    cities: &CityFragments,
) {
    write_data(out, version, records, |out, (record, point)| {
        write_postal_record(out, api, record, cities);
        let end = out.pop();
        debug_assert_eq!(end, Some(b'}'));
        out.extend_from_slice(b",\"point\":");
        write_point(out, point);
        out.push(b'}');
    });
}

pub fn write_postal_record(
    out: &mut Vec<u8>,
    api: ApiVersion,
    record: PostalView<'_>,
    cities: &CityFragments,
) {
    if api >= ApiVersion::V2022_11_01 {
        write_fields_35(out, record, cities);
    } else {
        write_fields_20(out, record);
    }
}

/// Writes the answer that lists all records. Passes it to `write_piece` piece by piece, because it is too long to be
/// held in memory.
pub fn write_all_postal<'s, E>(
    version: DataVersion,
    records: impl Iterator<Item = PostalView<'s>>,
    cities: &CityFragments,
    mut write_piece: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    const PIECE_BYTES: usize = 1 << 16;
    let mut piece = Vec::with_capacity(2 * PIECE_BYTES);
    open_data(&mut piece, version);
    let mut separator = b'[';
    for record in records {
        piece.push(separator);
        separator = b',';
        write_fields_35(&mut piece, record, cities);
        if piece.len() >= PIECE_BYTES {
            write_piece(&piece)?;
            piece.clear();
        }
    }
    // Without records, the bracket was not opened yet.
    piece.extend_from_slice(if separator == b'[' { b"[]" } else { b"]" });
    close_data(&mut piece);
    write_piece(&piece)
}

/// Opens a record with the code of its municipality, up to the closing quote.
fn write_city_code(out: &mut Vec<u8>, city: CityView<'_>) {
    code::<5>(out, "{\"jisx0402\":\"", city.jisx0402());
}

fn write_codes(out: &mut Vec<u8>, record: PostalView<'_>) {
    member(out, "\",\"old_code\":\"", record.old_code());
    code::<7>(out, "\",\"postal_code\":\"", record.postal_code());
}

fn write_fields_35(out: &mut Vec<u8>, record: PostalView<'_>, cities: &CityFragments) {
    // Town and municipality are far apart in memory: read the one right before the other is copied, so that the
    // processor waits for both at once.
    let town = record.town();
    match cities.get(record.city_number()) {
        Some(city) => {
            out.extend_from_slice(city.code);
            write_codes(out, record);
            out.extend_from_slice(city.members);
        }
        None => {
            write_city_code(out, record.city());
            write_codes(out, record);
            write_city_members(out, record.city());
        }
    }
    member(out, "\",\"town\":\"", town.name);
    member(out, "\",\"town_kana\":\"", town.kana);
    member(out, "\",\"town_roman\":\"", town.roman);
    write_town_parts(out, record);
    write_flags(out, record);
    flag(out, ",\"town_jukyohyoji\":", record.flags().jukyohyoji);
    out.extend_from_slice(b",\"update_status\":");
    out.push(b'0' + record.update_status() as u8);
    out.extend_from_slice(b",\"update_reason\":");
    out.push(b'0' + record.update_reason() as u8);
    write_corporation(out, record.corporation());
}

fn write_fields_20(out: &mut Vec<u8>, record: PostalView<'_>) {
    let city = record.city();
    let (prefecture, whole, town) = (city.prefecture(), city.city(), record.town());
    write_city_code(out, city);
    write_codes(out, record);
    member(out, "\",\"prefecture\":\"", prefecture.name);
    member(out, "\",\"prefecture_kana\":\"", prefecture.kana);
    member(out, "\",\"city\":\"", whole.name);
    member(out, "\",\"city_kana\":\"", whole.kana);
    member(out, "\",\"town\":\"", town.name);
    member(out, "\",\"town_kana\":\"", town.kana);
    write_town_parts(out, record);
    write_flags(out, record);
    write_corporation(out, record.corporation());
}

/// A municipality's members, starting with the closing quote of the previous member and ending before the quote
/// that closes the last one.
fn write_city_members(out: &mut Vec<u8>, city: CityView<'_>) {
    let (prefecture, whole, ward) = (city.prefecture(), city.city(), city.city_ward());
    member(out, "\",\"prefecture\":\"", prefecture.name);
    member(out, "\",\"prefecture_kana\":\"", prefecture.kana);
    member(out, "\",\"prefecture_roman\":\"", prefecture.roman);
    member(out, "\",\"city\":\"", whole.name);
    member(out, "\",\"city_kana\":\"", whole.kana);
    member(out, "\",\"city_roman\":\"", whole.roman);
    write_county_and_city(out, city);
    member(out, "\",\"city_ward\":\"", ward.name);
    member(out, "\",\"city_ward_kana\":\"", ward.kana);
    member(out, "\",\"city_ward_roman\":\"", ward.roman);
}

/// The six members of the county and of the city without county and ward.
fn write_county_and_city(out: &mut Vec<u8>, city: CityView<'_>) {
    let (county, without) = (city.county(), city.city_without_county_and_ward());
    member(out, "\",\"county\":\"", county.name);
    member(out, "\",\"county_kana\":\"", county.kana);
    member(out, "\",\"county_roman\":\"", county.roman);
    member(out, "\",\"city_without_county_and_ward\":\"", without.name);
    member(out, "\",\"city_without_county_and_ward_kana\":\"", without.kana);
    member(out, "\",\"city_without_county_and_ward_roman\":\"", without.roman);
}

fn write_town_parts(out: &mut Vec<u8>, record: PostalView<'_>) {
    member(out, "\",\"town_raw\":\"", record.town_raw());
    member(out, "\",\"town_kana_raw\":\"", record.town_kana_raw());
    member(out, "\",\"koaza\":\"", record.koaza());
    member(out, "\",\"kyoto_street\":\"", record.kyoto_street());
    member(out, "\",\"building\":\"", record.building());
    member(out, "\",\"floor\":\"", record.floor());
    out.push(b'"');
}

/// The four flags that the postal files themselves have, in the order of the field sets.
fn write_flags(out: &mut Vec<u8>, record: PostalView<'_>) {
    let flags = record.flags();
    flag(out, ",\"town_partial\":", flags.partial);
    flag(out, ",\"town_addressed_koaza\":", flags.addressed_koaza);
    flag(out, ",\"town_multi\":", flags.multi);
    flag(out, ",\"town_chome\":", flags.chome);
}

fn write_corporation(out: &mut Vec<u8>, corporation: Option<CorporationView<'_>>) {
    let Some(corporation) = corporation else {
        out.extend_from_slice(b",\"corporation\":null}");
        return;
    };
    member(out, ",\"corporation\":{\"name\":\"", corporation.name());
    member(out, "\",\"name_kana\":\"", corporation.name_kana());
    member(out, "\",\"block_lot\":\"", corporation.block_lot());
    let number = corporation.block_lot_num();
    quoted_or_null(out, "\",\"block_lot_num\":", number, |out, number| member(out, "", number));
    member(out, ",\"post_office\":\"", corporation.post_office());
    out.extend_from_slice(b"\",\"code_type\":");
    out.push(if corporation.post_office_box() { b'1' } else { b'0' });
    out.extend_from_slice(b"}}");
}

/// Appends the answer that lists municipalities: 7, 9 or 15 fields by API version.
pub fn write_cities<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    cities: impl Iterator<Item = CityView<'s>>,
) {
    write_data(out, version, cities, |out, city| write_city(out, api, city));
}

fn write_city(out: &mut Vec<u8>, api: ApiVersion, view: CityView<'_>) {
    let (prefecture, city) = (view.prefecture(), view.city());
    code::<5>(out, "{\"jisx0402\":\"", view.jisx0402());
    code::<2>(out, "\",\"prefecture_code\":\"", view.jisx0402() / 1_000);
    code::<3>(out, "\",\"city_code\":\"", view.jisx0402());
    member(out, "\",\"prefecture\":\"", prefecture.name);
    member(out, "\",\"prefecture_kana\":\"", prefecture.kana);
    member(out, "\",\"city\":\"", city.name);
    member(out, "\",\"city_kana\":\"", city.kana);
    if api >= ApiVersion::V2022_11_01 {
        member(out, "\",\"prefecture_roman\":\"", prefecture.roman);
        member(out, "\",\"city_roman\":\"", city.roman);
    }
    if api >= ApiVersion::V2023_09_01 {
        write_county_and_city(out, view);
    }
    out.extend_from_slice(b"\"}");
}

/// Appends latitude and longitude in decimal degrees, and the kind of place; null without a point.
pub(super) fn write_point(out: &mut Vec<u8>, point: Option<Point>) {
    let Some(Point { lat, lon, level }) = point else {
        return out.extend_from_slice(b"null");
    };
    write!(out, "{{\"lat\":{lat},\"lon\":{lon}").expect("a vector takes every byte");
    put(out, &[",\"level\":\"", level.name(), "\"}"]);
}
