//! Rows in the order of their names without kind words: which names equal a text or begin with it.
//!
//! The *body* is what is left of a name at [`Level::Search`] once its kind word is off. [`NameDirectory`] says what lies
//! where. Does not hold the names: the caller gives the name of a row. Damaged bytes are faults and never panic.

mod build;
mod class;
mod families;

use std::ops::Range;

use rkyv::{Archive, Serialize};

pub use build::{Built, build};
pub use class::{Class, Classes, Forms};
pub use families::{Family, families};

use crate::index::row_set::RowSet;
use crate::snapshot::{Blocks, Fault};
use crate::text::fold::{Folded, Level, fold};
use crate::text::kind_words::{Form, has_further, shortened, split};

/// In the forms: the row is not found by its name.
const HIDDEN: u8 = u8::MAX;

/// Bytes of a place in the order.
const PLACE: usize = 4;

/// Places from one sample of the directory to the next.
const SAMPLE: usize = 128;

/// Places that are looked at for given rows among them; of more the names at some places are read.
const LOOKED_AT_MAX: usize = 8 * SAMPLE;

/// What stands beside the section of the order.
///
/// The section: `forms`, a byte a row, the form of its name (see `kind_words`) or HIDDEN; then `order`, four bytes for
/// each other row in the order of bodies and then of rows, the row in three bytes and its form in one. With the first
/// letters of every 128th body a search reads a dozen names instead of two dozen.
#[derive(Debug, Default, PartialEq, Eq, Archive, Serialize)]
pub struct NameDirectory {
    rows: u32,
    /// The first letters of every 128th body, see [`first_letters`].
    samples: Vec<u64>,
    /// Of each form by its number: how many rows are not hidden and have it.
    forms: Vec<u32>,
    /// What else is left of names with further kind words; ascending.
    further: Vec<Further>,
}

/// The first letters of what is left of a row's name in one way of leaving out several kind words, or one
/// in its middle; see [`shortened`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Archive, Serialize)]
struct Further {
    letters: u64,
    row: u32,
}

/// Splits names for the builder and the query alike; keeps its buffers.
#[derive(Debug, Default)]
pub struct Bodies {
    letters: Vec<Folded>,
    text: String,
}

impl Bodies {
    pub fn split(&mut self, name: &str) -> (&str, Form) {
        self.letters.clear();
        // Some registered names end in a space.
        fold(name.trim(), Level::Search, &mut self.letters);
        self.text.clear();
        self.text.extend(self.letters.iter().map(|letter| letter.character));
        split(&self.text, Level::Search)
    }

    /// What [`NameDirectory`] has of further kind words in the name that was split last.
    fn further(&self, row: u32) -> Vec<Further> {
        if !has_further(&self.text, Level::Search) {
            return Vec::new();
        }
        let of = |text: &String| Further { letters: first_letters(text, 0), row };
        shortened(&self.text, Level::Search).iter().map(of).collect()
    }
}

const LETTERS: usize = 4;

/// The first four letters as a number in the order of bodies; `fill` where there is none.
fn first_letters(body: &str, fill: u16) -> u64 {
    let letter = |letter: char| u16::try_from(u32::from(letter)).unwrap_or(u16::MAX);
    let letters = body.chars().map(letter).chain(std::iter::repeat(fill));
    letters.take(LETTERS).fold(0, |number, letter| number << 16 | u64::from(letter))
}

