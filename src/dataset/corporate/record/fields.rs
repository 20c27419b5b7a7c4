//! A row from the builder and its encoding; see [`CorporateFields`] for the byte layout.
//!
//! The place (prefecture and city) follows from the row number and is not encoded. The same fields give the same
//! bytes.

use crate::record::Day;
use crate::record::codec::{push_body, push_bytes, push_number, push_signed};
use crate::record::parts::Parts;
use crate::record::strings::is_plain;
use crate::text::codes::CorporateNumber;
use crate::text::codes::corporation::{CLOSE_CAUSES, KINDS, PROCESSES};

/// Offset of the flags in a record.
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

/// A corporation's columns. Dates are numbers such as 20260731; absent numbers are 0.
///
/// As bytes:
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorporateFields<'a> {
    pub number: CorporateNumber,
    pub process: u8,
    pub correct: bool,
    pub update_date: u32,
    pub change_date: u32,
    pub assignment_date: u32,
    pub name: &'a str,
    pub name_image: u32,
    pub kind: u16,
    pub street: &'a str,
    /// Characters of prefecture and city, which count towards the limit of the street.
    pub place_chars: usize,
    pub address_image: u32,
    pub post_code: u32,
    pub outside: &'a str,
    pub outside_image: u32,
    pub close_date: u32,
    pub close_cause: u8,
    pub successor: u64,
    pub change_cause: &'a str,
    pub en_name: &'a str,
    pub en_prefecture: &'a str,
    pub en_city: &'a str,
    pub en_outside: &'a str,
    pub furigana: &'a str,
    pub hihyoji: bool,
}

pub(super) fn truncate_chars(text: &str, chars_max: usize) -> &str {
    // No text has more characters than bytes.
    if text.len() <= chars_max {
        return text;
    }
    text.char_indices().nth(chars_max).map_or(text, |(end, _)| &text[..end])
}

impl CorporateFields<'_> {
    /// Appends the record; [`Parts::append`](crate::record::parts::Parts::append) adds the address.
    pub fn append(&self, out: &mut Vec<u8>) {
        self.truncated().append_truncated(out);
    }

    /// The fields with their texts cut at the limits of the specification, in characters.
    fn truncated(&self) -> CorporateFields<'_> {
        let street_max = 300_usize.saturating_sub(self.place_chars);
        CorporateFields {
            name: truncate_chars(self.name, 150),
            street: truncate_chars(self.street, street_max),
            outside: truncate_chars(self.outside, 300),
            change_cause: truncate_chars(self.change_cause, 500),
            en_name: truncate_chars(self.en_name, 300),
            en_city: truncate_chars(self.en_city, 600),
            en_outside: truncate_chars(self.en_outside, 600),
            ..*self
        }
    }

    /// Whether there is anything to store about an address abroad.
    fn has_outside(&self) -> bool {
        !self.outside.is_empty() || self.outside_image != 0 || !self.en_outside.is_empty()
    }

    fn flags(&self) -> u16 {
        let texts = [
            self.name,
            self.street,
            self.outside,
            self.change_cause,
            self.en_name,
            self.en_prefecture,
            self.en_city,
            self.en_outside,
        ];
        let flags = [
            (flag::CORRECT, self.correct),
            (flag::HIHYOJI, self.hihyoji),
            (flag::ESCAPED, texts.iter().any(|text| !is_plain(text))),
            (flag::POST_CODE, self.post_code != 0),
            (flag::FURIGANA, !self.furigana.is_empty()),
            (flag::FURIGANA_TEXT, !is_kana(self.furigana)),
            (flag::CLOSED, self.close_date != 0 || self.close_cause != 0),
            (flag::SUCCESSOR, self.successor != 0),
            (flag::CHANGE_CAUSE, !self.change_cause.is_empty()),
            (flag::NAME_IMAGE, self.name_image != 0),
            (flag::ADDRESS_IMAGE, self.address_image != 0),
            (flag::EN_NAME, !self.en_name.is_empty()),
            (flag::EN_PREFECTURE, !self.en_prefecture.is_empty()),
            (flag::EN_CITY, !self.en_city.is_empty()),
            (flag::ABROAD, self.has_outside()),
        ];
        flags.into_iter().fold(0, |bits, (flag, is_set)| bits | if is_set { flag } else { 0 })
    }

    fn append_truncated(&self, out: &mut Vec<u8>) {
        let flags = self.flags();
        push_body(out, self.number.body());
        out.extend_from_slice(&flags.to_le_bytes());
        out.push(index_of(&KINDS, &self.kind) << 4 | index_of(&PROCESSES, &self.process));
        let [assignment, change, update] =
            [self.assignment_date, self.change_date, self.update_date].map(Day::from_date);
        push_signed(out, assignment.0);
        push_signed(out, change.0 - assignment.0);
        push_signed(out, update.0 - change.0);
        if self.post_code != 0 {
            out.extend_from_slice(&self.post_code.to_le_bytes()[..3]);
        }
        push_bytes(out, self.name.as_bytes());
        push_bytes(out, self.street.as_bytes());
        push_reading(out, self.furigana);
        self.append_closing(out, change);
        for (text, bit) in [
            (self.change_cause, flag::CHANGE_CAUSE),
            (self.en_name, flag::EN_NAME),
            (self.en_prefecture, flag::EN_PREFECTURE),
            (self.en_city, flag::EN_CITY),
        ] {
            if flags & bit != 0 {
                push_bytes(out, text.as_bytes());
            }
        }
        for image in [self.name_image, self.address_image] {
            if image != 0 {
                push_number(out, image);
            }
        }
        if self.has_outside() {
            push_bytes(out, self.outside.as_bytes());
            push_number(out, self.outside_image);
            push_bytes(out, self.en_outside.as_bytes());
        }
    }

    /// The closing and the successor. In all but a few records the date of closing is the date of the change.
    fn append_closing(&self, out: &mut Vec<u8>, change: Day) {
        if self.close_date != 0 || self.close_cause != 0 {
            let cause = index_of(&CLOSE_CAUSES, &self.close_cause);
            match self.close_date {
                0 => out.push(cause | NO_CLOSE_DATE),
                same if same == self.change_date => out.push(cause),
                other => {
                    out.push(cause | CLOSE_DATE);
                    push_signed(out, Day::from_date(other).0 - change.0);
                }
            }
        }
        if self.successor != 0 {
            let successor = CorporateNumber::from_number(self.successor);
            push_body(out, successor.map_or(0, CorporateNumber::body));
        }
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
