//! Codes of a fixed number of digits, kept as a number and printed with their leading zeros.

use std::fmt;

use super::{CodeError, Unexpected};

macro_rules! digit_code {
    ($(#[$doc:meta])* $name:ident($number:ty), $digits:literal, $expected:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($number);

        impl $name {
            #[doc = concat!("Reads exactly ", $digits, " ASCII digits.")]
            pub fn parse(text: &str) -> Result<$name, CodeError> {
                const { assert!(10_u32.pow($digits) - 1 <= <$number>::MAX as u32) };
                digits::<$digits>(text, $expected).map(|number| $name(number as $number))
            }

            pub fn number(self) -> $number {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:0width$}", self.0, width = $digits)
            }
        }
    };
}

digit_code! {
    /// The code of an institution.
    BankCode(u16), 4, "an institution code has 4 digits"
}

digit_code! {
    /// The code of a branch within its institution.
    BranchCode(u16), 3, "a branch code has 3 digits"
}

digit_code! {
    /// A postal code or the large-business number of a business.
    PostalCode(u32), 7, "a postal code has 7 digits and no hyphen"
}

digit_code! {
    /// JIS X 0401. 48 to 99 and 00 are well formed and name no prefecture.
    PrefectureCode(u32), 2, "a prefecture code has 2 digits, 01 to 47"
}

impl PostalCode {
    /// `None` above 9,999,999.
    pub fn from_number(number: u32) -> Option<PostalCode> {
        (number <= 9_999_999).then_some(PostalCode(number))
    }
}

/// The digits of `text` as a number, where it is exactly `N` ASCII digits.
fn digits<const N: usize>(text: &str, expected: &'static str) -> Result<u32, CodeError> {
    const { assert!(N <= 9, "nine digits always fit a u32") };
    let count = text.chars().count();
    if let Some((at, character)) = text.chars().enumerate().find(|(_, c)| !c.is_ascii_digit())
        && (count == N || character != '-')
    {
        let found = Unexpected::Character { character, place: at + 1 };
        return Err(CodeError { expected, found });
    }
    if count != N {
        return Err(CodeError { expected, found: Unexpected::Length(count) });
    }
    Ok(text.bytes().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_length_and_keep_their_zeros() {
        let bank = |text| BankCode::parse(text).map(|code| code.to_string());
        let branch = |text| BranchCode::parse(text).map(|code| code.to_string());
        assert_eq!(bank("0001").as_deref(), Ok("0001"));
        assert_eq!(bank("9999").as_deref(), Ok("9999"));
        assert_eq!(branch("000").as_deref(), Ok("000"));
        for bad in ["", "001", "00001", "000O", "０００１", "-001", "+001", "0 01"] {
            assert!(bank(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "01", "0001", "0a1", "００１", "-01"] {
            assert!(branch(bad).is_err(), "{bad:?}");
        }
        let message = bank("001").expect_err("three digits").to_string();
        assert_eq!(message, "an institution code has 4 digits; found 3 characters");
    }

    #[test]
    fn parses_seven_digits_and_nothing_else() {
        #[track_caller]
        fn check(text: &str, expected: Result<u32, &str>) {
            let found = PostalCode::parse(text).map(PostalCode::number);
            assert_eq!(
                found.map_err(|error| error.found.to_string()),
                expected.map_err(str::to_owned),
                "{text:?}"
            );
        }
        check("1000001", Ok(1_000_001));
        check("0600000", Ok(600_000));
        check("9999999", Ok(9_999_999));
        check("", Err("0 characters"));
        check("100000", Err("6 characters"));
        check("10000011", Err("8 characters"));
        check("100-0001", Err("8 characters"));
        check("100-001", Err("'-' at character 4"));
        check("100000O", Err("'O' at character 7"));
        check("１０００００１", Err("'１' at character 1"));
        check("1000001\0", Err("'\\0' at character 8"));
    }

    #[test]
    fn prints_with_leading_zeros() {
        let code = PostalCode::parse("0600000").expect("seven digits");
        assert_eq!(code.to_string(), "0600000");
    }

    #[test]
    fn parses_two_digits_and_nothing_else() {
        for (text, expected) in [
            ("13", Some(13)),
            ("01", Some(1)),
            ("99", Some(99)),
            ("1", None),
            ("013", None),
            ("1a", None),
            ("", None),
        ] {
            assert_eq!(
                PrefectureCode::parse(text).ok().map(PrefectureCode::number),
                expected,
                "{text:?}"
            );
        }
    }
}
