//! A row of the register from the builder, and its encoding.
//!
//! See [`InvoiceFields`] for the byte layout. The bytes after the streets are known only when all rows have been
//! read: [`append_tail`] appends them. The same fields give the same bytes.

use super::{Period, Registration};
use crate::dataset::packed::{Bytes, Stored, index_of, packed_fields};
use crate::dataset::reading::{StoredReading, is_kana};
use crate::record::codec::{Cursor, push_bytes, push_number, push_signed};
use crate::record::parts::Parts;
use crate::record::strings::is_plain;
use crate::record::{Day, Text};
use crate::text::codes::InvoiceNumber;

/// Processes; a record stores the index.
pub const PROCESSES: [u8; 5] = [1, 2, 3, 4, 99];

/// The registered office, the office that the issuer asked to publish, and the office in Japan.
pub const ADDRESSES: usize = 3;

/// The day on which the register came into force; most registrations begin on it.
const REGISTER_START: u32 = 20_231_001;

pub(super) const FLAGS_OFFSET: usize = 6;

packed_fields! {
    /// What a record has between its update and the earlier registrations.
    struct OptionalFields<'s> of row: InvoiceFields<'_>;
    marks {
        CORRECT = 0 if row.correct;
        LATEST = 1 if row.registration.latest;
        /// Some text needs escaping in JSON. Readers do not rely on it: records are checked one by one when read, so
        /// their texts are scanned when they are written.
        ESCAPED = 2 if row.needs_escaping();
        /// The reading has characters other than kana and is stored as plain text.
        KANA_TEXT = 8 if !is_kana(row.kana);
        EARLIER = 11;
        /// The record has postal codes and parts of the addresses.
        NORMALISED = 12;
    }
    fields {
        registered: u32 as StoredDay, REGISTERED = 3 => row.registration.registration_date;
        disposed: u32 as StoredDay, DISPOSED = 4 => row.registration.disposal_date;
        expires: u32 as StoredDay, EXPIRES = 5 => row.registration.expire_date;
        name: &'s [u8] as Bytes, NAME = 6 => row.name;
        kana: &'s [u8] as StoredReading, KANA = 7 => row.kana;
        trade_name: &'s [u8] as Bytes, TRADE_NAME = 9 => row.trade_name;
        office: Option<Text<'s>> as Street, OFFICE = 13 => row.streets[0];
        requested: Option<Text<'s>> as Street, REQUESTED = 14 => row.streets[1];
    }
    rare RARE = 10 {
        popular_name: &'s [u8] as Bytes, 0 => row.popular_name;
        in_japan: Option<Text<'s>> as Street, 1 => row.streets[2];
    }
}

/// A day of the register: how many days it is after the first.
pub(super) struct StoredDay;

impl Stored for StoredDay {
    type Written<'a> = u32;
    /// 0 for none.
    type Read<'s> = u32;

    fn exists(date: u32) -> bool {
        date != 0
    }

    fn push(date: u32, out: &mut Vec<u8>) {
        push_day(out, date);
    }

    fn read(cursor: &mut Cursor<'_>) -> Option<u32> {
        Some(read_day(cursor)?.date())
    }
}

/// The text after prefecture and municipality of a used address, which may be empty.
pub(super) struct Street;

impl Stored for Street {
    type Written<'a> = Option<&'a str>;
    type Read<'s> = Option<Text<'s>>;

    fn exists(street: Option<&str>) -> bool {
        street.is_some()
    }

    fn push(street: Option<&str>, out: &mut Vec<u8>) {
        push_bytes(out, street.unwrap_or_default().as_bytes());
    }

    fn read<'s>(cursor: &mut Cursor<'s>) -> Option<Option<Text<'s>>> {
        let text = std::str::from_utf8(cursor.bytes()?).ok()?;
        Some(Some(Text::unmarked(text)))
    }
}

