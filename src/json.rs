//! Writes JSON to a buffer: strings, codes, dates, and the frames that answers share. Text that needs no escaping is
//! copied.
//!
//! Builds no tree of values, and allocates only for a few rare members. serde_json parses what clients send. The
//! members of records are declared in `dataset`. Knows no HTTP.

use crate::query::SearchResults;
use crate::record::is_plain;
use crate::text::codes::DataVersion;

/// What a search by query has beside the records.
#[derive(Debug, Clone, Copy)]
pub struct QueryOutcome<'a> {
    /// The query as the client sent it, byte for byte.
    pub q: &'a str,
    pub found: &'a SearchResults,
    pub offset: u64,
    pub limit: usize,
}

/// Appends the members after `data`, without the closing brace.
pub fn write_query_outcome(out: &mut Vec<u8>, outcome: &QueryOutcome<'_>) {
    let QueryOutcome { q, found, offset, limit } = *outcome;
    string(out, "\"query\":", q);
    write_numbers(out, found.count, offset, limit);
    if found.facets.is_empty() {
        out.extend_from_slice(b"null");
        return;
    }
    for (index, (name, facets)) in found.facets.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        write_facets(out, facets);
    }
    out.push(b'}');
}

/// Appends the members after the query of any search, up to the value of `facets`.
pub fn write_numbers(out: &mut Vec<u8>, count: u64, offset: u64, limit: usize) {
    number(out, ",\"count\":", count);
    number(out, ",\"offset\":", offset);
    number(out, ",\"limit\":", limit as u64);
    out.extend_from_slice(b",\"facets\":");
}

pub fn write_facets(out: &mut Vec<u8>, facets: &[(String, u64)]) {
    write_list(out, facets.iter(), |out, (path, count)| {
        out.push(b'[');
        push_string(out, path);
        out.push(b',');
        push_number(out, *count);
        out.push(b']');
    });
}

/// Appends these texts as they are, without escaping.
pub fn put(out: &mut Vec<u8>, texts: &[&str]) {
    texts.iter().for_each(|text| out.extend_from_slice(text.as_bytes()));
}

// In each of these, `key` is everything up to the value: `,"count":`.

#[inline]
pub fn flag(out: &mut Vec<u8>, key: &str, value: bool) {
    out.extend_from_slice(key.as_bytes());
    match value {
        true => out.extend_from_slice(b"true"),
        false => out.extend_from_slice(b"false"),
    }
}

#[inline]
fn string(out: &mut Vec<u8>, key: &str, text: &str) {
    out.extend_from_slice(key.as_bytes());
    push_string(out, text);
}

/// Appends texts, each with its key.
pub fn strings<'m>(out: &mut Vec<u8>, members: impl IntoIterator<Item = (&'m str, &'m str)>) {
    for (key, text) in members {
        string(out, key, text);
    }
}

#[inline]
pub fn or_null(out: &mut Vec<u8>, key: &str, text: Option<&str>) {
    out.extend_from_slice(key.as_bytes());
    push_or_null(out, text);
}

#[inline]
fn number(out: &mut Vec<u8>, key: &str, number: u64) {
    out.extend_from_slice(key.as_bytes());
    push_number(out, number);
}

/// Appends the content of a string, without its quotes.
pub fn push_escaped(out: &mut Vec<u8>, text: &str) {
    if is_plain(text) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    for byte in text.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => {
                let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
            }
            _ => out.push(byte),
        }
    }
}

pub fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Appends the last `N` decimal digits of a code, with leading zeros; `N` is at most eight.
#[inline]
pub fn push_code<const N: usize>(out: &mut Vec<u8>, code: u32) {
    let digits = eight_digits(code);
    let last: &[u8; N] = digits.last_chunk().expect("a code has at most eight digits");
    out.extend_from_slice(last);
}

/// The last eight decimal digits of a number, computed in parallel: first two fours, then four pairs, then eight digits.
#[inline]
pub fn eight_digits(number: u32) -> [u8; 8] {
    let number = u64::from(number % 100_000_000);
    // The first digits go to the lowest bytes. Multiplying by 10,486 / 2^20 divides four digits by 100, and by
    // 103 / 2^10 two digits by 10, both exactly.
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((pairs - 10 * tens) << 8);
    (digits | 0x3030_3030_3030_3030).to_le_bytes()
}

pub fn push_version(out: &mut Vec<u8>, version: DataVersion) {
    push_date(out, version.number());
}

/// Appends a date such as 20260731 as `2026-07-31`.
#[inline]
pub fn push_date(out: &mut Vec<u8>, date: u32) {
    let [y0, y1, y2, y3, m0, m1, d0, d1] = eight_digits(date);
    out.extend_from_slice(&[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1]);
}

pub fn write_list<T>(
    out: &mut Vec<u8>,
    items: impl Iterator<Item = T>,
    mut write_item: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_item(out, item);
    }
    out.push(b']');
}

/// Appends `{"version":"…","data":`.
pub fn open_data(out: &mut Vec<u8>, version: DataVersion) {
    out.extend_from_slice(b"{\"version\":\"");
    push_version(out, version);
    out.extend_from_slice(b"\",\"data\":");
}

pub fn close_data(out: &mut Vec<u8>) {
    out.push(b'}');
}

pub fn push_or_null(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => push_string(out, text),
        None => out.extend_from_slice(b"null"),
    }
}

pub fn push_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

pub fn push_number_or_null(out: &mut Vec<u8>, number: Option<impl Into<u64>>) {
    match number {
        Some(number) => push_number(out, number.into()),
        None => out.extend_from_slice(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_group_of_four_digits_is_exact() {
        for four in 0..10_000 {
            for number in [four, four * 10_000, four * 10_000 + four] {
                assert_eq!(eight_digits(number), *format!("{number:08}").as_bytes());
            }
        }
        assert_eq!(eight_digits(u32::MAX), *b"94967295");
    }

    proptest! {
        #[test]
        fn escaped_text_reads_back_with_serde_json(text in any::<String>()) {
            let mut out = vec![b'"'];
            push_escaped(&mut out, &text);
            out.push(b'"');
            prop_assert_eq!(serde_json::from_slice::<String>(&out).ok(), Some(text));
        }

        #[test]
        fn codes_keep_their_zeros(code: u32) {
            let mut out = Vec::new();
            push_code::<7>(&mut out, code);
            prop_assert_eq!(String::from_utf8(out), Ok(format!("{:07}", code % 10_000_000)));
        }

        #[test]
        fn dates_have_hyphens(year in 0u32..=9999, month in 1u32..=12, day in 1u32..=31) {
            let mut out = Vec::new();
            push_date(&mut out, year * 10_000 + month * 100 + day);
            prop_assert_eq!(String::from_utf8(out), Ok(format!("{year:04}-{month:02}-{day:02}")));
        }
    }
}
