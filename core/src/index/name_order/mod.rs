//! Rows sorted by name without the kind word (株式会社 and the like): finds names that equal a text or begin with it.
//!
//! The *body* of a name is the name, folded at [`Level::Search`], without its kind word. A *place* is a position in the
//! order. The section stores the bodies too, so a search reads no records; [`NameDirectory`] describes its layout.
//! Damaged bytes give faults or wrong places, never a panic.

mod build;
mod class;
mod groups;

use std::ops::Range;

use rkyv::{Archive, Serialize};

pub use build::{BuiltOrder, Family, build, renew};
pub use class::{Class, Classes, FormSet};
use groups::{GROUP_PLACES, Group, PLACE_BYTES, PlacedRow};

use crate::snapshot::{Blocks, Fault, SectionTag};
use crate::text::fold::{Folded, Level, fold};
use crate::text::kind_words::{Form, has_unsplit_word, shortened, split};

/// The section of the order in a snapshot.
pub const SECTION: SectionTag = SectionTag::new("order");

/// The form of a row that is not found by its name.
const HIDDEN: u8 = u8::MAX;

/// A search prefetches the groups that may have its text if they take at most so many bytes, else only the first and
/// the last.
const PREFETCH_BYTES_MAX: usize = 128 << 10;

/// The table beside the section of the order.
///
/// The section has one byte per row, the form of its name (see `kind_words`) or HIDDEN. Then come the groups
/// (`groups.rs`) with the rows that are not hidden, sorted by body and then by row.
#[derive(Debug, Default, PartialEq, Eq, Archive, Serialize)]
pub struct NameDirectory {
    rows: u32,
    places: u32,
    /// The first letters of each group's first body, see [`first_letters`].
    samples: Vec<u64>,
    /// The offset of each group, counted from the end of the forms.
    starts: Vec<u64>,
    /// The number of rows of each form, by the form's number; hidden rows have none.
    forms: Vec<u32>,
    /// The shorter forms of names with further kind words, ascending.
    shortened: Vec<ShortenedName>,
}

/// A name from which several kind words, or one in the middle, were left out (see [`shortened`]): its first letters and
/// its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Archive, Serialize)]
struct ShortenedName {
    letters: u64,
    row: u32,
}

/// Splits names into body and form, in the build and in a query. Reuses its buffers.
#[derive(Debug, Default)]
pub struct BodySplitter {
    letters: Vec<Folded>,
    text: String,
}

impl BodySplitter {
    /// The body of a name and its form.
    pub fn split(&mut self, name: &str) -> (&str, Form) {
        self.letters.clear();
        // Some registered names end in a space.
        fold(name.trim(), Level::Search, &mut self.letters);
        self.text.clear();
        self.text.extend(self.letters.iter().map(|letter| letter.character));
        split(&self.text, Level::Search)
    }

    /// The shorter forms of the name that was split last, the name of this row.
    fn shortened(&self, row: u32) -> Vec<ShortenedName> {
        if !has_unsplit_word(&self.text, Level::Search) {
            return Vec::new();
        }
        let entry = |text: &String| ShortenedName { letters: first_letters(text, 0), row };
        shortened(&self.text, Level::Search).iter().map(entry).collect()
    }
}

const LETTERS: usize = 4;

/// Letters from this one on do not fit into [`first_letters`], which then ignores the letters after them.
const UNKNOWN: char = '\u{ffff}';

/// The first four letters as a number that sorts like the body; `fill` replaces missing letters. Bodies
/// with the same first four letters have the same number, as may bodies with letters outside the basic multilingual
/// plane.
fn first_letters(body: &str, fill: u16) -> u64 {
    let mut letters = body.chars();
    let mut is_known = true;
    (0..LETTERS).fold(0, |number, _| {
        let letter = match letters.next().filter(|_| is_known) {
            Some(letter) if letter < UNKNOWN => letter as u16,
            Some(_) => {
                is_known = false;
                UNKNOWN as u16
            }
            None => fill,
        };
        number << 16 | u64::from(letter)
    })
}

