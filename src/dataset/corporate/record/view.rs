//! A whole corporate record read in place.
//!
//! Reading walks the record once and checks every bound: malformed bytes give `None`, never a panic.

use super::CorporateHead;
use super::archive::OfficePlaceView;
use super::fields::{FLAGS_OFFSET, OptionalFields, flag};
use crate::dataset::reading::Reading;
use crate::record::codec::Cursor;
use crate::record::coded_text::TextKind;
use crate::record::parts::{PARTS, Part, read_parts};
use crate::record::{CodedText, StoredText, Text};
use crate::text::codes::CorporateNumber;

#[derive(Clone, Copy)]
pub struct CorporateView<'s> {
    head: CorporateHead<'s>,
    street: CodedText<'s>,
    fields: OptionalFields<'s>,
    parts: &'s [u8],
}

impl<'s> std::ops::Deref for CorporateView<'s> {
    type Target = CorporateHead<'s>;

    fn deref(&self) -> &CorporateHead<'s> {
        &self.head
    }
}

/// Defines a method for each text and each image number. An absent text is empty.
macro_rules! getters {
    ($($text:ident),*; $($image:ident),*) => {
        $(pub fn $text(self) -> Text<'s> {
            self.text(self.fields.$text)
        })*
        $(pub fn $image(self) -> Option<u32> {
            Some(self.fields.$image).filter(|image| *image != 0)
        })*
    };
}

impl<'s> CorporateHead<'s> {
    /// The street, without the rest of the record; `None` if the bytes are malformed.
    pub fn read_street(self) -> Option<CodedText<'s>> {
        Some(CodedText::new(Cursor { rest: self.rest }.bytes()?, TextKind::Street))
    }

    /// The reading of the name, without the rest of the record; `None` if the bytes are malformed.
    pub fn reading(self) -> Option<Reading<'s>> {
        let mut cursor = Cursor { rest: self.rest };
        cursor.bytes()?;
        let bytes = if self.has(flag::FURIGANA) { cursor.bytes()? } else { &[] };
        Some(Reading::new(bytes, self.has(flag::FURIGANA_TEXT)))
    }
}

impl<'s> CorporateView<'s> {
    /// Reads a record with this place; `None` if the bytes are malformed.
    #[inline]
    pub fn read(
        bytes: &'s [u8],
        place: OfficePlaceView<'s>,
        sequence_number: u32,
    ) -> Option<CorporateView<'s>> {
        CorporateView::from_head(CorporateHead::read(bytes, place, sequence_number)?)
    }

    /// Reads the bytes after the name; `None` if they are malformed.
    #[inline]
    pub fn from_head(head: CorporateHead<'s>) -> Option<CorporateView<'s>> {
        let mut cursor = Cursor { rest: head.rest };
        let street = CodedText::new(cursor.bytes()?, TextKind::Street);
        let fields = OptionalFields::read(head.flags, &mut cursor)?;
        Some(CorporateView { head, street, fields, parts: cursor.rest })
    }

    pub fn close_date(self) -> Option<u32> {
        let days = self.fields.closing.days_after_change?;
        Some(self.change.plus_days(days).date())
    }

    pub fn close_cause(self) -> Option<u8> {
        Some(self.fields.closing.cause).filter(|cause| *cause != 0)
    }

    pub fn successor(self) -> Option<CorporateNumber> {
        CorporateNumber::from_body(self.fields.successor).filter(|_| self.has(flag::SUCCESSOR))
    }

    /// Prefecture, municipality and street concatenated; empty if it is abroad.
    pub fn inland_address(self) -> String {
        let place = self.place();
        [place.prefecture(), place.city(), &self.street().to_string()].concat()
    }

    pub fn street(self) -> CodedText<'s> {
        self.street
    }

    /// Reading of the name; without kana if there is none.
    pub fn furigana(self) -> Reading<'s> {
        Reading::new(self.fields.furigana, self.has(flag::FURIGANA_TEXT))
    }

    getters! {
        change_cause, en_name, en_prefecture, en_city;
        name_image, address_image
    }

    pub fn outside(self) -> Text<'s> {
        self.text(self.fields.abroad.outside)
    }

    pub fn en_outside(self) -> Text<'s> {
        self.text(self.fields.abroad.en_outside)
    }

    pub fn outside_image(self) -> Option<u32> {
        Some(self.fields.abroad.image).filter(|image| *image != 0)
    }

    /// In the order of [`PARTS`]; all `None` if the address was not normalised.
    pub fn parts(self) -> [Option<Part<'s>>; PARTS] {
        if !self.has(flag::PARTS) {
            return [None; PARTS];
        }
        read_parts(self.parts, StoredText::Coded(self.street))
    }

    /// Appends the record without the parts of its address.
    pub fn append_without_parts(self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.bytes[..self.bytes.len() - self.parts.len()]);
        out[start + FLAGS_OFFSET + 1] &= !((flag::PARTS >> 8) as u8);
    }
}

#[cfg(test)]
mod tests;
