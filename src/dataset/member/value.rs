//! Values of members: how each type is written in JSON, and how it fills a column of an export.

use std::fmt::{Display, Write as _};

use super::shape::{Member, Shape};
use crate::dataset::reading::Reading;
use crate::export::{Cells, Value};
use crate::json::{eight_digits, push_code, push_date, push_escaped, push_number, write_list};
use crate::record::parts::Part;
use crate::record::{CodedText, StoredText, Text};
use crate::text::codes::{ApiVersion, CorporateNumber, DataVersion, InvoiceNumber, SchoolCode};

/// What the getter of a member returns.
pub trait MemberValue: Sized {
    /// What it is in JSON. A member may describe it more precisely.
    const SHAPE: Shape;

    /// Appends it as JSON.
    fn write(self, out: &mut Vec<u8>, api: ApiVersion);

    /// Appends it after a comma and its name. Texts append what is fixed in one piece: a record has dozens of them.
    #[inline]
    fn write_member(self, out: &mut Vec<u8>, api: ApiVersion, key: MemberKey) {
        out.extend_from_slice(key.before_value.as_bytes());
        self.write(out, api);
    }

    /// Passes its value on, or the values of its members if it is an object.
    fn fill(self, cells: &mut Cells<'_>);
}

/// The comma and the name of a member, with what may follow them.
#[derive(Clone, Copy)]
pub struct MemberKey {
    pub before_value: &'static str,
    /// With the quote that begins a text.
    pub before_text: &'static str,
    pub with_empty_text: &'static str,
    pub with_null: &'static str,
}

/// Members that several objects have in a row, such as those of a municipality.
pub trait Members: Sized {
    const MEMBERS: &'static [Member];

    /// Appends them as JSON, each after a comma.
    fn write_members(self, out: &mut Vec<u8>, api: ApiVersion);

    fn fill_members(self, cells: &mut Cells<'_>);
}

const NUMBER: Shape = Shape::Whole { min: 0, max: u64::MAX };

/// The last `N` decimal digits of a code, with leading zeros.
#[derive(Clone, Copy)]
pub struct Digits<const N: usize>(pub u32);

/// A code of so many ASCII letters and digits.
#[derive(Clone, Copy)]
pub struct Ascii<const N: usize>(pub [u8; N]);

/// A date such as 20260731.
#[derive(Clone, Copy)]
pub struct Day(pub u32);

impl Day {
    /// `None` for 0.
    pub fn or_none(date: u32) -> Option<Day> {
        Some(Day(date)).filter(|_| date != 0)
    }
}

/// A number as older API versions write it.
#[derive(Clone, Copy)]
pub struct NumberInQuotes(pub u32);

/// A list of codes; in an export one text with spaces between them.
pub struct Codes<I>(pub I);

/// A list of values, which no export has.
pub struct ListOf<I>(pub I);

/// A list of one value, or of none.
pub struct InList<V>(pub Option<V>);

/// A text, empty if there is none. An export has null then.
pub struct OrEmpty<V>(pub Option<V>);

/// A text, or `None` if it is empty.
#[inline]
pub fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// As [`non_empty`].
#[inline]
pub fn text_or_none(text: Text<'_>) -> Option<Text<'_>> {
    Some(text).filter(|text| !text.text.is_empty())
}

impl MemberValue for Text<'_> {
    const SHAPE: Shape = Shape::Text;

    #[inline]
    fn write(self, out: &mut Vec<u8>, _api: ApiVersion) {
        out.push(b'"');
        push_text(out, self);
        out.push(b'"');
    }

    #[inline]
    fn write_member(self, out: &mut Vec<u8>, _api: ApiVersion, key: MemberKey) {
        if self.text.is_empty() {
            // Half the texts of a typical record are.
            return out.extend_from_slice(key.with_empty_text.as_bytes());
        }
        out.extend_from_slice(key.before_text.as_bytes());
        push_text(out, self);
        out.push(b'"');
    }

    fn fill(self, cells: &mut Cells<'_>) {
        cells.put(Value::Text(self.text));
    }
}

impl MemberValue for String {
    const SHAPE: Shape = Shape::Text;

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        self.as_str().write(out, api);
    }

    fn fill(self, cells: &mut Cells<'_>) {
        self.as_str().fill(cells);
    }
}

/// A value that is a string in JSON.
trait QuotedText: Sized {
    /// Appends what is between the quotes.
    fn push(self, out: &mut Vec<u8>);