impl ArchivedNameDirectory {
    /// Checks everything that a search relies on, for a section of so many bytes.
    pub fn check(&self, rows: usize, bytes: usize) -> Result<(), &'static str> {
        if self.rows.to_native() as usize != rows {
            return Err("a form for each row");
        }
        let order = bytes.checked_sub(rows).filter(|order| order.is_multiple_of(PLACE));
        let places = order.map(|order| order / PLACE).filter(|places| *places <= rows);
        let places = places.ok_or("forms, and rows of four bytes")?;
        if self.samples.len() != places.div_ceil(SAMPLE)
            || !self.samples.is_sorted_by_key(|sample| sample.to_native())
        {
            return Err("a sample of every 128 places, ascending");
        }
        let key = |it: &ArchivedFurther| (it.letters.to_native(), it.row.to_native());
        let exists = |it: &ArchivedFurther| it.row < self.rows;
        if !self.further.is_sorted_by_key(key) || !self.further.iter().all(exists) {
            return Err("names with further kind words, ascending");
        }
        let counted = self.forms.iter().map(|count| u64::from(count.to_native()));
        if self.forms.len() != Form::all().count() || counted.sum::<u64>() != places as u64 {
            return Err("rows of each form that add up");
        }
        Ok(())
    }
}

/// Where the rows of a text lie in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePlaces {
    /// Bodies that equal the text.
    pub equal: Range<usize>,
    /// Bodies that begin with it; these begin with those.
    pub beginning: Range<usize>,
}

#[derive(Clone, Copy)]
pub struct NameOrder<'s> {
    directory: &'s ArchivedNameDirectory,
    blocks: &'s Blocks,
    rows: usize,
    places: usize,
}

type Placed = (u32, u8);

fn placed(bytes: &[u8]) -> Placed {
    let bytes: [u8; PLACE] = bytes.try_into().unwrap_or_default();
    (u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]), bytes[3])
}

