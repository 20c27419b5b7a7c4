//! The n-gram index: which texts contain a keyword. Used by postal, corporate and school search.
//!
//! A gram is two or more adjacent letters of some text. Each has a posting list: ascending numbers, packed or as a
//! bitmap. The [`Listing`] says what the numbers are. Results are exact and ascending; damage that the checksums
//! missed never panics. Knows no records, fields or folding: the caller folds texts and keyword alike.

mod bitmap;
mod builder;
mod dictionary;
mod find;
mod keys;
mod list;
mod matches;
mod packed;
mod renew;
mod texts;
mod writer;

pub use builder::{Edge, Listing, build};
pub use dictionary::{ArchivedDictionary, Dictionary};
pub use find::{Bound, Candidates, Reader};
pub use list::Lists;
pub use matches::{Matches, Rows};
pub use renew::{RenewFault, renew};
pub use texts::BuildFault;

use crate::snapshot::SectionTag;

/// The sections of a field's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSections {
    pub grams: SectionTag,
    pub lists: SectionTag,
    pub sums: SectionTag,
}

#[cfg(test)]
mod tests;
