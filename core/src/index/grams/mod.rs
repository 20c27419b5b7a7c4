//! The n-gram index: which texts contain a keyword. Used by postal, corporate and school search.
//!
//! A gram is two or more adjacent letters of some text. Each has a posting list: ascending numbers, packed or as a
//! bitmap. The [`Listing`] says what the numbers are. Results are exact and ascending; damage that the checksums
//! missed never panics. Knows no records, fields or folding: the caller folds texts and keyword alike.

mod bitmap;
mod builder;
mod dictionary;
mod find;
mod gaps;
mod list;
mod matches;
mod packed;
mod renew;
mod writer;

use std::ops::Range;

use crate::snapshot::{Blocks, OpenError, Section, SectionTag, SnapshotFile};
use crate::text::fold::{Level, fold_char};
use dictionary::LetterIndex;

pub use builder::{Edge, Listing, build};
pub use dictionary::{ArchivedDictionary, Dictionary, RowLists};
pub use find::{Bound, Candidates, Reader};
pub use list::Lists;
pub use matches::{Matches, Rows};
pub use renew::{RenewFault, renew};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSections {
    pub grams: SectionTag,
    pub lists: SectionTag,
    pub sums: SectionTag,
}

#[cfg(test)]
mod tests;

#[derive(Debug)]
pub struct TextIndex {
    grams: Section<ArchivedDictionary>,
    lists: Blocks,
}

impl TextIndex {
    pub fn reader(&self) -> Reader<'_> {
        Reader::of(self.grams.root(), Lists::Blocks(&self.lists))
    }

    /// Opens and checks the index of this many rows, whose texts are folded at this level.
    pub fn open(
        file: &SnapshotFile,
        sections: TextSections,
        level: Level,
        rows: usize,
    ) -> Result<TextIndex, OpenError> {
        let lists = file.blocks(sections.lists, sections.sums)?;
        let is_folded = |letter| fold_char(letter, level) == letter;
        let check = |grams: &ArchivedDictionary| grams.check(rows, lists.len(), is_folded);
        let grams = file.checked_archive(sections.grams, check)?;
        Ok(TextIndex { grams, lists })
    }
}

/// One more than the largest number in a posting list: a skip stores it in three bytes.
pub const UNIVERSE_MAX: u32 = 1 << 24;

/// The texts cannot be indexed: they exceed every official file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BuildFault {
    #[error(
        "expected at most {UNIVERSE_MAX} rows, found {found}; check that the sources are the official files"
    )]
    Rows { found: u32 },
    #[error(
        "expected at most 65,535 different characters, found more; check that the sources are the official files"
    )]
    Alphabet,
    #[error(
        "expected texts of at most {expected} letters in all, found more; check that the sources are the official files"
    )]
    Letters { expected: u32 },
    #[error(
        "expected posting lists of less than 2 GiB, found more; check that the sources are the official files"
    )]
    Lists,
}

pub struct Texts {
    pub alphabet: Vec<u32>,
    pub letters: Vec<LetterIndex>,
    /// The start of each row's text; and the end.
    starts: Vec<u32>,
}

/// Letters of a text for which room is reserved.
const RESERVED_LETTERS: usize = 16;

const UNSEEN: LetterIndex = LetterIndex::MAX;

impl Texts {
    /// Reads the text of each row, which `text` writes to the empty buffer it gets.
    pub fn read(rows: u32, mut text: impl FnMut(u32, &mut Vec<char>)) -> Result<Texts, BuildFault> {
        if rows > UNIVERSE_MAX {
            return Err(BuildFault::Rows { found: rows });
        }
        let mut numbers = vec![UNSEEN; char::MAX as usize + 1];
        let mut seen = Vec::new();
        let mut texts = Texts {
            alphabet: Vec::new(),
            // More than most fields need: a vector that grows is copied, and is in memory twice meanwhile.
            letters: Vec::with_capacity(rows as usize * RESERVED_LETTERS),
            starts: Vec::with_capacity(rows as usize + 1),
        };
        texts.starts.push(0);
        let mut buffer = Vec::new();
        for row in 0..rows {
            buffer.clear();
            text(row, &mut buffer);
            for character in &buffer {
                let number = &mut numbers[*character as usize];
                if *number == UNSEEN {
                    let next =
                        LetterIndex::try_from(seen.len()).ok().filter(|next| *next != UNSEEN);
                    *number = next.ok_or(BuildFault::Alphabet)?;
                    seen.push(u32::from(*character));
                }
                texts.letters.push(*number);
            }
            let end = u32::try_from(texts.letters.len());
            let end = end.map_err(|_cause| BuildFault::Letters { expected: u32::MAX })?;
            texts.starts.push(end);
        }
        texts.sort_alphabet(seen);
        Ok(texts)
    }

    /// Renumbers the letters by character instead of by first occurrence.
    fn sort_alphabet(&mut self, seen: Vec<u32>) {
        let mut order: Vec<LetterIndex> = (0..seen.len() as LetterIndex).collect();
        order.sort_unstable_by_key(|number| seen[usize::from(*number)]);
        let mut letters = vec![0; seen.len()];
        for (letter, number) in (0..).zip(&order) {
            letters[usize::from(*number)] = letter;
        }
        for letter in &mut self.letters {
            *letter = letters[usize::from(*letter)];
        }
        self.alphabet = order.iter().map(|number| seen[usize::from(*number)]).collect();
    }

    pub fn rows(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    #[inline]
    pub fn range(&self, row: u32) -> Range<usize> {
        let row = row as usize;
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Where the grams of this length begin in a row's text.
    #[inline]
    pub fn gram_starts(&self, row: u32, length: usize) -> Range<usize> {
        let range = self.range(row);
        range.start..range.end.saturating_sub(length - 1).max(range.start)
    }
}
