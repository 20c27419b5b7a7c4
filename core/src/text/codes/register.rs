//! The two registers whose changes are published day by day, and the numbers of their entries.
//!
//! Both number with thirteen digits, so a [`CorporateNumber`] holds the digits of either; a registration number has a
//! `T` before them. Does not know which numbers exist.

use super::{CodeError, CorporateNumber, InvoiceNumber};
use crate::text::named_enum::named_enum;

named_enum! {
    fn as_str;
    /// Its text is also the name of its dataset.
    pub enum Register {
        Corporate = "corporate",
        /// The register of qualified invoice issuers.
        Invoice = "invoice",
    }
}

impl Register {
    /// Parses a number as the register writes it: thirteen digits, or `T` and thirteen digits.
    pub fn parse_number(self, text: &str) -> Result<CorporateNumber, CodeError> {
        match self {
            Register::Corporate => CorporateNumber::parse(text),
            Register::Invoice => InvoiceNumber::parse(text).map(InvoiceNumber::corporate),
        }
    }

    /// The number as the register writes it.
    pub fn number_text(self, number: CorporateNumber) -> String {
        match self {
            Register::Corporate => number.to_string(),
            Register::Invoice => InvoiceNumber::from_corporate(number).to_string(),
        }
    }

    /// The letters of a number.
    pub const fn number_length(self) -> usize {
        match self {
            Register::Corporate => CorporateNumber::DIGITS,
            Register::Invoice => 1 + CorporateNumber::DIGITS,
        }
    }

    /// Whether an entry may have this number. A corporation's check digit is right. Numbers of individuals need none, so
    /// an issuer may have any number.
    pub fn may_have(self, number: CorporateNumber) -> bool {
        match self {
            Register::Corporate => number.is_sound(),
            Register::Invoice => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_their_register_writes_them() {
        #[track_caller]
        fn check(text: &str, register: Register, expected: Option<(u64, bool)>) {
            let found = register.parse_number(text).ok();
            let shown = found.map(|number| (number.number(), register.may_have(number)));
            assert_eq!(shown, expected, "{text}");
            if let Some(number) = found {
                let written = register.number_text(number);
                assert_eq!(written.len(), register.number_length());
                assert_eq!(register.parse_number(&written), Ok(number));
            }
        }
        let (corporate, invoice) = (Register::Corporate, Register::Invoice);
        check("7000012050002", corporate, Some((7_000_012_050_002, true)));
        check("7000012050003", corporate, Some((7_000_012_050_003, false)));
        check("T7000012050002", corporate, None);
        check("T7000012050002", invoice, Some((7_000_012_050_002, true)));
        check("Ｔ０000012050002", invoice, Some((12_050_002, true)));
        check("7000012050002", invoice, None);
        check("t7000012050002", invoice, None);
        check("", corporate, None);
        check("", invoice, None);
    }
}