    /// As [`MemberValue::fill`]. A string of ASCII letters and digits is in an export as it is in JSON; others have their own.
    fn fill_text(self, cells: &mut Cells<'_>) {
        cells.put_text(|out| {
            let mut text = Vec::with_capacity(16);
            self.push(&mut text);
            out.extend(text.into_iter().map(char::from));
        });
    }
}

impl<T: QuotedText> MemberValue for T {
    const SHAPE: Shape = Shape::Text;

    #[inline]
    fn write(self, out: &mut Vec<u8>, _api: ApiVersion) {
        out.push(b'"');
        self.push(out);
        out.push(b'"');
    }

    #[inline]
    fn write_member(self, out: &mut Vec<u8>, _api: ApiVersion, key: MemberKey) {
        out.extend_from_slice(key.before_text.as_bytes());
        self.push(out);
        out.push(b'"');
    }

    fn fill(self, cells: &mut Cells<'_>) {
        self.fill_text(cells);
    }
}

impl QuotedText for &str {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        push_escaped(out, self);
    }

    fn fill_text(self, cells: &mut Cells<'_>) {
        cells.put(Value::Text(self));
    }
}

impl<const N: usize> QuotedText for Digits<N> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        push_code::<N>(out, self.0);
    }
}

impl<const N: usize> QuotedText for Ascii<N> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}

impl QuotedText for NumberInQuotes {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        push_digits(out, self.0);
    }
}

impl QuotedText for CorporateNumber {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        let number = self.number();
        let mut digits = [0; CorporateNumber::DIGITS];
        // The first eight digits, then the last eight: three are in both.
        digits[..8].copy_from_slice(&eight_digits((number / 100_000) as u32));
        digits[5..].copy_from_slice(&eight_digits((number % 100_000_000) as u32));
        out.extend_from_slice(&digits);
    }
}

impl QuotedText for InvoiceNumber {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        out.push(b'T');
        self.corporate().push(out);
    }
}

impl QuotedText for SchoolCode {
    fn push(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
    }
}

impl MemberValue for Day {
    const SHAPE: Shape = Shape::Date;

    #[inline]
    fn write(self, out: &mut Vec<u8>, _api: ApiVersion) {
        out.push(b'"');
        push_date(out, self.0);
        out.push(b'"');
    }

    fn fill(self, cells: &mut Cells<'_>) {
        cells.put(Value::Date(self.0));
    }
}

impl MemberValue for u32 {
    const SHAPE: Shape = NUMBER;

    #[inline]
    fn write(self, out: &mut Vec<u8>, _api: ApiVersion) {
        push_digits(out, self);
    }

    fn fill(self, cells: &mut Cells<'_>) {
        cells.put(Value::Integer(self.into()));
    }
}

/// Implements a value as another value that it becomes.
macro_rules! value_as {
    ($($type:ty as $other:ty;)+) => {$(
        impl MemberValue for $type {
            const SHAPE: Shape = <$other>::SHAPE;

            #[inline]
            fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
                <$other>::from(self).write(out, api);
            }

            #[inline]
            fn write_member(self, out: &mut Vec<u8>, api: ApiVersion, key: MemberKey) {
                <$other>::from(self).write_member(out, api, key);
            }

            fn fill(self, cells: &mut Cells<'_>) {
                <$other>::from(self).fill(cells);
            }
        }
    )+};
}

value_as! {
    u8 as u32;
    u16 as u32;
    DataVersion as Day;
}

impl From<DataVersion> for Day {
    fn from(version: DataVersion) -> Day {
        Day(version.number())
    }
}

impl MemberValue for u64 {
    const SHAPE: Shape = NUMBER;

    fn write(self, out: &mut Vec<u8>, _api: ApiVersion) {
        push_number(out, self);
    }

    fn fill(self, cells: &mut Cells<'_>) {
        cells.put(Value::Integer(self.try_into().unwrap_or(i64::MAX)));
    }
}

impl MemberValue for bool {
    const SHAPE: Shape = Shape::Bool;

    #[inline]
    fn write(self, out: &mut Vec<u8>, _api: ApiVersion) {
        match self {
            true => out.extend_from_slice(b"true"),
            false => out.extend_from_slice(b"false"),
        }
    }

    fn fill(self, cells: &mut Cells<'_>) {
        cells.put(Value::Flag(self));
    }
}

impl QuotedText for Reading<'_> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        match self {
            Reading::Text(text) => push_escaped(out, text),
            Reading::Kana(_) => self.push_to(out),
        }
    }

    fn fill_text(self, cells: &mut Cells<'_>) {
        cells.put_text(|out| push_display(out, self));
    }
}

