//! Encoding of a record's numbers and texts. Reading checks every bound.

use crate::text::codes::CorporateNumber;

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
