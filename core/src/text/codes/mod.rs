//! Codes and versions that arrive as text. Each is parsed here and nowhere else.
//!
//! A value of one of these types is well formed. It may still not exist in the data.

mod api_version;
mod corporate_number;
pub mod corporation;
mod data_version;
mod digits;
mod invoice_number;
pub mod school;
mod school_code;

pub use api_version::ApiVersion;
pub use corporate_number::CorporateNumber;
pub use data_version::DataVersion;
pub use digits::{BankCode, BranchCode, PostalCode, PrefectureCode, digit};
pub use invoice_number::InvoiceNumber;
pub use school_code::SchoolCode;

use super::amounts::{characters, digits};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{expected}; found {found}")]
pub struct CodeError {
    /// The expected shape, as the beginning of a sentence: `a postal code has 7 digits`.
    pub expected: &'static str,
    pub found: Unexpected,
}

impl CodeError {
    /// The error of a text that does not have this many characters, of which each `fits` at its index.
    #[cold]
    fn in_text(
        expected: &'static str,
        text: &str,
        characters: usize,
        fits: impl Fn(usize, char) -> bool,
    ) -> CodeError {
        let count = text.chars().count();
        let other = text.chars().enumerate().find(|(index, found)| !fits(*index, *found));
        let found = match other {
            Some((index, character)) if count == characters => {
                Unexpected::Character { character, position: index + 1 }
            }
            _ => Unexpected::Length(count),
        };
        CodeError { expected, found }
    }
}

/// What a text has in place of the expected code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unexpected {
    /// Wrong number of characters.
    #[error("{}", characters(*.0))]
    Length(usize),
    /// Wrong number of digits; separators do not count.
    #[error("{}", digits(*.0))]
    Digits(usize),
    /// A character that is not allowed there, with its position from 1.
    #[error("{character:?} at character {position}")]
    Character { character: char, position: usize },
    /// The right shape, but an impossible value.
    #[error("{0:?}")]
    Value(String),
}
