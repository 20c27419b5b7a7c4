//! The encoding of a row; see [`append_row`] for the byte layout.
//!
//! The place (prefecture and city) follows from the row number and is not encoded. The same columns give the same
//! bytes.

use std::borrow::Cow;

use build_tools::corporate::CorporateRow;

use crate::record::Day;
use crate::record::codec::{push_body, push_bytes, push_number, push_signed};
use crate::record::parts::Parts;
use crate::record::strings::is_plain;
use crate::text::codes::CorporateNumber;
use crate::text::codes::corporate_number::{CLOSE_CAUSES, KINDS, PROCESSES};

pub(super) const FLAGS_OFFSET: usize = 5;

pub(super) mod flag {
    pub const CORRECT: u16 = 1;
    pub const HIHYOJI: u16 = 1 << 1;
    /// Some text needs escaping in JSON. Readers do not rely on it: records are checked one by one when read, so
    /// their texts are scanned when they are written.
    pub const ESCAPED: u16 = 1 << 2;
    pub const POST_CODE: u16 = 1 << 3;
    pub const FURIGANA: u16 = 1 << 4;
    /// The reading has characters other than kana and is stored as plain text.
    pub const FURIGANA_TEXT: u16 = 1 << 5;
    pub const CLOSED: u16 = 1 << 6;
    pub const SUCCESSOR: u16 = 1 << 7;
    pub const CHANGE_CAUSE: u16 = 1 << 8;
    pub const NAME_IMAGE: u16 = 1 << 9;
    pub const ADDRESS_IMAGE: u16 = 1 << 10;
    pub const EN_NAME: u16 = 1 << 11;
    pub const EN_PREFECTURE: u16 = 1 << 12;
    pub const EN_CITY: u16 = 1 << 13;
    pub const ABROAD: u16 = 1 << 14;
    pub const PARTS: u16 = 1 << 15;
}

/// In the byte of a closing: whether a date follows, or there is none.
pub(super) const CLOSE_DATE: u8 = 1 << 7;
pub(super) const NO_CLOSE_DATE: u8 = 1 << 6;

pub(super) fn truncate_chars(text: &str, chars_max: usize) -> &str {
    // No text has more characters than bytes.
    if text.len() <= chars_max {
        return text;
    }
    text.char_indices().nth(chars_max).map_or(text, |(end, _)| &text[..end])
}

/// Appends the record of a row, whose texts are cut at the limits of the specification;
/// [`append_parts`] adds the address. Absent numbers are 0.
///
/// ```text
/// bytes    field
///     5    the number without its check digit
///     2    flags, see [`flag`]
///     1    kind and process, four bits each: their indexes in [`KINDS`] and [`PROCESSES`]
///   1–3    assignment, as days since 2015-10-05
///   1–3    change, as days since the assignment
///   1–3    update, as days since the change
///     3    postal code                                      if flagged
///   1+n    name
///   1+n    street
///   1+n    reading, one byte per kana                       if flagged
///      …   rare fields, each                                if flagged
///      …   the parts of the address, see [`crate::record::parts`]  if flagged
/// ```
pub fn append_row(row: &CorporateRow<'_>, out: &mut Vec<u8>) {
    let row = &truncated(row);
    let flags = flags_of(row);
    push_body(out, row.number % CorporateNumber::BODY_LIMIT);
    out.extend_from_slice(&flags.to_le_bytes());
    out.push(index_of(&KINDS, &row.kind) << 4 | index_of(&PROCESSES, &row.process));
    let [assignment, change, update] =
        [row.assignment_date, row.change_date, row.update_date].map(Day::from_date);
    push_signed(out, assignment.0);
    push_signed(out, change.0 - assignment.0);
    push_signed(out, update.0 - change.0);
    if row.post_code != 0 {
        out.extend_from_slice(&row.post_code.to_le_bytes()[..3]);
    }
    push_bytes(out, row.name.as_bytes());
    push_bytes(out, row.street.as_bytes());
    push_reading(out, &row.furigana);
    append_closing(row, out, change);
    for (text, bit) in [
        (&row.change_cause, flag::CHANGE_CAUSE),
        (&row.en_name, flag::EN_NAME),
        (&row.en_prefecture, flag::EN_PREFECTURE),
        (&row.en_city, flag::EN_CITY),
    ] {
        if flags & bit != 0 {
            push_bytes(out, text.as_bytes());
        }
    }
    for image in [row.name_image, row.address_image] {
        if image != 0 {
            push_number(out, image);
        }
    }
    if flags & flag::ABROAD != 0 {
        push_bytes(out, row.outside.as_bytes());
        push_number(out, row.outside_image);
        push_bytes(out, row.en_outside.as_bytes());
    }
}

