//! Codes and versions that arrive as text: each is parsed here and nowhere else.
//!
//! A value of one of these types is well formed; whether it exists is another question.

mod api_version;
mod bank_code;
mod corporate_number;
mod data_version;
mod postal_code;
mod prefecture_code;

pub use api_version::ApiVersion;
pub use bank_code::{BankCode, BranchCode};
pub use corporate_number::CorporateNumber;
pub use data_version::DataVersion;
pub use postal_code::PostalCode;
pub use prefecture_code::PrefectureCode;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{expected}; found {found}")]
pub struct CodeError {
    /// What the code looks like, as a sentence's beginning: `a postal code has 7 digits`.
    pub expected: &'static str,
    pub found: Unexpected,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unexpected {
    /// Another number of characters.
    #[error("{0} characters")]
    Length(usize),
    /// A character that cannot stand there, with its place from 1.
    #[error("{character:?} at character {place}")]
    Character { character: char, place: usize },
    /// The right shape with a value that cannot be.
    #[error("{0:?}")]
    Value(String),
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
