//! Numbers formatted for people, and read.

use std::str::FromStr;

pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub fn characters(count: usize) -> String {
    counted(count as u64, "character")
}

pub fn digits(count: usize) -> String {
    counted(count as u64, "digit")
}

/// A number with its noun: `1 record`, `2 records`, `2 branches`, `2 addresses`, `2 deliveries`.
pub fn counted(count: u64, one: &str) -> String {
    let (stem, ending) = match one.strip_suffix('y') {
        _ if count == 1 => (one, ""),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if one.ends_with("ch") || one.ends_with('s') => (one, "es"),
        _ => (one, "s"),
    };
    format!("{count} {stem}{ending}")
}

/// Parses a number of ASCII digits only: without sign and blanks.
pub fn whole_number<T: FromStr>(text: &str) -> Option<T> {
    let has_only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    has_only_digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn whole_numbers_have_only_digits() {
        for (text, expected) in [("0", Some(0)), ("007", Some(7)), ("65535", Some(u16::MAX))] {
            assert_eq!(whole_number(text), expected);
        }
        for wrong in ["", "+1", "-1", " 1", "1.0", "65536", "１"] {
            assert_eq!(whole_number::<u16>(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn nouns_are_singular_or_plural() {
        for (count, one, expected) in [
            (0, "row", "0 rows"),
            (1, "address", "1 address"),
            (2, "address", "2 addresses"),
            (3, "branch", "3 branches"),
            (1, "day", "1 day"),
            (2, "day", "2 days"),
            (1, "delivery", "1 delivery"),
            (0, "delivery", "0 deliveries"),
        ] {
            assert_eq!(counted(count, one), expected);
        }
    }
}