/// Appends what `append` appends, which returns whether JSON certainly escapes no letter of it.
#[inline]
fn push_coded(out: &mut Vec<u8>, append: impl FnOnce(&mut Vec<u8>) -> bool) {
    let start = out.len();
    if !append(out) {
        let text = String::from_utf8(out.split_off(start)).expect("whole letters were appended");
        push_escaped(out, &text);
    }
}

impl QuotedText for CodedText<'_> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        push_coded(out, |out| self.push_to(out));
    }

    fn fill_text(self, cells: &mut Cells<'_>) {
        cells.put_text(|out| push_display(out, self));
    }
}

impl QuotedText for StoredText<'_> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        match self {
            StoredText::Text(text) => push_text(out, text),
            StoredText::Coded(text) => text.push(out),
        }
    }

    fn fill_text(self, cells: &mut Cells<'_>) {
        match self {
            StoredText::Text(text) => text.fill(cells),
            StoredText::Coded(text) => text.fill_text(cells),
        }
    }
}

impl QuotedText for Part<'_> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        match self {
            Part::Slice(text) | Part::Text(text) => push_escaped(out, text),
            Part::CodedSlice { street, start, length } => {
                push_coded(out, |out| street.push_slice_to(start, length, out));
            }
            Part::Lot(..) => self.push_to(out),
        }
    }

    fn fill_text(self, cells: &mut Cells<'_>) {
        match self {
            Part::Slice(text) | Part::Text(text) => cells.put(Value::Text(text)),
            Part::CodedSlice { .. } | Part::Lot(..) => {
                cells.put_text(|out| push_display(out, self))
            }
        }
    }
}

impl<V: MemberValue> MemberValue for Option<V> {
    const SHAPE: Shape = Shape::OrNull(&V::SHAPE);

    #[inline]
    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        match self {
            Some(value) => value.write(out, api),
            None => out.extend_from_slice(b"null"),
        }
    }

    #[inline]
    fn write_member(self, out: &mut Vec<u8>, api: ApiVersion, key: MemberKey) {
        match self {
            Some(value) => value.write_member(out, api, key),
            None => out.extend_from_slice(key.with_null.as_bytes()),
        }
    }

    fn fill(self, cells: &mut Cells<'_>) {
        match self {
            Some(value) => value.fill(cells),
            None => cells.leave_null(V::SHAPE.column_count()),
        }
    }
}

impl<V: MemberValue> MemberValue for OrEmpty<V> {
    const SHAPE: Shape = Shape::Text;

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        match self.0 {
            Some(value) => value.write(out, api),
            None => out.extend_from_slice(b"\"\""),
        }
    }

    fn fill(self, cells: &mut Cells<'_>) {
        self.0.fill(cells);
    }
}

impl<V: MemberValue> MemberValue for InList<V> {
    const SHAPE: Shape = Shape::List(&V::SHAPE);

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        write_list(out, self.0.into_iter(), |out, value| value.write(out, api));
    }

    fn fill(self, cells: &mut Cells<'_>) {
        self.0.fill(cells);
    }
}

impl<I: Iterator<Item: MemberValue>> MemberValue for ListOf<I> {
    const SHAPE: Shape = Shape::List(&I::Item::SHAPE);

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        write_list(out, self.0, |out, value| value.write(out, api));
    }

    fn fill(self, cells: &mut Cells<'_>) {
        cells.leave_null(Self::SHAPE.column_count());
    }
}

impl<I: Iterator<Item: MemberValue + Display>> MemberValue for Codes<I> {
    const SHAPE: Shape = Shape::List(&I::Item::SHAPE);

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        write_list(out, self.0, |out, code| code.write(out, api));
    }

    fn fill(self, cells: &mut Cells<'_>) {
        let codes: Vec<String> = self.0.map(|code| code.to_string()).collect();
        non_empty(&codes.join(" ")).fill(cells);
    }
}

#[inline]
fn push_digits(out: &mut Vec<u8>, number: u32) {
    match number {
        // Most numbers have one digit, which needs no call.
        0..10 => out.push(b'0' + number as u8),
        _ => push_number(out, number.into()),
    }
}

#[inline]
fn push_text(out: &mut Vec<u8>, text: Text<'_>) {
    match text.plain {
        true => out.extend_from_slice(text.text.as_bytes()),
        false => push_escaped(out, text.text),
    }
}

fn push_display(out: &mut String, value: impl Display) {
    write!(out, "{value}").expect("writing to a string cannot fail");
}
