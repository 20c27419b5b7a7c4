//! Formats the values that a record does not store as text.

use std::fmt::Write as _;

use crate::record::corporate::{Part, Reading};
use crate::text::codes::CorporateNumber;

/// Appends a code with its leading zeros.
pub fn push_code<const DIGITS: usize>(out: &mut String, code: u32) {
    write!(out, "{code:0DIGITS$}").expect("writing to a string cannot fail");
}

pub fn push_code_or_null<const DIGITS: usize>(out: &mut String, code: Option<u32>) -> Option<()> {
    push_code::<DIGITS>(out, code?);
    Some(())
}

pub fn push_number(out: &mut String, number: CorporateNumber) {
    write!(out, "{number}").expect("writing to a string cannot fail");
}

pub fn push_number_or_null(out: &mut String, number: Option<CorporateNumber>) -> Option<()> {
    push_number(out, number?);
    Some(())
}

pub fn push_reading(out: &mut String, reading: Reading<'_>) {
    write!(out, "{reading}").expect("writing to a string cannot fail");
}

/// Appends a part of an address; `None` if the address lacks it.
pub fn push_part(out: &mut String, part: Option<Part<'_>>) -> Option<()> {
    match part? {
        Part::Slice(text) | Part::Text(text) => out.push_str(text),
        lot @ Part::Lot(..) => write!(out, "{lot}").expect("writing to a string cannot fail"),
    }
    Some(())
}

/// A text, or `None` if it is empty.
pub fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