impl<'s> NameOrder<'s> {
    /// Over a directory that was checked with the length of these blocks.
    pub fn of(directory: &'s ArchivedNameDirectory, blocks: &'s Blocks) -> NameOrder<'s> {
        let rows = directory.rows.to_native() as usize;
        let places = blocks.len().saturating_sub(rows) / PLACE;
        NameOrder { directory, blocks, rows, places }
    }

    pub fn len(&self) -> usize {
        self.places
    }

    pub fn is_empty(&self) -> bool {
        self.places == 0
    }

    /// The form of a row's name; `None` where it is hidden or does not exist.
    pub fn form(&self, row: u32) -> Result<Option<Form>, Fault> {
        let row = row as usize;
        if row >= self.rows {
            return Ok(None);
        }
        Ok(Form::from_number(self.blocks.get(row..row + 1)?[0]))
    }

    /// Rows of which a name with further kind words may be this text once some are left out. The text is
    /// folded at [`Level::Search`].
    pub fn further(&self, text: &str) -> impl Iterator<Item = u32> + use<'s> {
        let (further, letters) = (&self.directory.further, first_letters(text, 0));
        let from = further.partition_point(|it| it.letters.to_native() < letters);
        let here = further[from..].iter().take_while(move |it| it.letters.to_native() == letters);
        here.map(|it| it.row.to_native())
    }

    /// The rows at these places of the order: ascending where they have one body.
    pub fn rows(&self, places: Range<usize>) -> Result<impl Iterator<Item = u32> + use<'s>, Fault> {
        Ok(self.placed(places)?.map(|(row, _)| row))
    }

    fn placed(
        &self,
        places: Range<usize>,
    ) -> Result<impl Iterator<Item = Placed> + use<'s>, Fault> {
        let end = self.places.min(places.end);
        let at = |place: usize| self.rows + place * PLACE;
        let bytes = self.blocks.get(at(places.start.min(end))..at(end))?;
        Ok(bytes.chunks_exact(PLACE).map(placed))
    }

    fn forms(&self, rows: Range<usize>) -> Result<&'s [u8], Fault> {
        let end = rows.end.min(self.rows);
        self.blocks.get(rows.start.min(end)..end)
    }

    /// The rows whose body equals the text (folded at [`Level::Search`]), and those that begin with it.
    pub fn find(
        &self,
        text: &str,
        name: &mut impl FnMut(u32) -> Result<&'s str, Fault>,
    ) -> Result<NamePlaces, Fault> {
        self.find_among(text, None, name)
    }

    /// The same. Where rows are given, the places of others may be taken for the one or the other: then few names are
    /// read, mostly none.
    fn find_among(
        &self,
        text: &str,
        among: Option<&RowSet>,
        name: &mut impl FnMut(u32) -> Result<&'s str, Fault>,
    ) -> Result<NamePlaces, Fault> {
        let mut bodies = Bodies::default();
        let mut is = |place: usize, holds: &dyn Fn(&str) -> bool| -> Result<bool, Fault> {
            let start = self.rows + place * PLACE;
            let (row, _) = placed(self.blocks.get(start..start + PLACE)?);
            Ok(holds(bodies.split(name(row)?).0))
        };
        let samples = &self.directory.samples;
        let before = |bound: u64| samples.partition_point(|sample| sample.to_native() < bound);
        let until = |bound: u64| samples.partition_point(|sample| sample.to_native() <= bound);
        // Samples below the text are before its rows, samples above it behind.
        let behind = |samples: usize| (samples * SAMPLE).min(self.places);
        let low = before(first_letters(text, 0)).saturating_sub(1) * SAMPLE;
        let high = behind(until(first_letters(text, 0)));
        let anywhere: Search = |range, holds| bisect(range, holds);
        let below = |place| is(place, &|body| body < text);
        let start = self.end_of(low..high, among, anywhere, below)?;
        let end = behind(until(first_letters(text, u16::MAX)));
        // Where few letters of the basic plane end, the samples know to 128 places.
        let sampled =
            text.chars().count() <= LETTERS && text.chars().all(|letter| letter < '\u{ffff}');
        let known = if sampled { end.saturating_sub(SAMPLE) } else { 0 };
        let known = (known / SAMPLE * SAMPLE).clamp(start, end.max(start));
        let begins = |place| is(place, &|body| body.starts_with(text));
        let last = self.end_of(known..end, among, gallop, begins)?;
        let equals = |place| is(place, &|body| body == text);
        let equal = self.end_of(start..last.min(high), among, gallop, equals)?;
        Ok(NamePlaces { equal: start..equal, beginning: start..last })
    }

    /// The first place of a range at which `holds` is false, where it is true before; among rows, as far as they tell.
    fn end_of(
        &self,
        range: Range<usize>,
        among: Option<&RowSet>,
        search: Search,
        mut holds: impl FnMut(usize) -> Result<bool, Fault>,
    ) -> Result<usize, Fault> {
        let Some(rows) = among.filter(|_| range.len() <= LOOKED_AT_MAX) else {
            return search(range, &mut holds);
        };
        let places = range.clone().zip(self.placed(range.clone())?);
        let places = places.filter(|(_, (row, _))| rows.contains(*row as usize));
        let places: Vec<usize> = places.map(|(place, _)| place).collect();
        let first = search(0..places.len(), &mut |at| holds(places[at]))?;
        Ok(places.get(first).copied().unwrap_or(range.end))
    }
}

/// A way to find the first place of a range at which a question is false.
type Search =
    fn(Range<usize>, &mut dyn FnMut(usize) -> Result<bool, Fault>) -> Result<usize, Fault>;

/// The first place of a range at which `holds` is false, where it is true before.
pub(in crate::index) fn bisect(
    range: Range<usize>,
    mut holds: impl FnMut(usize) -> Result<bool, Fault>,
) -> Result<usize, Fault> {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle)? {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    Ok(start)
}

/// As [`bisect`], for a place that is near the start.
fn gallop(
    range: Range<usize>,
    holds: &mut dyn FnMut(usize) -> Result<bool, Fault>,
) -> Result<usize, Fault> {
    let Range { mut start, end } = range;
    let mut step = 1;
    while start < end {
        let probe = (start + step - 1).min(end - 1);
        if !holds(probe)? {
            return bisect(start..probe, holds);
        }
        start = probe + 1;
        step *= 2;
    }
    Ok(start)
}

#[cfg(test)]
mod tests;
