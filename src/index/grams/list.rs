//! A posting list: ascending numbers (rows or positions), packed or as a bitmap where that is smaller.
//!
//! Its head is a varint: how many numbers, and in the lowest bit whether it is a bitmap. Behind the last list stand
//! [`SLACK`] bytes, so that reading may take eight at once.

use std::ops::Range;

use super::bitmap::{self, Bitmap};
use super::packed::{self, BLOCK, Packed, Run};
pub use crate::index::packing::SLACK;
use crate::index::packing::{push_varint, varint};
use crate::snapshot::{Blocks, Fault};

/// Bytes of the count before a list, at most.
const COUNT: usize = 4;

#[derive(Debug, Clone, Copy)]
pub enum Lists<'s> {
    /// A section that is compared with its checksums block by block.
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

    /// For a pass from front to back that needs a range no more, see [`Blocks::passed`].
    pub fn passed(self, range: Range<usize>) {
        if let Lists::Blocks(blocks) = self {
            blocks.passed(range);
        }
    }

    /// Bytes from `from` on, fewer where the lists end.
    fn get(self, from: usize, length: usize) -> Result<&'s [u8], Fault> {
        let end = from.saturating_add(length);
        match self {
            Lists::Blocks(blocks) => blocks.get(from..end.min(blocks.len())),
            Lists::Bytes(bytes) => Ok(bytes.get(from..end.min(bytes.len())).unwrap_or_default()),
        }
    }
}

/// Appends the list of rows, ascending and at least one, of a table of so many; `packed` is scratch.
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
    /// The list at this byte, of a table of so many rows. Its checksums are compared at once.
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

/// Goes through a list once, ascending, by the rows of one block, or as many of a bitmap.
#[derive(Debug, Clone)]
pub struct Cursor<'s> {
    list: List<'s>,
    rows: [u32; BLOCK],
    filled: usize,
    /// Of a packed list the block that was read, of a bitmap the row behind what was.
    place: usize,
}

impl<'s> Cursor<'s> {
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

    #[inline]
    pub fn current(&self) -> &[u32] {
        &self.rows[..self.filled]
    }
}

/// Answers about ascending rows of a list, reading each packed block once at most.
#[derive(Debug, Clone)]
pub enum Probe<'s> {
    Bitmap(Bitmap<'s>),
    Packed(Seek<'s>),
}

/// A place in a packed list that only moves on.
#[derive(Debug, Clone)]
pub struct Seek<'s> {
    list: Packed<'s>,
    block: usize,
    /// The rest of the block; none behind the last.
    run: Option<Run<'s>>,
    /// The row that was read last, if any of the block was.
    row: Option<u32>,
    /// How many rows are before that one.
    below: usize,
}

impl<'s> Seek<'s> {
    /// The first row that is not below `row`.
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

    /// Whether a row is in the list. Rows are asked for in ascending order.
    #[inline]
    pub fn contains(&mut self, row: u32) -> bool {
        match self {
            Probe::Bitmap(bitmap) => bitmap.contains(row),
            Probe::Packed(seek) => seek.to(row) == Some(row),
        }
    }

    /// How many rows of the list are below a row. Rows are asked for in ascending order.
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
