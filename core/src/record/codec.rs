//! Encoding of a record's numbers, texts and dates. Reading checks every bound.

use std::sync::LazyLock;

use jiff::{Span, civil::Date};

use crate::text::codes::{CorporateNumber, DataVersion};

/// Appends a varint: groups of seven bits, the lowest first.
pub fn push_number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number; small ones of either sign are short.
pub fn push_signed(out: &mut Vec<u8>, number: i32) {
    push_number(out, ((number << 1) ^ (number >> 31)) as u32);
}

/// Appends the length of these bytes, then the bytes.
pub fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, u32::try_from(bytes.len()).expect("a column of a source is short"));
    out.extend_from_slice(bytes);
}

/// A length that [`push_bytes`] writes has at most so many bytes.
pub const LENGTH_BYTES_MAX: usize = 5;

/// The length of the bytes that [`push_bytes`] wrote to the front of these, and the number of bytes of that length; `None` if
/// the front is too short for it.
#[inline]
pub fn stored_length(front: &[u8]) -> Option<(usize, usize)> {
    let mut cursor = Cursor { rest: front };
    let length = cursor.number()? as usize;
    Some((length, front.len() - cursor.rest.len()))
}

/// Appends the number of a corporation without its check digit.
pub fn push_body(out: &mut Vec<u8>, body: u64) {
    out.extend_from_slice(&body.to_le_bytes()[..5]);
}

/// Reads from the front of a record; `None` if it ends too soon.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'s> {
    pub rest: &'s [u8],
}

impl<'s> Cursor<'s> {
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    #[inline]
    pub fn take(&mut self, count: usize) -> Option<&'s [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    #[inline]
    pub fn number(&mut self) -> Option<u32> {
        let first = self.byte()?;
        if first < 0x80 {
            return Some(u32::from(first));
        }
        let mut number = u32::from(first & 0x7f);
        for shift in [7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    #[inline]
    pub fn signed(&mut self) -> Option<i32> {
        let number = self.number()?;
        Some((number >> 1) as i32 ^ -((number & 1) as i32))
    }

    #[inline]
    pub fn bytes(&mut self) -> Option<&'s [u8]> {
        let count = self.number()?;
        self.take(count as usize)
    }

    /// A number of three bytes.
    #[inline]
    pub fn three_bytes(&mut self) -> Option<u32> {
        let (&[low, middle, high], rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_le_bytes([low, middle, high, 0]))
    }

    /// The twelve digits of a corporate number; `None` also if the value is larger.
    #[inline]
    pub fn body(&mut self) -> Option<u64> {
        let (&[a, b, c, d, e], rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        let body = u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]);
        (body < CorporateNumber::BODY_LIMIT).then_some(body)
    }
}

/// Days since 2015-10-05, when the first corporate numbers were assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Day(pub i32);

const FIRST: Date = Date::constant(2015, 10, 5);

/// Stands for dates that do not exist. Sources contain none, since their readers reject such rows.
const NO_DATE: Date = Date::constant(0, 1, 1);

/// The dates of the first days, until 2060: nearly all dates of records. Computing a date takes ten times as long as
/// reading it here.
static DATES: LazyLock<[u32; 1 << 14]> =
    LazyLock::new(|| std::array::from_fn(|day| Day(day as i32).compute_date()));

impl Day {
    /// The day of a date such as 20260731.
    pub fn from_date(date: u32) -> Day {
        let date = DataVersion::from_number(date).map_or(NO_DATE, DataVersion::date);
        Day((date - FIRST).get_days())
    }

    /// The date as a number that sorts in the same order: 20260731; 0 outside the years 1 to 9999.
    #[inline]
    pub fn date(self) -> u32 {
        let known = usize::try_from(self.0).ok().and_then(|day| DATES.get(day));
        known.copied().unwrap_or_else(|| self.compute_date())
    }

    #[cold]
    fn compute_date(self) -> u32 {
        let days = Span::new().try_days(self.0).ok();
        let date = days.and_then(|days| FIRST.checked_add(days).ok());
        let date = date.filter(|date| date.year() > 0).and_then(DataVersion::from_date);
        date.map_or(0, DataVersion::number)
    }

    /// The day this many days later, or earlier if negative.
    pub fn plus_days(self, days: i32) -> Day {
        Day(self.0.wrapping_add(days))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn written_values_read_back(
            number: u32, signed: i32, body in 0u64..1_000_000_000_000,
            text in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let mut out = Vec::new();
            push_number(&mut out, number);
            push_signed(&mut out, signed);
            push_body(&mut out, body);
            out.extend_from_slice(&number.to_le_bytes()[..3]);
            push_bytes(&mut out, &text);
            let mut cursor = Cursor { rest: &out };
            prop_assert_eq!(cursor.number(), Some(number));
            prop_assert_eq!(cursor.signed(), Some(signed));
            prop_assert_eq!(cursor.body(), Some(body));
            prop_assert_eq!(cursor.three_bytes(), Some(number & 0xff_ffff));
            prop_assert_eq!(cursor.bytes(), Some(&text[..]));
            prop_assert_eq!(cursor.byte(), None);
        }

        #[test]
        fn any_bytes_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            let mut cursor = Cursor { rest: &bytes };
            while cursor.signed().is_some() {}
            let mut cursor = Cursor { rest: &bytes };
            while cursor.bytes().is_some() {}
        }
    }
}

#[cfg(test)]
mod day_tests {
    use super::*;

    #[test]
    fn days_are_counted_by_the_calendar() {
        assert_eq!(Day::from_date(20_151_005), Day(0));
        assert_eq!(Day::from_date(20_151_004), Day(-1));
        assert_eq!(Day::from_date(20_160_301).0 - Day::from_date(20_160_228).0, 2);
        assert_eq!(Day::from_date(20_260_731).0, 3_952);
        let mut day = Day::from_date(18_680_101);
        let mut last = 0;
        for _ in 0..80_000 {
            let date = day.date();
            assert!(date > last, "{date} after {last}");
            assert_eq!(Day::from_date(date), day);
            last = date;
            day = day.plus_days(1);
        }
        assert_eq!(last, 20_870_111);
        for none in [0, 20_260_732, 20_261_301, 20_260_001, u32::MAX] {
            assert_eq!(Day::from_date(none).date(), 0, "{none}");
        }
        assert_eq!(Day(i32::MIN).date(), 0);
        assert_eq!(Day(i32::MAX).date(), 0);
    }
}
