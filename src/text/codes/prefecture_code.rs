//! Prefecture codes of JIS X 0401: two digits, 01 to 47.

use super::{CodeError, digits};

/// Two digits that may name a prefecture. 48 to 99 and 00 are well formed and name none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrefectureCode(u32);

impl PrefectureCode {
    /// Reads exactly two ASCII digits.
    pub fn parse(text: &str) -> Result<PrefectureCode, CodeError> {
        digits::<2>(text, "a prefecture code has 2 digits, 01 to 47").map(PrefectureCode)
    }

    pub fn number(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
