//! Where a text contains a keyword, for millions of rows with one short text each.
//!
//! Every two letters that stand side by side somewhere, a gram, have a list of the rows they stand in; so
//! have three to eight letters that more rows have than a threshold. What is listed is answered by its
//! list alone: how many rows, how many before a row, the rows from a place on. A keyword that is not
//! listed is in few rows or long: the rarest lists of the grams in it are intersected, and what is left
//! is asked for its text. The threshold trades size for the time of such a keyword.
//!
//! | file | what |
//! |---|---|
//! | `dictionary` | which grams are listed and where: archived |
//! | `list`, `packed`, `bitmap` | one list of rows: a section that is read block by block |
//! | `matches` | what was found |
//! | `find` | a keyword to what it finds |
//! | `builder`, `text`, `keys` | the making of both |
//!
//! Holds true: what is found is exact, in ascending order of rows; damage that the checksums did not
//! show never panics. Does not know fields, folding nor records: the caller gives folded texts and folds
//! the keyword alike.

mod bitmap;
mod builder;
mod dictionary;
mod find;
mod keys;
mod list;
mod matches;
mod packed;
mod text;

pub use dictionary::{ArchivedDictionary, Dictionary, Sizes};
pub use find::{Found, Reader};
pub use matches::{Matches, Rows};

use crate::index::numbers::ROWS_MAX;

/// Letters of the longest gram that is listed.
const LONGEST: usize = 8;

/// The texts cannot be indexed: they are not what an official file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BuildFault {
    /// More rows than have numbers.
    #[error("expected at most {ROWS_MAX} rows, found {found}; are these the files?")]
    Rows {
        /// How many there are.
        found: u32,
    },
    /// More characters than letters have numbers.
    #[error("expected at most 65,535 different characters, found more; are these the files?")]
    Alphabet,
    /// More letters than can be counted.
    #[error(
        "expected texts of at most 4,294,967,295 letters all told, found more; are these the files?"
    )]
    Letters,
    /// Longer lists than can be addressed.
    #[error("expected lists of less than 2 GiB, found more; are these the files?")]
    Lists,
}

/// Indexes the texts of so many rows. `text` puts the folded text of a row into the empty buffer it is
/// given, and nothing where the row has none. A gram of three letters or more is listed where more
/// rows than `threshold` have it. Gives what is archived, and the bytes of the lists, which are read as
/// [`Blocks`](crate::snapshot::Blocks).
pub fn build(
    rows: u32,
    threshold: u32,
    text: impl FnMut(u32, &mut Vec<char>),
) -> Result<(Dictionary, Vec<u8>), BuildFault> {
    if rows as usize > ROWS_MAX {
        return Err(BuildFault::Rows { found: rows });
    }
    builder::Builder::begin(text::Texts::read(rows, text)?, threshold).finish()
}

#[cfg(test)]
mod tests;
