//! Codes and versions that arrive as text: each is parsed here and nowhere else.
//!
//! A value of one of these types is well formed; whether it exists is another question.

mod api_version;
mod corporate_number;
mod data_version;
mod digits;
mod invoice_number;
mod school_code;

pub use api_version::ApiVersion;
pub use corporate_number::CorporateNumber;
pub use data_version::DataVersion;
pub use digits::{BankCode, BranchCode, PostalCode, PrefectureCode, digit};
pub use invoice_number::InvoiceNumber;
pub use school_code::SchoolCode;

use super::amounts::characters;

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
    #[error("{}", characters(*.0))]
    Length(usize),
    /// Another number of digits, beside the marks that may stand between them.
    #[error("{0} digits")]
    Digits(usize),
    /// A character that cannot stand there, with its place from 1.
    #[error("{character:?} at character {place}")]
    Character { character: char, place: usize },
    /// The right shape with a value that cannot be.
    #[error("{0:?}")]
    Value(String),
}
