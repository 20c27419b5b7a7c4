//! A posting list: ascending numbers (rows or positions), packed, or as a bitmap if that is smaller.
//!
//! Its head is a varint: the count, with the lowest bit set for a bitmap. [`SLACK`] bytes follow the last list, so
//! that reading may take eight bytes at once.

use std::ops::Range;

use super::bitmap::{self, Bitmap};
use super::packed::{self, BLOCK, Packed, Run};
pub use crate::index::packing::SLACK;
use crate::index::packing::{push_varint, varint};
use crate::snapshot::{Blocks, Fault};

/// Most bytes of the count before a list.
const COUNT: usize = 4;

#[derive(Debug, Clone, Copy)]
pub enum Lists<'s> {
    /// A section whose checksums are verified block by block.
    Blocks(&'s Blocks),
    Bytes(&'s [u8]),
}

impl<'s> Lists<'s> {
    pub fn bytes(self) -> usize {
        match self {
            Lists::Blocks(blocks) => blocks.len(),
            Lists::Bytes(bytes) => bytes.len(),
        }
    }

    /// For a sequential pass that no longer needs a range, see [`Blocks::release_before`].
    pub fn release_before(self, range: Range<usize>) {
        if let Lists::Blocks(blocks) = self {
            blocks.release_before(range);
        }
    }

    /// Bytes from `from` on; fewer at the end of the lists.
    fn get(self, from: usize, length: usize) -> Result<&'s [u8], Fault> {
        let end = from.saturating_add(length);
        match self {
            Lists::Blocks(blocks) => blocks.get(from..end.min(blocks.len())),
            Lists::Bytes(bytes) => Ok(bytes.get(from..end.min(bytes.len())).unwrap_or_default()),
        }
    }
}

/// Appends a list of rows, ascending and not empty, of a table of `of` rows; `packed` is a scratch buffer.
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

#[derive(Debug, Clone, Copy)]
pub enum List<'s> {
    Packed(Packed<'s>),
    Bitmap(Bitmap<'s>),
}

impl<'s> List<'s> {
    /// The list at this byte, of a table of `of` rows. Its checksums are verified now.
    pub fn open(lists: Lists<'s>, at: usize, of: u32) -> Result<List<'s>, Fault> {
        let head = lists.get(at, COUNT + packed::HEAD)?;
        let mut behind = 0;
        let count = varint(head, &mut behind);
        let (count, dense) = (count >> 1, count & 1 == 1);
        if dense {
            let bytes = lists.get(at + behind, bitmap::length(of) + SLACK)?;
            return Ok(List::Bitmap(Bitmap::of(count, of, bytes)));
        }
        let (length, head) = Packed::length(count, head.get(behind..).unwrap_or_default());
        let bytes = lists.get(at + behind, head + length)?;
        Ok(List::Packed(Packed::of(count, bytes)))
    }

    pub fn count(&self) -> usize {
        match self {
            List::Packed(list) => list.count(),
            List::Bitmap(list) => list.count(),
        }
    }
}

/// Reads a list once, ascending, one block (or as many rows of a bitmap) at a time.
#[derive(Debug, Clone)]
pub struct Cursor<'s> {
    list: List<'s>,
    rows: [u32; BLOCK],
    filled: usize,
    /// For a packed list the number of the block that was read, for a bitmap the row after the last one read.
    place: usize,
}

impl<'s> Cursor<'s> {
    pub fn begin(list: List<'s>) -> Cursor<'s> {
        Cursor { list, rows: [0; BLOCK], filled: 0, place: 0 }
    }

    /// A cursor at the row with this rank, in place of [`Cursor::begin`].
    pub fn from_rank(list: List<'s>, rank: usize) -> (Cursor<'s>, usize) {
        let mut cursor = Cursor::begin(list);
        match list {
            List::Packed(_) => cursor.place = rank / BLOCK,
            List::Bitmap(list) => cursor.place = list.select(rank) as usize,
        }
        (cursor, if matches!(list, List::Packed(_)) { rank % BLOCK } else { 0 })
    }

    /// The next rows; empty at the end.
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

    #[inline]
    pub fn current(&self) -> &[u32] {
        &self.rows[..self.filled]
    }
}

/// Tests ascending rows against a list. Each packed block is read at most once.
#[derive(Debug, Clone)]
pub enum Probe<'s> {
    Bitmap(Bitmap<'s>),
    Packed(Seek<'s>),
}

/// A position in a packed list that only moves forward.
#[derive(Debug, Clone)]
pub struct Seek<'s> {
    list: Packed<'s>,
    block: usize,
    /// The rest of the block; `None` after the last one.
    run: Option<Run<'s>>,
    /// The row that was read last in this block, if any.
    row: Option<u32>,
    /// The number of rows before that one.
    below: usize,
}

impl<'s> Seek<'s> {
    /// The first row that is at least `row`.
    #[inline]
    fn to(&mut self, row: u32) -> Option<u32> {
        if self.run.is_some_and(|run| run.last() < row) {
            self.block = self.list.block_of(self.block + 1, row);
            self.run = self.list.run(self.block);
            self.row = None;
            self.below = self.block * BLOCK;
        }
        let run = self.run.as_mut()?;
        let mut found = match self.row {
            Some(found) => found,
            None => run.step(),
        };
        while found < row && run.left() > 0 {
            found = run.step();
            self.below += 1;
        }
        self.row = Some(found);
        self.row
    }
}

impl<'s> Probe<'s> {
    pub fn begin(list: List<'s>) -> Probe<'s> {
        match list {
            List::Bitmap(bitmap) => Probe::Bitmap(bitmap),
            List::Packed(list) => {
                Probe::Packed(Seek { list, block: 0, run: list.run(0), row: None, below: 0 })
            }
        }
    }

    /// Whether a row is in the list. Rows must be passed in ascending order.
    #[inline]
    pub fn contains(&mut self, row: u32) -> bool {
        match self {
            Probe::Bitmap(bitmap) => bitmap.contains(row),
            Probe::Packed(seek) => seek.to(row) == Some(row),
        }
    }

    /// How many rows of the list are below a row. Rows must be passed in ascending order.
    pub fn rank(&mut self, row: u32) -> usize {
        match self {
            Probe::Bitmap(bitmap) => bitmap.rank(row),
            Probe::Packed(seek) => match seek.to(row) {
                Some(_) => seek.below.min(seek.list.count()),
                None => seek.list.count(),
            },
        }
    }
}
