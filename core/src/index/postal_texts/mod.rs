//! The searched texts of the postal records and their index: five parts ([`Part`]), each a list of short texts, its
//! units.
//!
//! Each part is an index of positions ([`crate::index::grams`]). With the field lengths ([`Lengths`]), a position
//! shows in which field a keyword occurs and whether it is the whole field, so that no text is stored or read.
//! Knows records and folding. Does not know queries.

mod lengths;
mod texts;

use rkyv::{Archive, Serialize};

pub use lengths::{IndexFault, Lengths, LengthsReader, UnitOffset};
pub use texts::{Part, slot};

use super::grams::{self, Dictionary, Listing, Lists, Reader};
use crate::record::postal::{CityRow, PostalRow};
use crate::snapshot::Fault;
use crate::text::fold::{Level, fold_char};

/// A gram of three or more letters is listed if it begins at more positions than this. So a keyword with thousands of
/// matches (株式会社) reads one list instead of comparing those of its pairs; the file of a month grows by 1 %.
const THRESHOLD: u32 = 1_000;

/// The archived index, with one entry per part of [`Part::ALL`].
#[derive(Debug, Archive, Serialize)]
pub struct PostalTextIndex {
    parts: [PartIndex; 5],
}

#[derive(Debug, Archive, Serialize)]
struct PartIndex {
    grams: Dictionary,
    lists: Vec<u8>,
    lengths: Lengths,
}

impl PostalTextIndex {
    /// Indexes the current records, which are in area order.
    pub fn build(cities: &[CityRow], current: &[PostalRow]) -> Result<PostalTextIndex, IndexFault> {
        let mut parts = Vec::with_capacity(Part::ALL.len());
        for part in Part::ALL {
            let texts = texts::texts(part, cities, current);
            let lengths = Lengths::build(part.fields(), texts.iter().map(|text| &*text.lengths))?;
            let text = |unit: u32, out: &mut Vec<char>| {
                out.extend_from_slice(&texts[unit as usize].characters);
            };
            let listing = Listing::Positions { edge: part.edge(), threshold: THRESHOLD };
            let units = u32::try_from(texts.len()).unwrap_or(u32::MAX);
            let (grams, lists) = grams::build(units, listing, text)?;
            parts.push(PartIndex { grams, lists, lengths });
        }
        let parts = <[PartIndex; 5]>::try_from(parts);
        Ok(PostalTextIndex { parts: parts.expect("one for each part") })
    }
}

/// Number of units per part, from the tables of the same snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// Runs of rows in one municipality.
    pub places: usize,
    pub rows: usize,
    pub businesses: usize,
}

impl Units {
    fn count(self, part: Part) -> usize {
        match part {
            Part::Place => self.places,
            Part::Line => self.rows,
            Part::Inside | Part::Name | Part::Kana => self.businesses,
        }
    }
}

impl ArchivedPostalTextIndex {
    /// Checks every number that a search follows, for tables with these units, and the folding of the alphabet.
    pub fn check(&self, units: Units) -> Result<(), &'static str> {
        let folded = |character| fold_char(character, Level::Search) == character;
        for (part, index) in Part::ALL.into_iter().zip(&self.parts) {
            index.lengths.check(part.fields(), units.count(part))?;
            index.grams.check(index.lengths.positions(), index.lists.len(), folded)?;
        }
        Ok(())
    }

    /// Collects in `found`, ascending, the positions of a part at which a keyword, folded like the part, begins. A
    /// single letter is found only at the end of places and at the beginning of lines.
    pub fn find(&self, part: Part, keyword: &[char], found: &mut Vec<u32>) -> Result<(), Fault> {
        let ArchivedPartIndex { grams, lists, .. } = &self.parts[part as usize];
        Reader::of(grams, Lists::Bytes(lists)).positions(keyword, found)
    }

    /// Upper bound on the positions that [`find`](Self::find) finds; no list is read.
    pub fn bound(&self, part: Part, keyword: &[char]) -> Result<usize, Fault> {
        let ArchivedPartIndex { grams, lists, .. } = &self.parts[part as usize];
        Ok(Reader::of(grams, Lists::Bytes(lists)).bound(keyword)?.rows)
    }

    pub fn lengths(&self, part: Part) -> LengthsReader<'_> {
        self.parts[part as usize].lengths.reader()
    }
}

#[cfg(test)]
mod tests;