impl ArchivedNameDirectory {
    /// Checks all invariants that a search relies on, for a section of this many bytes.
    pub fn check(&self, rows: usize, bytes: usize) -> Result<(), &'static str> {
        if self.rows.to_native() as usize != rows {
            return Err("a form for each row");
        }
        let places = self.places.to_native() as usize;
        let groups = bytes.checked_sub(rows).filter(|_| places <= rows);
        let groups = groups.ok_or("forms, and no more places than rows")?;
        let count = places.div_ceil(GROUP_PLACES);
        if self.samples.len() != count
            || !self.samples.is_sorted_by_key(|sample| sample.to_native())
        {
            return Err("a sample of every 128 places, ascending");
        }
        let starts = || self.starts.iter().map(|start| start.to_native() as usize);
        let ends = starts().skip(1).chain([groups]);
        let mut ranges = (0..).zip(starts().zip(ends));
        let has_places = |(group, (start, end)): (usize, (usize, usize))| {
            let places = GROUP_PLACES.min(places.saturating_sub(group * GROUP_PLACES));
            start.checked_add(places * PLACE_BYTES).is_some_and(|bodies| bodies <= end)
        };
        if self.starts.len() != count
            || starts().next().unwrap_or(groups) != 0
            || !ranges.all(has_places)
        {
            return Err("groups of 128 places, one after the other");
        }
        let key = |it: &ArchivedShortenedName| (it.letters.to_native(), it.row.to_native());
        let exists = |it: &ArchivedShortenedName| it.row < self.rows;
        if !self.shortened.is_sorted_by_key(key) || !self.shortened.iter().all(exists) {
            return Err("names with further kind words, ascending");
        }
        let counted = self.forms.iter().map(|count| u64::from(count.to_native()));
        if self.forms.len() != Form::all().count() || counted.sum::<u64>() != places as u64 {
            return Err("rows of each form that add up");
        }
        Ok(())
    }
}

/// The places of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePlaces {
    /// Bodies that equal the text.
    pub equal: Range<usize>,
    /// Bodies that begin with it; the range begins with `equal`.
    pub beginning: Range<usize>,
}

/// The order, read in place.
#[derive(Clone, Copy)]
pub struct NameOrder<'s> {
    directory: &'s ArchivedNameDirectory,
    blocks: &'s Blocks,
    rows: usize,
    pub places: usize,
}

