//! Columns that several datasets share: values that a record does not store as text, and the fourteen of an address.

use std::fmt::Write as _;

use crate::dataset::corporate::record::Reading;
use crate::record::parts::Part;
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

/// The fields of the address that `$address` returns for a record `$it`; null if it returns `None`.
macro_rules! address_fields {
    ($prefix:literal, $it:ident => $address:expr) => {{
        use $crate::export::Getter::{FormattedOrNull, TextOrNull};
        use $crate::export::source::columns::{non_empty, push_code_or_null, push_part};
        &[
            field(
                concat!($prefix, "postal_code"),
                FormattedOrNull(|$it, out| push_code_or_null::<7>(out, $address?.postal_code())),
            ),
            field(
                concat!($prefix, "jisx0402"),
                FormattedOrNull(|$it, out| push_code_or_null::<5>(out, $address?.place.jisx0402())),
            ),
            field(
                concat!($prefix, "prefecture"),
                TextOrNull(|$it| non_empty($address?.place.prefecture()[0])),
            ),
            field(
                concat!($prefix, "prefecture_kana"),
                TextOrNull(|$it| non_empty($address?.place.prefecture()[1])),
            ),
            field(
                concat!($prefix, "prefecture_roman"),
                TextOrNull(|$it| non_empty($address?.place.prefecture()[2])),
            ),
            field(concat!($prefix, "city"), TextOrNull(|$it| Some($address?.place.city()[0]))),
            field(concat!($prefix, "city_kana"), TextOrNull(|$it| Some($address?.place.city()[1]))),
            field(
                concat!($prefix, "city_roman"),
                TextOrNull(|$it| Some($address?.place.city()[2])),
            ),
            field(concat!($prefix, "street_number"), TextOrNull(|$it| Some($address?.street.text))),
            field(
                concat!($prefix, "town"),
                FormattedOrNull(|$it, out| push_part(out, $address?.parts()[0])),
            ),
            field(
                concat!($prefix, "kyoto_street"),
                FormattedOrNull(|$it, out| push_part(out, $address?.parts()[1])),
            ),
            field(
                concat!($prefix, "block_lot_num"),
                FormattedOrNull(|$it, out| push_part(out, $address?.parts()[2])),
            ),
            field(
                concat!($prefix, "building"),
                FormattedOrNull(|$it, out| push_part(out, $address?.parts()[3])),
            ),
            field(
                concat!($prefix, "floor_room"),
                FormattedOrNull(|$it, out| push_part(out, $address?.parts()[4])),
            ),
        ]
    }};
}

pub(super) use address_fields;