/// A row's columns. Dates are numbers such as 20260731; absent numbers are 0.
///
/// As bytes:
///
/// ```text
/// bytes    field
///     6    the thirteen digits of the number
///     2    flags, see [`flag`]
///     1    process (three bits: its index in [`PROCESSES`]), kind (two), country (two)
///   1–4    sequence number
///   1–3    publication, as days since 2015-10-05
///   1–3    update, as days since the publication
///      …   [`OptionalFields`]: registration, revocation and lapse (1–3 each, as days since 2023-10-01), name, reading,
///          trade name, streets of two addresses (1+n each)    each if flagged
///      …   the rare ones: a byte with their flags, other name, street in Japan (1+n each)
///                                                             if flagged
///      …   earlier registrations: their count, first day, and days to the end
///                                                             if flagged
///   1–3    for each address its municipality, an index into the table of places
///      …   for each address its postal code (3) and its parts after their length
///                                                             if flagged
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvoiceFields<'a> {
    pub number: InvoiceNumber,
    pub sequence_number: u32,
    pub published: u32,
    pub correct: bool,
    pub kind: u8,
    pub country: u8,
    pub update_date: u32,
    pub registration: Registration,
    pub name: &'a str,
    pub kana: &'a str,
    pub trade_name: &'a str,
    pub popular_name: &'a str,
    /// The text after prefecture and municipality; `None` for an unused address.
    pub streets: [Option<&'a str>; ADDRESSES],
}

impl InvoiceFields<'_> {
    /// Appends the record up to its streets.
    pub fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.digits().to_le_bytes()[..FLAGS_OFFSET]);
        out.extend_from_slice(&OptionalFields::flags(self).to_le_bytes());
        let process = index_of(&PROCESSES, &self.registration.process);
        out.push(process | (self.kind & 3) << 3 | (self.country & 3) << 5);
        push_number(out, self.sequence_number);
        let published = Day::from_date(self.published);
        push_signed(out, published.0);
        push_signed(out, Day::from_date(self.update_date).0 - published.0);
        OptionalFields::append(self, out);
    }

    fn needs_escaping(&self) -> bool {
        let texts = [self.name, self.kana, self.trade_name, self.popular_name];
        let mut texts = texts.iter().chain(self.streets.iter().flatten());
        texts.any(|text| !is_plain(text))
    }
}

/// Appends a date as days since the register came into force.
fn push_day(out: &mut Vec<u8>, date: u32) {
    push_signed(out, Day::from_date(date).0 - Day::from_date(REGISTER_START).0);
}

/// Reads a date that [`push_day`] has appended.
pub(super) fn read_day(cursor: &mut Cursor<'_>) -> Option<Day> {
    Some(Day::from_date(REGISTER_START).plus_days(cursor.signed()?))
}

/// Appends the bytes after the streets to the record that begins at `start`. `places` are the indexes of the
/// municipalities of its used addresses, `normalised` their postal codes and parts, if they were normalised.
pub fn append_tail(
    out: &mut Vec<u8>,
    start: usize,
    earlier: &[Period],
    places: &[u16],
    normalised: Option<&[u8]>,
) {
    let mut flags = 0;
    if !earlier.is_empty() {
        flags |= flag::EARLIER;
        push_number(out, earlier.len() as u32);
        for Period { start, end } in earlier {
            push_day(out, *start);
            push_signed(out, Day::from_date(*end).0 - Day::from_date(*start).0);
        }
    }
    for place in places {
        push_number(out, u32::from(*place));
    }
    if let Some(normalised) = normalised {
        flags |= flag::NORMALISED;
        out.extend_from_slice(normalised);
    }
    out[start + FLAGS_OFFSET + 1] |= (flags >> 8) as u8;
}

/// Appends the postal code, 0 if it has none, and the parts of an address, as [`append_tail`] gets them.
pub fn append_address(out: &mut Vec<u8>, postal_code: u32, street: &str, parts: &Parts<'_>) {
    out.extend_from_slice(&postal_code.to_le_bytes()[..3]);
    let mut bytes = Vec::new();
    parts.append(&mut bytes, street);
    push_bytes(out, &bytes);
}
