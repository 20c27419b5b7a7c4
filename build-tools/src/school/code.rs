//! School codes: a letter and twelve digits, the last of which is the check digit of the rest.

/// A school code as a number: the letter's position in the alphabet (A is 1), then the twelve digits.
pub type Code = u64;

const DIGITS: u32 = 12;

/// `None` unless the text is a letter A to Z followed by twelve digits. The check digit may be wrong.
pub(super) fn parse(text: &str) -> Option<Code> {
    let (letter, digits) = text.as_bytes().split_first()?;
    let is_well_formed = letter.is_ascii_uppercase()
        && digits.len() == DIGITS as usize
        && digits.iter().all(u8::is_ascii_digit);
    let first = u64::from(letter.wrapping_sub(b'A')) + 1;
    let digits = digits.iter().map(|digit| u64::from(digit.wrapping_sub(b'0')));
    is_well_formed.then(|| digits.fold(first, |code, digit| code * 10 + digit))
}

/// Whether the last digit is the check digit of the others. The letter counts as two digits; the digits are
/// weighted 1, 2, 1, 2 and so on, and the digits of the products are added up.
pub(super) fn has_valid_check_digit(code: Code) -> bool {
    let mut rest = code / 10;
    let mut sum = 0;
    // Thirteen digits precede the check digit: from the right the weights begin with 1.
    for position in 0..=DIGITS {
        let product = rest % 10 * u64::from(1 + position % 2);
        sum += product / 10 + product % 10;
        rest /= 10;
    }
    (sum + code % 10).is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_parsed_and_check_digits_computed() {
        for (text, expected) in [
            ("A101110000012", Some(true)),
            ("A101110000021", Some(true)),
            ("F101110100010", Some(true)),
            ("F113110102700", Some(true)),
            ("H113310400202", Some(true)),
            ("A101110000013", Some(false)),
            // Two that the ministry publishes with a wrong check digit.
            ("F140310112074", Some(false)),
            ("A201245300013", Some(false)),
            ("", None),
            ("A", None),
            ("A10111000001", None),
            ("A1011100000123", None),
            ("a101110000012", None),
            ("1101110000012", None),
            ("A10111000001X", None),
            ("Ａ101110000012", None),
            ("A10111000001２", None),
        ] {
            assert_eq!(parse(text).map(has_valid_check_digit), expected, "{text}");
        }
        assert_eq!(parse("A101110000012"), Some(1_101_110_000_012));
        assert_eq!(parse("Z999999999999"), Some(26_999_999_999_999));
    }
}
