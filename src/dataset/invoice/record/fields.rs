//! A row of the register from the builder, and its encoding.
//!
//! See [`InvoiceFields`] for the byte layout. The bytes after the streets are known only when all rows have been
//! read: [`append_tail`] appends them. The same fields give the same bytes.

use super::{Period, Registration};
use crate::dataset::corporate::record::fields::{index_of, is_kana, push_reading};
use crate::record::Day;
use crate::record::codec::{push_bytes, push_number, push_signed};
use crate::record::parts::Parts;
use crate::record::strings::is_plain;
use crate::text::codes::InvoiceNumber;

/// Processes; a record stores the index.
pub const PROCESSES: [u8; 5] = [1, 2, 3, 4, 99];

/// The registered office, the office that the issuer asked to publish, and the office in Japan.
pub const ADDRESSES: usize = 3;

/// The day on which the register came into force; most registrations begin on it.
pub(super) const REGISTER_START: u32 = 20_231_001;

pub(super) const FLAGS_OFFSET: usize = 6;

pub(super) mod flag {
    pub const CORRECT: u16 = 1;
    pub const LATEST: u16 = 1 << 1;
    /// Some text needs escaping in JSON. Readers do not rely on it: records are checked one by one when read, so
    /// their texts are scanned when they are written.
    pub const ESCAPED: u16 = 1 << 2;
    pub const REGISTERED: u16 = 1 << 3;
    pub const DISPOSED: u16 = 1 << 4;
    pub const EXPIRES: u16 = 1 << 5;
    pub const NAME: u16 = 1 << 6;
    pub const KANA: u16 = 1 << 7;
    /// The reading has characters other than kana and is stored as plain text.
    pub const KANA_TEXT: u16 = 1 << 8;
    pub const TRADE_NAME: u16 = 1 << 9;
    pub const POPULAR_NAME: u16 = 1 << 10;
    pub const EARLIER: u16 = 1 << 11;
    /// The record has postal codes and parts of the addresses.
    pub const NORMALISED: u16 = 1 << 12;
    pub const ADDRESSES: [u16; super::ADDRESSES] = [1 << 13, 1 << 14, 1 << 15];
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
///   1–3    registration, as days since 2023-10-01             if flagged
///   1–3    revocation, then lapse, as days since 2023-10-01   if flagged
///   1+n    name; reading, one byte per kana; trade name; other name; streets of the addresses
///                                                             each if flagged
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
        let Registration { process, registration_date, disposal_date, expire_date, .. } =
            self.registration;
        let flags = self.flags();
        out.extend_from_slice(&self.number.digits().to_le_bytes()[..FLAGS_OFFSET]);
        out.extend_from_slice(&flags.to_le_bytes());
        out.push(index_of(&PROCESSES, &process) | (self.kind & 3) << 3 | (self.country & 3) << 5);
        push_number(out, self.sequence_number);
        let published = Day::from_date(self.published);
        push_signed(out, published.0);
        push_signed(out, Day::from_date(self.update_date).0 - published.0);
        for date in [registration_date, disposal_date, expire_date] {
            if date != 0 {
                push_day(out, date);
            }
        }
        if !self.name.is_empty() {
            push_bytes(out, self.name.as_bytes());
        }
        push_reading(out, self.kana);
        for text in [self.trade_name, self.popular_name] {
            if !text.is_empty() {
                push_bytes(out, text.as_bytes());
            }
        }
        for street in self.streets.iter().flatten() {
            push_bytes(out, street.as_bytes());
        }
    }

    fn flags(&self) -> u16 {
        let texts = [self.name, self.kana, self.trade_name, self.popular_name];
        let mut texts = texts.iter().chain(self.streets.iter().flatten());
        let flags = [
            (flag::CORRECT, self.correct),
            (flag::LATEST, self.registration.latest),
            (flag::ESCAPED, texts.any(|text| !is_plain(text))),
            (flag::REGISTERED, self.registration.registration_date != 0),
            (flag::DISPOSED, self.registration.disposal_date != 0),
            (flag::EXPIRES, self.registration.expire_date != 0),
            (flag::NAME, !self.name.is_empty()),
            (flag::KANA, !self.kana.is_empty()),
            (flag::KANA_TEXT, !is_kana(self.kana)),
            (flag::TRADE_NAME, !self.trade_name.is_empty()),
            (flag::POPULAR_NAME, !self.popular_name.is_empty()),
        ];
        let streets = self.streets.map(|street| street.is_some());
        let flags = flags.into_iter().chain(flag::ADDRESSES.into_iter().zip(streets));
        flags.fold(0, |bits, (flag, is_set)| bits | if is_set { flag } else { 0 })
    }
}

/// Appends a date as days since the register came into force.
fn push_day(out: &mut Vec<u8>, date: u32) {
    push_signed(out, Day::from_date(date).0 - Day::from_date(REGISTER_START).0);
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
