//! The rows that contain a keyword, verified, in ascending order.
//!
//! Where one list has the answer, it is used in place: for the number of rows, the rank of a row, the rows from a
//! rank on. So a keyword in half the rows costs no more than a rare one.

use super::list::{Cursor, List, Probe};
use super::packed::BLOCK;
use crate::index::row_set::RowSet;
use std::ops::ControlFlow;

#[derive(Debug, Clone)]
pub struct Matches<'s>(Kind<'s>);

#[derive(Debug, Clone)]
enum Kind<'s> {
    Listed(List<'s>),
    Rows(Vec<u32>),
}

impl<'s> Matches<'s> {
    pub fn none() -> Matches<'s> {
        Matches::from_rows(Vec::new())
    }

    /// These rows, ascending and each once.
    pub fn from_rows(rows: Vec<u32>) -> Matches<'s> {
        debug_assert!(rows.is_sorted_by(|left, right| left < right), "ascending, each once");
        Matches::from_unchecked_rows(rows)
    }

    /// Rows read from lists: ascending unless the lists are damaged.
    pub(super) fn from_unchecked_rows(rows: Vec<u32>) -> Matches<'s> {
        Matches(Kind::Rows(rows))
    }

    pub(super) fn from_list(list: List<'s>) -> Matches<'s> {
        Matches(Kind::Listed(list))
    }

    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::Listed(list) => list.count(),
            Kind::Rows(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many of them are below a row.
    pub fn rank(&self, row: u32) -> usize {
        self.ranks([row]).next().unwrap_or_default()
    }

    /// For each of these ascending rows, how many matches are below it. The count of a range is the difference of
    /// two.
    pub fn ranks(&self, rows: impl IntoIterator<Item = u32>) -> impl Iterator<Item = usize> {
        let (mut probe, matches) = match &self.0 {
            Kind::Listed(list) => (Some(Probe::new(*list)), &[][..]),
            Kind::Rows(rows) => (None, rows.as_slice()),
        };
        let mut rank = 0;
        rows.into_iter().map(move |row| match &mut probe {
            Some(probe) => probe.rank(row),
            None => {
                rank += matches[rank..].partition_point(|matching| *matching < row);
                rank
            }
        })
    }

    /// The rows from this rank on; reading begins there.
    pub fn rows_from(&self, rank: usize) -> Rows<'_> {
        match &self.0 {
            Kind::Listed(list) => {
                let (mut cursor, skip) = Cursor::from_rank(*list, rank);
                let length = cursor.next_batch().len();
                Rows { cursor: Some(cursor), read: skip.min(length), rows: &[] }
            }
            Kind::Rows(rows) => Rows { cursor: None, read: 0, rows: &rows[rank.min(rows.len())..] },
        }
    }

    pub fn rows(&self) -> Rows<'_> {
        self.rows_from(0)
    }

    /// All rows.
    pub fn into_rows(self) -> Vec<u32> {
        if let Kind::Rows(rows) = self.0 {
            return rows;
        }
        let mut rows = Vec::with_capacity(self.count());
        self.for_each_batch(|batch| rows.extend_from_slice(batch));
        rows
    }

    /// Calls `each` with all rows in batches, ascending: the fastest way to read them.
    pub fn for_each_batch(&self, mut each: impl FnMut(&[u32])) {
        self.visit_batches(|rows| {
            each(rows);
            ControlFlow::Continue(())
        });
    }

    /// Calls `each` with rows in batches, ascending, until it breaks.
    pub fn visit_batches(&self, mut each: impl FnMut(&[u32]) -> ControlFlow<()>) {
        match &self.0 {
            Kind::Listed(list) => {
                let mut cursor = Cursor::new(*list);
                loop {
                    let rows = cursor.next_batch();
                    if rows.is_empty() || each(rows).is_break() {
                        return;
                    }
                }
            }
            Kind::Rows(rows) => {
                let _ = rows.chunks(BLOCK).try_for_each(each);
            }
        }
    }

    pub fn add_to(&self, set: &mut RowSet) {
        match &self.0 {
            Kind::Listed(List::Bitmap(bitmap)) => set.or_words(bitmap.words()),
            // Decoding overlaps with setting bits, each of which may wait for the one before.
            Kind::Listed(List::Packed(list)) => {
                set.insert_visited(|mut rows| list.for_each(|row| rows.insert(row)));
            }
            Kind::Rows(rows) => set.insert_ascending(rows),
        }
    }

    /// Removes from the ascending `rows` each that is no match after adding `shift`.
    pub fn retain(&self, shift: u32, rows: &mut Vec<u32>) {
        match &self.0 {
            Kind::Listed(list) => list.retain(shift, rows),
            Kind::Rows(matches) => {
                let mut rank = 0;
                rows.retain(|row| {
                    let row = row.wrapping_add(shift);
                    rank += gallop(&matches[rank..], row);
                    matches.get(rank) == Some(&row)
                });
            }
        }
    }
}

/// How many of the ascending rows are below `row`, by galloping search: it is probably near the start.
fn gallop(rows: &[u32], row: u32) -> usize {
    let mut bound = 1;
    while rows.get(bound - 1).is_some_and(|known| *known < row) {
        bound *= 2;
    }
    let low = bound / 2;
    let high = bound.min(rows.len());
    low + rows[low..high].partition_point(|known| *known < row)
}

#[derive(Debug, Clone)]
pub struct Rows<'m> {
    /// Reads the list, if the matches are one.
    cursor: Option<Cursor<'m>>,
    /// How many rows of the cursor's batch were returned.
    read: usize,
    /// The remaining rows, if there is no list.
    rows: &'m [u32],
}

impl Iterator for Rows<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let Some(cursor) = &mut self.cursor else {
            let (first, rest) = self.rows.split_first()?;
            self.rows = rest;
            return Some(*first);
        };
        if let Some(row) = cursor.batch().get(self.read) {
            self.read += 1;
            return Some(*row);
        }
        self.read = 1;
        cursor.next_batch().first().copied()
    }
}
