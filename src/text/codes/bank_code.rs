//! Institution codes, four digits, and branch codes, three.

use std::fmt;

use super::{CodeError, digits};

/// The code of an institution: four digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BankCode(u16);

/// The code of a branch within its institution: three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchCode(u16);

impl BankCode {
    pub fn parse(text: &str) -> Result<BankCode, CodeError> {
        let number = digits::<4>(text, "an institution code has 4 digits")?;
        Ok(BankCode(u16::try_from(number).expect("four digits fit")))
    }

    pub fn number(self) -> u16 {
        self.0
    }
}

impl BranchCode {
    pub fn parse(text: &str) -> Result<BranchCode, CodeError> {
        let number = digits::<3>(text, "a branch code has 3 digits")?;
        Ok(BranchCode(u16::try_from(number).expect("three digits fit")))
    }

    pub fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for BankCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

impl fmt::Display for BranchCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03}", self.0)
    }
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
}
