//! Corporate records: their packed form, and the views that read it in place.
//!
//! A national file has 5.8 million of them, so a record is a byte string without padding: codes and dates take as few
//! bits as possible, rare fields take space only where they exist, and places are in a dictionary. Rows are in the
//! order of places, so that a place is a range of rows.
//!
//! [`CorporateHead`] reads the front: the fields that every corporation has, up to the name. It takes one or two cache
//! lines, and is enough for looking up a number or comparing names. [`CorporateView`] reads the whole record.

pub mod archive;
pub mod fields;
pub mod former_names;
mod view;

use crate::record::codec::Cursor;
use crate::record::coded_text::TextKind;
use crate::record::{CodedText, Day, Text};
use crate::text::codes::CorporateNumber;
use fields::flag;

pub use crate::text::codes::corporate_number::{CLOSE_CAUSES, KINDS, PROCESSES};
pub use archive::{
    CorporateProvenance, CorporateTables, OfficePlace, OfficePlaceView, PLACES_MAX, StoredRecord,
    tag,
};
pub use view::CorporateView;

#[derive(Clone, Copy)]
pub struct CorporateHead<'s> {
    pub bytes: &'s [u8],
    place: OfficePlaceView<'s>,
    /// The number without its check digit, which is computed on demand.
    body: u64,
    sequence_number: u32,
    /// Whether it is a qualified invoice issuer; true for all if the snapshot was built without the register.
    pub is_issuer: bool,
    /// The day of the full file or difference that the record came from.
    pub published: Day,
    pub(super) flags: u16,
    codes: u8,
    assignment: Day,
    pub(super) change: Day,
    update: Day,
    pub(super) post_code: u32,
    name: CodedText<'s>,
    /// The bytes after the name.
    pub(super) rest: &'s [u8],
}

impl<'s> CorporateHead<'s> {
    /// Reads the front of a record with this place; `None` if the bytes are malformed.
    #[inline]
    pub fn read(
        bytes: &'s [u8],
        place: OfficePlaceView<'s>,
        sequence_number: u32,
    ) -> Option<CorporateHead<'s>> {
        let mut cursor = Cursor { rest: bytes };
        let body = cursor.body()?;
        let [low, high]: [u8; 2] = cursor.take(2)?.try_into().ok()?;
        let flags = u16::from_le_bytes([low, high]);
        let codes = cursor.byte()?;
        let assignment = Day(cursor.signed()?);
        let change = assignment.plus_days(cursor.signed()?);
        let update = change.plus_days(cursor.signed()?);
        let post_code = if flags & flag::POST_CODE != 0 { cursor.three_bytes()? } else { 0 };
        let name = CodedText::new(cursor.bytes()?, TextKind::Name);
        let rest = cursor.rest;
        Some(CorporateHead {
            bytes,
            place,
            body,
            sequence_number,
            is_issuer: true,
            published: Day::default(),
            flags,
            codes,
            assignment,
            change,
            update,
            post_code,
            name,
            rest,
        })
    }

    pub fn place(self) -> OfficePlaceView<'s> {
        self.place
    }

    pub fn number(self) -> CorporateNumber {
        CorporateNumber::from_body(self.body).expect("reading accepts twelve digits at most")
    }

    pub fn sequence_number(self) -> u32 {
        self.sequence_number
    }

    pub fn process(self) -> u8 {
        PROCESSES[usize::from(self.codes & 15) % PROCESSES.len()]
    }

    pub fn kind(self) -> u16 {
        KINDS[usize::from(self.codes >> 4) % KINDS.len()]
    }

    pub fn correct(self) -> bool {
        self.has(flag::CORRECT)
    }

    pub fn is_closed(self) -> bool {
        self.has(flag::CLOSED)
    }

    pub fn hihyoji(self) -> bool {
        self.has(flag::HIHYOJI)
    }

    /// Update date, as 20260731; the other dates have the same form.
    pub fn update_date(self) -> u32 {
        self.update.date()
    }

    pub fn change_date(self) -> u32 {
        self.change.date()
    }

    pub fn assignment_date(self) -> u32 {
        self.assignment.date()
    }

    pub fn post_code(self) -> Option<u32> {
        self.has(flag::POST_CODE).then_some(self.post_code)
    }

    pub fn name(self) -> CodedText<'s> {
        self.name
    }

    pub(super) fn has(self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn text(self, bytes: &'s [u8]) -> Text<'s> {
        if bytes.is_empty() {
            return Text::EMPTY;
        }
        Text::unmarked(std::str::from_utf8(bytes).unwrap_or_default())
    }
}
