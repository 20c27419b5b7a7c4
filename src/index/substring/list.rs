//! A list of rows as it lies in the section: packed, or a bitmap where that is smaller.
//!
//! ```text
//! head    varint  how many rows, and in the lowest bit whether it is a bitmap
//! behind          what `packed` or `bitmap` draws
//! ```
//!
//! Behind the last list stand [`SLACK`] bytes, so that reading may take eight at once.

use super::bitmap::{self, Bitmap};
use super::packed::{self, BLOCK, Packed};
pub use crate::index::packing::SLACK;
use crate::index::packing::{push_varint, varint};
use crate::snapshot::{Blocks, Fault};

/// Bytes of the count before a list, at most.
const COUNT: usize = 4;

/// Appends the list of rows, ascending and not none, of a table of so many; `packed` is scratch.
pub fn encode(rows: &[u32], of: u32, packed: &mut Vec<u8>, out: &mut Vec<u8>) {
    packed.clear();
    packed::encode(rows, packed);
    let dense = packed.len() >= bitmap::length(of);
    push_varint(out, rows.len() << 1 | usize::from(dense));
    match dense {
        true => bitmap::encode(rows, of, out),
        false => out.append(packed),
    }
}

/// A list, in place.
#[derive(Debug, Clone, Copy)]
pub enum List<'s> {
    /// Gaps between rows.
    Packed(Packed<'s>),
    /// A bit a row.
    Bitmap(Bitmap<'s>),
}

impl<'s> List<'s> {
    /// The list at this byte, of a table of so many rows. Its checksums are compared at once.
    pub fn open(lists: &'s Blocks, at: usize, of: u32) -> Result<List<'s>, Fault> {
        let part = |from: usize, length: usize| {
            lists.get(from..from.saturating_add(length).min(lists.len()))
        };
        let head = part(at, COUNT + packed::HEAD)?;
        let mut behind = 0;
        let count = varint(head, &mut behind);
        let (count, dense) = (count >> 1, count & 1 == 1);
        if dense {
            let bytes = part(at + behind, bitmap::length(of) + SLACK)?;
            return Ok(List::Bitmap(Bitmap::of(count, of, bytes)));
        }
        let (length, head) = Packed::length(count, head.get(behind..).unwrap_or_default());
        let bytes = part(at + behind, head + length)?;
        Ok(List::Packed(Packed::of(count, bytes)))
    }

    /// How many rows it has.
    pub fn count(&self) -> usize {
        match self {
            List::Packed(list) => list.count(),
            List::Bitmap(list) => list.count(),
        }
    }
}

/// What a list is read in: the rows of one block, or as many of a bitmap.
///
/// It goes through a list once, ascending, and reads no block that nobody asks for.
#[derive(Debug, Clone)]
pub struct Cursor<'s> {
    list: List<'s>,
    rows: [u32; BLOCK],
    filled: usize,
    /// Of a packed list the block that was read, of a bitmap the row behind what was.
    place: usize,
}

impl<'s> Cursor<'s> {
    /// Before the first row.
    pub fn begin(list: List<'s>) -> Cursor<'s> {
        Cursor { list, rows: [0; BLOCK], filled: 0, place: 0 }
    }

    /// The rows from the one on that has so many before it. The other way in than [`Cursor::begin`].
    pub fn from_rank(list: List<'s>, rank: usize) -> (Cursor<'s>, usize) {
        let mut cursor = Cursor::begin(list);
        match list {
            List::Packed(_) => cursor.place = rank / BLOCK,
            List::Bitmap(list) => cursor.place = list.select(rank) as usize,
        }
        (cursor, if matches!(list, List::Packed(_)) { rank % BLOCK } else { 0 })
    }

    /// The rows from this one on: the first that [`Cursor::next`] gives may begin before it.
    pub fn from_row(list: List<'s>, row: u32) -> Cursor<'s> {
        let mut cursor = Cursor::begin(list);
        match list {
            List::Packed(list) => cursor.place = list.block_of(0, row),
            List::Bitmap(_) => cursor.place = row as usize,
        }
        cursor
    }

    /// The next rows, none at the end.
    #[inline]
    pub fn next(&mut self) -> &[u32] {
        self.filled = match self.list {
            List::Packed(list) => {
                self.place += 1;
                list.read(self.place - 1, &mut self.rows)
            }
            List::Bitmap(list) => {
                let (filled, place) = list.read(self.place, &mut self.rows);
                self.place = place;
                filled
            }
        };
        self.current()
    }

    /// What [`Cursor::next`] gave last.
    #[inline]
    pub fn current(&self) -> &[u32] {
        &self.rows[..self.filled]
    }
}

/// Answers about ascending rows of a list; each block of it is read once at most.
#[derive(Debug, Clone)]
pub struct Probe<'s> {
    list: List<'s>,
    rows: [u32; BLOCK],
    /// Of a packed list: the block that was read, how many rows it has, how many are below the last
    /// row that was asked for.
    block: usize,
    filled: usize,
    below: usize,
}

impl<'s> Probe<'s> {
    /// Before the first row.
    pub fn begin(list: List<'s>) -> Probe<'s> {
        Probe { list, rows: [0; BLOCK], block: 0, filled: 0, below: 0 }
    }

    /// Makes `below` right for a row; rows are asked for in ascending order.
    #[inline]
    fn advance(&mut self, list: Packed<'s>, row: u32) {
        if self.filled == 0 || self.rows[self.filled - 1] < row {
            let next = self.block + usize::from(self.filled > 0);
            self.block = list.block_of(next, row);
            self.filled = list.read(self.block, &mut self.rows);
            self.below = 0;
        }
        while self.below < self.filled && self.rows[self.below] < row {
            self.below += 1;
        }
    }

    /// Whether a row is in the list.
    #[inline]
    pub fn contains(&mut self, row: u32) -> bool {
        match self.list {
            List::Bitmap(list) => list.contains(row),
            List::Packed(list) => {
                self.advance(list, row);
                self.below < self.filled && self.rows[self.below] == row
            }
        }
    }

    /// How many rows of the list are below a row.
    pub fn rank(&mut self, row: u32) -> usize {
        match self.list {
            List::Bitmap(list) => list.rank(row),
            List::Packed(list) => {
                self.advance(list, row);
                (self.block * BLOCK + self.below).min(list.count())
            }
        }
    }
}
