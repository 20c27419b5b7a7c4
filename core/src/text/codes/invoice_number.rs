//! Registration numbers of qualified invoice issuers: `T` and thirteen digits.

use std::fmt;

use super::{CodeError, CorporateNumber, digit};

/// `T` and thirteen digits. A corporation has its corporate number here, whose first digit is a check digit.
/// Numbers of individuals, and of associations without a corporate number, may begin with any digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InvoiceNumber(CorporateNumber);

const EXPECTED: &str = "a registration number is T and 13 digits";

impl InvoiceNumber {
    /// Reads `T` and exactly thirteen digits, half-width or full-width.
    pub fn parse(text: &str) -> Result<InvoiceNumber, CodeError> {
        let digits = text.strip_prefix(['T', 'Ｔ']).ok_or_else(|| parse_error(text))?;
        CorporateNumber::parse(digits).map(InvoiceNumber).map_err(|_digits| parse_error(text))
    }

    /// The registration number of a corporation, whether or not it is registered.
    pub fn from_corporate(number: CorporateNumber) -> InvoiceNumber {
        InvoiceNumber(number)
    }

    /// `None` if `digits` has more than thirteen digits.
    pub fn from_digits(digits: u64) -> Option<InvoiceNumber> {
        CorporateNumber::from_number(digits).map(InvoiceNumber)
    }

    pub fn digits(self) -> u64 {
        self.0.number()
    }

    /// The digits as a corporate number. With a wrong check digit it belongs to no corporation.
    pub fn corporate(self) -> CorporateNumber {
        self.0
    }
}

fn parse_error(text: &str) -> CodeError {
    CodeError::in_text(EXPECTED, text, 1 + CorporateNumber::DIGITS, |index, found| match index {
        0 => matches!(found, 'T' | 'Ｔ'),
        _ => digit(found).is_some(),
    })
}

impl fmt::Display for InvoiceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registration_number_has_t_and_thirteen_digits() {
        let number = InvoiceNumber::parse("T7000012050002").expect("a number");
        assert_eq!(number.to_string(), "T7000012050002");
        assert_eq!((number.digits(), number.corporate().is_sound()), (7_000_012_050_002, true));
        let individual = InvoiceNumber::parse("T0000012050002").expect("well formed");
        assert_eq!(individual.to_string(), "T0000012050002");
        assert!(!individual.corporate().is_sound());
        assert_eq!(InvoiceNumber::from_digits(12_050_002), Some(individual));
        assert_eq!(InvoiceNumber::from_digits(10_000_000_000_000), None);
        assert_eq!(InvoiceNumber::parse("Ｔ７0000１2050002"), Ok(number), "full-width");
        for (text, expected) in [
            ("", "0 characters"),
            ("T", "1 character"),
            ("7000012050002", "13 characters"),
            ("T700001205000", "13 characters"),
            ("T70000120500020", "15 characters"),
            ("t7000012050002", "'t' at character 1"),
            ("T700001205000O", "'O' at character 14"),
            ("07000012050002", "'0' at character 1"),
            ("T-000012050002", "'-' at character 2"),
        ] {
            let error = InvoiceNumber::parse(text).expect_err(text);
            assert_eq!(error.found.to_string(), expected, "{text}");
            assert_eq!(error.expected, EXPECTED);
        }
    }
}
