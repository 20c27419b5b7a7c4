//! Times and sizes on the command line: a number and its unit.

use std::time::Duration;

use jiff::SignedDuration;

use crate::text::numerals::whole_number;

/// Parses a time such as `5s` or `2m`; `None` if invalid or negative.
pub fn parse_time(text: &str) -> Option<Duration> {
    let time = text.parse::<SignedDuration>().ok()?;
    Duration::try_from(time).ok()
}

/// Parses `1048576`, `500M` or `40G`, in powers of 1,024; `None` if invalid or zero.
pub fn parse_size(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        Some(b'T') => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let number = whole_number::<u64>(digits).filter(|number| *number > 0);
    number.and_then(|number| number.checked_mul(1 << shift))
}

/// A size as an argument.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let size = parse_size(text);
    size.ok_or_else(|| format!("expected a number of bytes such as 500M or 40G, found {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_unit_letters() {
        for (text, expected) in [
            ("1", Some(1)),
            ("4K", Some(4_096)),
            ("500M", Some(500 << 20)),
            ("40G", Some(40 << 30)),
            ("2T", Some(2 << 40)),
            ("", None),
            ("0", None),
            ("G", None),
            ("-1", None),
            ("+1", None),
            ("1.5G", None),
            ("1g", None),
            ("1GB", None),
            ("１", None),
            ("18446744073709551615K", None),
        ] {
            assert_eq!(parse_size(text), expected, "{text:?}");
        }
    }
}