/// A row with its texts cut at the limits of the specification, in characters. Prefecture and city count towards the
/// limit of the street.
fn truncated<'a>(row: &'a CorporateRow<'_>) -> CorporateRow<'a> {
    let cut = |text: &'a str, chars_max| Cow::Borrowed(truncate_chars(text, chars_max));
    let place_chars = row.prefecture.chars().count() + row.city.chars().count();
    CorporateRow {
        name: cut(&row.name, 150),
        street: cut(&row.street, 300_usize.saturating_sub(place_chars)),
        outside: cut(&row.outside, 300),
        change_cause: cut(&row.change_cause, 500),
        en_name: cut(&row.en_name, 300),
        en_city: cut(&row.en_city, 600),
        en_outside: cut(&row.en_outside, 600),
        ..row.clone()
    }
}

fn flags_of(row: &CorporateRow<'_>) -> u16 {
    let texts = [
        &row.name,
        &row.street,
        &row.outside,
        &row.change_cause,
        &row.en_name,
        &row.en_prefecture,
        &row.en_city,
        &row.en_outside,
    ];
    let is_abroad = !row.outside.is_empty() || row.outside_image != 0 || !row.en_outside.is_empty();
    let flags = [
        (flag::CORRECT, row.correct),
        (flag::HIHYOJI, row.hihyoji),
        (flag::ESCAPED, texts.iter().any(|text| !is_plain(text))),
        (flag::POST_CODE, row.post_code != 0),
        (flag::FURIGANA, !row.furigana.is_empty()),
        (flag::FURIGANA_TEXT, !is_kana(&row.furigana)),
        (flag::CLOSED, row.close_date != 0 || row.close_cause != 0),
        (flag::SUCCESSOR, row.successor != 0),
        (flag::CHANGE_CAUSE, !row.change_cause.is_empty()),
        (flag::NAME_IMAGE, row.name_image != 0),
        (flag::ADDRESS_IMAGE, row.address_image != 0),
        (flag::EN_NAME, !row.en_name.is_empty()),
        (flag::EN_PREFECTURE, !row.en_prefecture.is_empty()),
        (flag::EN_CITY, !row.en_city.is_empty()),
        (flag::ABROAD, is_abroad),
    ];
    flags.into_iter().fold(0, |bits, (flag, is_set)| bits | if is_set { flag } else { 0 })
}

/// The closing and the successor. In all but a few records the date of closing is the date of the change.
fn append_closing(row: &CorporateRow<'_>, out: &mut Vec<u8>, change: Day) {
    if row.close_date != 0 || row.close_cause != 0 {
        let cause = index_of(&CLOSE_CAUSES, &row.close_cause);
        match row.close_date {
            0 => out.push(cause | NO_CLOSE_DATE),
            same if same == row.change_date => out.push(cause),
            other => {
                out.push(cause | CLOSE_DATE);
                push_signed(out, Day::from_date(other).0 - change.0);
            }
        }
    }
    if row.successor != 0 {
        let successor = CorporateNumber::from_number(row.successor);
        push_body(out, successor.map_or(0, CorporateNumber::body));
    }
}

/// Appends the parts of the address to the record that begins at `start` and has this street.
pub fn append_parts(parts: &Parts<'_>, out: &mut Vec<u8>, start: usize, street: &str) {
    out[start + FLAGS_OFFSET + 1] |= (flag::PARTS >> 8) as u8;
    parts.append(out, street);
}

/// The index of a code in its table; readers of the sources accept no other code.
pub fn index_of<T: PartialEq>(table: &[T], code: &T) -> u8 {
    table.iter().position(|known| known == code).unwrap_or_default() as u8
}

/// The character to which a kana's byte is added.
pub(super) const KANA_START: u32 = 0x30a0;

/// A kana as a byte, 1 to 0x5f.
pub fn kana_byte(kana: char) -> Option<u8> {
    let number = u32::from(kana).checked_sub(KANA_START)?;
    u8::try_from(number).ok().filter(|byte| (1..=0x5f).contains(byte))
}

/// Whether a reading can be stored with one byte per kana.
pub fn is_kana(reading: &str) -> bool {
    reading.chars().all(|kana| kana_byte(kana).is_some())
}

/// Appends a reading: one byte per kana, or the text if it has other characters. Appends nothing if it is empty.
pub fn push_reading(out: &mut Vec<u8>, reading: &str) {
    if !is_kana(reading) {
        push_bytes(out, reading.as_bytes());
    } else if !reading.is_empty() {
        push_number(out, reading.chars().count() as u32);
        out.extend(reading.chars().filter_map(kana_byte));
    }
}
