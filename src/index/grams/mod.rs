//! The n-gram index: which texts contain a keyword. Postal and corporate search share it.
//!
//! A gram is two letters or more that stand side by side in some text. Each has a posting list: ascending
//! numbers, packed or as a bitmap. What the numbers are is the [`Listing`]. What is found is exact and ascending;
//! damage that the checksums missed never panics. Knows no records, fields or folding: the caller folds the
//! texts and the keyword alike.

mod bitmap;
mod builder;
mod dictionary;
mod find;
mod growing;
mod keys;
mod list;
mod listing;
mod matches;
mod packed;
mod renew;
mod texts;

pub use dictionary::{ArchivedDictionary, Dictionary};
pub use find::{Bound, Candidates, Reader};
pub use list::Lists;
pub use listing::{Edge, Listing};
pub use matches::{Matches, Rows};
pub use renew::{RenewFault, renew};
pub use texts::BuildFault;

/// Indexes the texts of so many rows, which `text` writes folded; what is archived, and the lists' bytes.
pub fn build(
    rows: u32,
    listing: Listing,
    text: impl FnMut(u32, &mut Vec<char>),
) -> Result<(Dictionary, Vec<u8>), BuildFault> {
    builder::Builder::begin(texts::Texts::read(rows, text)?, listing)?.finish()
}

#[cfg(test)]
mod tests;
