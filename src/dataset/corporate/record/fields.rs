//! The encoding of a row; see [`append_row`] for the byte layout.
//!
//! The place (prefecture and city) follows from the row number and is not encoded. The same columns give the same
//! bytes.

use std::borrow::Cow;

use build_tools::corporate::CorporateRow;

use crate::dataset::packed::{Body, Bytes, Number, Stored, index_of, packed_fields};
use crate::dataset::reading::{StoredReading, is_kana};
use crate::record::Day;
use crate::record::codec::{Cursor, push_body, push_bytes, push_number, push_signed};
use crate::record::coded_text::TextKind;
use crate::record::parts::Parts;
use crate::record::strings::is_plain;
use crate::text::codes::CorporateNumber;
use crate::text::codes::corporate_number::{CLOSE_CAUSES, KINDS, PROCESSES};

pub(super) const FLAGS_OFFSET: usize = 5;

packed_fields! {
    /// What a record has after its street.
    struct OptionalFields<'s> of row: CorporateRow<'_>;
    marks {
        CORRECT = 0 if row.correct;
        HIHYOJI = 1 if row.hihyoji;
        /// Some text needs escaping in JSON. Readers do not rely on it: records are checked one by one when read, so
        /// their texts are scanned when they are written.
        ESCAPED = 2 if needs_escaping(row);
        POST_CODE = 3 if row.post_code != 0;
        /// The reading has characters other than kana and is stored as plain text.
        FURIGANA_TEXT = 5 if !is_kana(&row.furigana);
        PARTS = 15;
    }
    fields {
        furigana: &'s [u8] as StoredReading, FURIGANA = 4 => &row.furigana;
        closing: Closing as StoredClosing, CLOSED = 6 => row;
        successor: u64 as Body, SUCCESSOR = 7 => row.successor;
        change_cause: &'s [u8] as Bytes, CHANGE_CAUSE = 8 => &row.change_cause;
        en_name: &'s [u8] as Bytes, EN_NAME = 11 => &row.en_name;
        en_prefecture: &'s [u8] as Bytes, EN_PREFECTURE = 12 => &row.en_prefecture;
        en_city: &'s [u8] as Bytes, EN_CITY = 13 => &row.en_city;
    }
    rare RARE = 9 {
        name_image: u32 as Number, 0 => row.name_image;
        address_image: u32 as Number, 1 => row.address_image;
        abroad: Abroad<'s> as StoredAbroad, 2 => row;
    }
}

/// In the byte of a closing: whether a date follows, or there is none.
const CLOSE_DATE: u8 = 1 << 7;
const NO_CLOSE_DATE: u8 = 1 << 6;

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
///   1+n    name, see [`crate::record::coded_text`]
///   1+n    street, likewise
///      …   [`OptionalFields`], each                         if flagged; the rare ones after a byte with their flags
///      …   the parts of the address, see [`crate::record::parts`]  if flagged
/// ```
pub fn append_row(row: &CorporateRow<'_>, out: &mut Vec<u8>) {
    let row = &truncated(row);
    push_body(out, row.number % CorporateNumber::BODY_LIMIT);
    out.extend_from_slice(&OptionalFields::flags(row).to_le_bytes());
    out.push(index_of(&KINDS, &row.kind) << 4 | index_of(&PROCESSES, &row.process));
    let [assignment, change, update] =
        [row.assignment_date, row.change_date, row.update_date].map(Day::from_date);
    push_signed(out, assignment.0);
    push_signed(out, change.0 - assignment.0);
    push_signed(out, update.0 - change.0);
    if row.post_code != 0 {
        out.extend_from_slice(&row.post_code.to_le_bytes()[..3]);
    }
    push_coded(out, &row.name, TextKind::Name);
    push_coded(out, &row.street, TextKind::Street);
    OptionalFields::append(row, out);
}

fn push_coded(out: &mut Vec<u8>, text: &str, kind: TextKind) {
    let mut coded = Vec::with_capacity(text.len());
    kind.append(text, &mut coded);
    push_bytes(out, &coded);
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

fn needs_escaping(row: &CorporateRow<'_>) -> bool {
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
    texts.iter().any(|text| !is_plain(text))
}

/// How the register of a corporation was closed. In all but a few records the date of closing is the date of the change.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Closing {
    /// `None` without a date.
    pub(super) days_after_change: Option<i32>,
    /// 0 for none.
    pub(super) cause: u8,
}

pub(super) struct StoredClosing;

impl Stored for StoredClosing {
    type Written<'a> = &'a CorporateRow<'a>;
    type Read<'s> = Closing;

    fn exists(row: &CorporateRow<'_>) -> bool {
        row.close_date != 0 || row.close_cause != 0
    }

    fn push(row: &CorporateRow<'_>, out: &mut Vec<u8>) {
        let cause = index_of(&CLOSE_CAUSES, &row.close_cause);
        match row.close_date {
            0 => out.push(cause | NO_CLOSE_DATE),
            same if same == row.change_date => out.push(cause),
            other => {
                out.push(cause | CLOSE_DATE);
                push_signed(out, Day::from_date(other).0 - Day::from_date(row.change_date).0);
            }
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Option<Closing> {
        let byte = cursor.byte()?;
        let cause = *CLOSE_CAUSES.get(usize::from(byte & 7))?;
        let days_after_change = match byte & (CLOSE_DATE | NO_CLOSE_DATE) {
            0 => Some(0),
            CLOSE_DATE => Some(cursor.signed()?),
            _ => None,
        };
        Some(Closing { days_after_change, cause })
    }
}

/// The address of a corporation abroad.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Abroad<'s> {
    pub(super) outside: &'s [u8],
    pub(super) image: u32,
    pub(super) en_outside: &'s [u8],
}

pub(super) struct StoredAbroad;

impl Stored for StoredAbroad {
    type Written<'a> = &'a CorporateRow<'a>;
    type Read<'s> = Abroad<'s>;

    fn exists(row: &CorporateRow<'_>) -> bool {
        !row.outside.is_empty() || row.outside_image != 0 || !row.en_outside.is_empty()
    }

    fn push(row: &CorporateRow<'_>, out: &mut Vec<u8>) {
        push_bytes(out, row.outside.as_bytes());
        push_number(out, row.outside_image);
        push_bytes(out, row.en_outside.as_bytes());
    }

    fn read<'s>(cursor: &mut Cursor<'s>) -> Option<Abroad<'s>> {
        let (outside, image) = (cursor.bytes()?, cursor.number()?);
        Some(Abroad { outside, image, en_outside: cursor.bytes()? })
    }
}

/// Appends the parts of the address to the record that begins at `start` and has this street.
pub fn append_parts(parts: &Parts<'_>, out: &mut Vec<u8>, start: usize, street: &str) {
    out[start + FLAGS_OFFSET + 1] |= (flag::PARTS >> 8) as u8;
    parts.append(out, street);
}
