//! The readings of names in packed records: one byte per kana, or the text if it has other characters.

use super::packed::Stored;
use crate::record::codec::{Cursor, push_bytes, push_number};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading<'s> {
    /// One byte per kana: its code point less 0x30a0, see [`kana_byte`].
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

/// The character to which a kana's byte is added.
const KANA_START: u32 = 0x30a0;

/// A kana as a byte, 1 to 0x5f.
pub fn kana_byte(kana: char) -> Option<u8> {
    let number = u32::from(kana).checked_sub(KANA_START)?;
    u8::try_from(number).ok().filter(|byte| (1..=0x5f).contains(byte))
}

/// Whether a reading can be stored with one byte per kana.
pub fn is_kana(reading: &str) -> bool {
    reading.chars().all(|kana| kana_byte(kana).is_some())
}

/// A reading as a field of a record. Whether it is a text is a flag of its own.
pub struct StoredReading;

impl Stored for StoredReading {
    type Written<'a> = &'a str;
    type Read<'s> = &'s [u8];

    fn exists(reading: &str) -> bool {
        !reading.is_empty()
    }

    fn push(reading: &str, out: &mut Vec<u8>) {
        if !is_kana(reading) {
            push_bytes(out, reading.as_bytes());
            return;
        }
        push_number(out, reading.chars().count() as u32);
        out.extend(reading.chars().filter_map(kana_byte));
    }

    #[inline]
    fn read<'s>(cursor: &mut Cursor<'s>) -> Option<&'s [u8]> {
        cursor.bytes()
    }
}
