//! The n-gram index: which texts contain a keyword. Postal and corporate search share it.
//!
//! A gram is two letters or more that stand side by side in some text. Each has a posting list: ascending
//! numbers, packed or as a bitmap. What the numbers are is the [`Listing`]:
//!
//! - **Rows**, for millions of rows with one text each. Every bigram is listed; so are grams of three to 32
//!   letters that more rows have than a threshold, and rarer ones made of two common grams. A listed keyword
//!   costs one list. Of any other, the rarest lists are intersected and the rows left are verified by
//!   their text. The threshold trades size for the time of such a keyword.
//! - **Positions**, for short texts where the answer depends on where in the text the keyword stands. Every
//!   place of every bigram is listed, so a keyword is found exactly, without the texts.
//!
//! | file | what |
//! |---|---|
//! | `dictionary` | which grams are listed and where their lists lie: archived |
//! | `list`, `packed`, `bitmap` | one posting list |
//! | `matches` | the numbers that were found |
//! | `find` | a keyword to its matches |
//! | `builder`, `texts`, `keys` | building |
//!
//! What is found is exact and ascending. Damage that the checksums missed never panics. Knows no
//! records, fields or folding: the caller folds the texts and the keyword alike.

mod bitmap;
mod builder;
mod dictionary;
mod find;
mod keys;
mod list;
mod listing;
mod matches;
mod packed;
mod texts;

pub use dictionary::{ArchivedDictionary, Dictionary, Sizes};
pub use find::{Candidates, Reader};
pub use list::Lists;
pub use listing::{Edge, Listing};
pub use matches::{Matches, Rows};
pub use texts::BuildFault;

/// Indexes the texts of so many rows. `text` puts the folded text of a row into the empty buffer it is
/// given, and nothing where the row has none. Returns what is archived, and the bytes of the lists.
pub fn build(
    rows: u32,
    listing: Listing,
    text: impl FnMut(u32, &mut Vec<char>),
) -> Result<(Dictionary, Vec<u8>), BuildFault> {
    builder::Builder::begin(texts::Texts::read(rows, text)?, listing)?.finish()
}

#[cfg(test)]
mod tests;
