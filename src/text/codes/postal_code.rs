//! Postal codes: seven digits.

use std::fmt;

use super::{CodeError, digits};

/// A postal code or individual number of a large business: seven digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostalCode(u32);

const EXPECTED: &str = "a postal code has 7 digits and no hyphen";

impl PostalCode {
    /// Reads exactly seven ASCII digits; the specification allows no hyphen.
    pub fn parse(text: &str) -> Result<PostalCode, CodeError> {
        digits::<7>(text, EXPECTED).map(PostalCode)
    }

    /// The code whose digits, read as a number, are `number`; `None` above 9,999,999.
    pub fn from_number(number: u32) -> Option<PostalCode> {
        (number <= 9_999_999).then_some(PostalCode(number))
    }

    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for PostalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:07}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
