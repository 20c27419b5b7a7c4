//! A whole corporate record read in place.
//!
//! Reading walks the record once and checks every bound: malformed bytes give `None`, never a panic.

use super::CorporateHead;
use super::archive::OfficePlaceView;
use super::fields::{CLOSE_DATE, FLAGS_OFFSET, KANA_START, NO_CLOSE_DATE, flag};
use crate::record::Day;
use crate::record::codec::Cursor;
use crate::record::parts::{PARTS, Part, read_parts};
use crate::record::strings::Text;
use crate::text::codes::CorporateNumber;
use crate::text::codes::corporate_number::CLOSE_CAUSES;

#[derive(Clone, Copy)]
pub struct CorporateView<'s> {
    head: CorporateHead<'s>,
    street: &'s str,
    furigana: &'s [u8],
    closing: Option<Closing>,
    successor: u64,
    texts: [&'s [u8]; 4],
    images: [u32; 3],
    outside: &'s [u8],
    en_outside: &'s [u8],
    parts: &'s [u8],
}

impl<'s> std::ops::Deref for CorporateView<'s> {
    type Target = CorporateHead<'s>;

    fn deref(&self) -> &CorporateHead<'s> {
        &self.head
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading<'s> {
    /// One byte per kana: its code point less 0x30a0, see `fields.rs`.
    Kana(&'s [u8]),
    Text(&'s str),
}

impl<'s> Reading<'s> {
    /// The reading stored in these bytes. `is_text` is the flag of a reading with characters other than kana.
    pub fn new(bytes: &'s [u8], is_text: bool) -> Reading<'s> {
        if is_text {
            return Reading::Text(std::str::from_utf8(bytes).unwrap_or_default());
        }
        Reading::Kana(bytes)
    }

    #[inline]
    pub fn push_to(self, out: &mut Vec<u8>) {
        match self {
            Reading::Text(text) => out.extend_from_slice(text.as_bytes()),
            Reading::Kana(kana) => {
                out.reserve(kana.len() * 3);
                for kana in kana {
                    // U+30A0 to U+30FF are E3 82 A0 to E3 83 BF.
                    let low = kana & 0x7f;
                    let second = if low < 0x20 { 0x82 } else { 0x83 };
                    out.extend_from_slice(&[0xe3, second, 0x80 | (low.wrapping_add(0x20) & 0x3f)]);
                }
            }
        }
    }
}

impl std::fmt::Display for Reading<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reading::Text(text) => f.write_str(text),
            Reading::Kana(kana) => kana.iter().try_for_each(|kana| {
                let kana = char::from_u32(KANA_START + u32::from(kana & 0x7f));
                std::fmt::Write::write_char(f, kana.unwrap_or(char::REPLACEMENT_CHARACTER))
            }),
        }
    }
}

/// Defines a method for each text and each image number. An absent text is empty.
macro_rules! getters {
    ($($name:ident: texts[$text:literal]),*; $($field:ident),*; $($image:ident: images[$number:literal]),*) => {
        $(pub fn $name(self) -> Text<'s> {
            self.text(self.texts[$text])
        })*
        $(pub fn $field(self) -> Text<'s> {
            self.text(self.$field)
        })*
        $(pub fn $image(self) -> Option<u32> {
            Some(self.images[$number]).filter(|image| *image != 0)
        })*
    };
}

impl<'s> CorporateHead<'s> {
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
        let has = |flag| head.has(flag);
        let mut cursor = Cursor { rest: head.rest };
        let street = std::str::from_utf8(cursor.bytes()?).ok()?;
        let furigana = if has(flag::FURIGANA) { cursor.bytes()? } else { &[] };
        let closing = match has(flag::CLOSED) {
            true => Some(Closing::read(&mut cursor, head.change)?),
            false => None,
        };
        let successor = if has(flag::SUCCESSOR) { cursor.body()? } else { 0 };
        let mut texts: [&[u8]; 4] = [&[]; 4];
        for (text, bit) in texts.iter_mut().zip([
            flag::CHANGE_CAUSE,
            flag::EN_NAME,
            flag::EN_PREFECTURE,
            flag::EN_CITY,
        ]) {
            if has(bit) {
                *text = cursor.bytes()?;
            }
        }
        let mut images = [0; 3];
        for (image, bit) in images.iter_mut().zip([flag::NAME_IMAGE, flag::ADDRESS_IMAGE]) {
            if has(bit) {
                *image = cursor.number()?;
            }
        }
        let (mut outside, mut en_outside): (&[u8], &[u8]) = (&[], &[]);
        if has(flag::ABROAD) {
            outside = cursor.bytes()?;
            images[2] = cursor.number()?;
            en_outside = cursor.bytes()?;
        }
        let parts = cursor.rest;
        Some(CorporateView {
            head,
            street,
            furigana,
            closing,
            successor,
            texts,
            images,
            outside,
            en_outside,
            parts,
        })
    }

    pub fn close_date(self) -> Option<u32> {
        self.closing.and_then(|closing| closing.day).map(Day::date)
    }

    pub fn close_cause(self) -> Option<u8> {
        self.closing.map(|closing| closing.cause).filter(|cause| *cause != 0)
    }

    pub fn successor(self) -> Option<CorporateNumber> {
        CorporateNumber::from_body(self.successor).filter(|_| self.has(flag::SUCCESSOR))
    }

    /// Prefecture, municipality and street concatenated; empty if it is abroad.
    pub fn inland_address(self) -> String {
        let place = self.place();
        [place.prefecture(), place.city(), self.street().text].concat()
    }

    pub fn street(self) -> Text<'s> {
        Text::unmarked(self.street)
    }

    /// Reading of the name; without kana if there is none.
    pub fn furigana(self) -> Reading<'s> {
        Reading::new(self.furigana, self.has(flag::FURIGANA_TEXT))
    }

    getters! {
        change_cause: texts[0], en_name: texts[1], en_prefecture: texts[2], en_city: texts[3];
        outside, en_outside;
        name_image: images[0], address_image: images[1], outside_image: images[2]
    }

    /// In the order of [`PARTS`]; all `None` if the address was not normalised.
    pub fn parts(self) -> [Option<Part<'s>>; PARTS] {
        if !self.has(flag::PARTS) {
            return [None; PARTS];
        }
        read_parts(self.parts, self.street)
    }

    /// Appends the record without the parts of its address.
    pub fn append_without_parts(self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.bytes[..self.bytes.len() - self.parts.len()]);
        out[start + FLAGS_OFFSET + 1] &= !((flag::PARTS >> 8) as u8);
    }
}

/// How the register of a corporation was closed.
#[derive(Debug, Clone, Copy)]
struct Closing {
    day: Option<Day>,
    /// 0 for none.
    cause: u8,
}

impl Closing {
    fn read(cursor: &mut Cursor<'_>, change: Day) -> Option<Closing> {
        let byte = cursor.byte()?;
        let cause = *CLOSE_CAUSES.get(usize::from(byte & 7))?;
        let day = match byte & (CLOSE_DATE | NO_CLOSE_DATE) {
            0 => Some(change),
            CLOSE_DATE => Some(change.plus_days(cursor.signed()?)),
            _ => None,
        };
        Some(Closing { day, cause })
    }
}

#[cfg(test)]
mod tests;