impl<'s> NameOrder<'s> {
    /// `directory` must have been checked with the length of these blocks.
    pub fn new(directory: &'s ArchivedNameDirectory, blocks: &'s Blocks) -> NameOrder<'s> {
        let [rows, places] = [directory.rows, directory.places].map(|it| it.to_native() as usize);
        NameOrder { directory, blocks, rows, places }
    }

    /// The form of a row's name; `None` if the row is hidden or does not exist.
    pub fn form(&self, row: u32) -> Result<Option<Form>, Fault> {
        let row = row as usize;
        if row >= self.rows {
            return Ok(None);
        }
        Ok(Form::from_number(self.blocks.get(row..row + 1)?[0]))
    }

    /// Rows whose name may equal this text without some of its kind words. The text is folded at [`Level::Search`].
    pub fn rows_shortened_to(&self, text: &str) -> impl Iterator<Item = u32> + use<'s> {
        let (names, letters) = (&self.directory.shortened, first_letters(text, 0));
        let start = names.partition_point(|it| it.letters.to_native() < letters);
        let equal = names[start..].iter().take_while(move |it| it.letters.to_native() == letters);
        equal.map(|it| it.row.to_native())
    }

    /// The rows at these places; rows of the same body ascend.
    pub fn rows(&self, places: Range<usize>) -> Result<impl Iterator<Item = u32> + use<'s>, Fault> {
        Ok(self.placed_rows(places)?.map(|placed| placed.row))
    }

    fn placed_rows(
        &self,
        places: Range<usize>,
    ) -> Result<impl Iterator<Item = PlacedRow> + use<'s>, Fault> {
        let end = self.places.min(places.end);
        let start = places.start.min(end);
        let groups = start / GROUP_PLACES..end.div_ceil(GROUP_PLACES);
        let (order, all) = (*self, self.byte_range(groups.clone()));
        let bytes = self.blocks.get(all.clone())?;
        Ok(groups.flat_map(move |number| {
            let Range { start: from, end: to } = order.byte_range(number..number + 1);
            let bytes = bytes.get(from - all.start..to - all.start).unwrap_or_default();
            let first = number * GROUP_PLACES;
            let inside = start.max(first) - first..end.min(first + GROUP_PLACES) - first;
            Group::new(order.place_count(number), bytes).placed_rows(inside)
        }))
    }

    fn byte_range(&self, groups: Range<usize>) -> Range<usize> {
        let start = |group: usize| match self.directory.starts.get(group) {
            Some(start) => self.rows + start.to_native() as usize,
            None => self.blocks.len(),
        };
        start(groups.start)..start(groups.end)
    }

    fn place_count(&self, group: usize) -> usize {
        GROUP_PLACES.min(self.places.saturating_sub(group * GROUP_PLACES))
    }

    fn group(&self, number: usize) -> Result<Group<'s>, Fault> {
        let bytes = self.blocks.get(self.byte_range(number..number + 1))?;
        Ok(Group::new(self.place_count(number), bytes))
    }

    /// The numbers of the forms of these rows.
    fn forms(&self, rows: Range<usize>) -> Result<&'s [u8], Fault> {
        let end = rows.end.min(self.rows);
        self.blocks.get(rows.start.min(end)..end)
    }

    /// The places whose body equals the text (folded at [`Level::Search`]) or begins with it.
    pub fn find(&self, text: &str) -> Result<NamePlaces, Fault> {
        let samples = &self.directory.samples;
        let [low, high] = [0, u16::MAX].map(|fill| first_letters(text, fill));
        let before = samples.partition_point(|sample| sample.to_native() < low);
        let same = samples.partition_point(|sample| sample.to_native() <= low);
        let until = samples.partition_point(|sample| sample.to_native() <= high);
        self.prefetch(before.saturating_sub(1)..until);
        // A short text of the basic plane fits into a sample, so the samples show which groups begin with it.
        let is_sampled =
            text.chars().count() <= LETTERS && text.chars().all(|letter| letter < UNKNOWN);
        let end_groups = if is_sampled { until..until } else { before..until };
        let text = text.as_bytes();
        let start = self.partition_place(before..same, |body| body < text)?;
        let equal = self.partition_place(before..same, |body| body <= text)?.max(start);
        let last = self
            .partition_place(end_groups, |body| body < text || body.starts_with(text))?
            .max(equal);
        Ok(NamePlaces { equal: start..equal, beginning: start..last })
    }

    /// Prefetches the groups that may have a text, without waiting for them.
    fn prefetch(&self, groups: Range<usize>) {
        let all = self.byte_range(groups.clone());
        if groups.is_empty() {
            return;
        }
        if all.len() <= PREFETCH_BYTES_MAX {
            return self.blocks.prefetch(all);
        }
        for group in [groups.start, groups.end - 1] {
            self.blocks.prefetch(self.byte_range(group..group + 1));
        }
    }

    /// The first place for which `holds` is false; it is true for all places before that. The caller knows that it is
    /// true for the first place of each group before `unknown`, and false for the first place of each group after it.
    fn partition_place(
        &self,
        unknown: Range<usize>,
        holds: impl Fn(&[u8]) -> bool,
    ) -> Result<usize, Fault> {
        let holds_at_start = |group| Ok(self.group(group)?.bodies().next().is_some_and(&holds));
        let Some(last) = partition_point(unknown, holds_at_start)?.checked_sub(1) else {
            return Ok(0);
        };
        Ok(last * GROUP_PLACES + self.group(last)?.count_while(holds))
    }
}

/// The first place of a range for which `holds` is false; it is true for all places before that.
pub(in crate::index) fn partition_point(
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

#[cfg(test)]
mod tests;
