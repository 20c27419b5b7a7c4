//! A posting list: ascending numbers (rows or positions), packed, or as a bitmap if that is not much larger.
//!
//! Its head is a varint: the count, with the lowest bit set for a bitmap. [`SLACK`] bytes follow the last list, so
//! that reading may take eight bytes at once.

use std::ops::Range;

use super::bitmap::{self, Bitmap};
use super::packed::{self, BLOCK, BlockReader, Packed};
pub use crate::index::SLACK;
use crate::index::{push_varint, varint};
use crate::snapshot::{Blocks, Fault};

/// Most bytes of the count before a list.
const COUNT_BYTES_MAX: usize = 4;

#[derive(Debug, Clone, Copy)]
pub enum Lists<'s> {
    /// A section whose checksums are verified block by block.
    Blocks(&'s Blocks),
    Bytes(&'s [u8]),
}

impl<'s> Lists<'s> {
    pub fn byte_length(self) -> usize {
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

    /// Bytes from `start` on; fewer at the end of the lists.
    fn get(self, start: usize, length: usize) -> Result<&'s [u8], Fault> {
        let end = start.saturating_add(length);
        match self {
            Lists::Blocks(blocks) => blocks.get(start..end.min(blocks.len())),
            Lists::Bytes(bytes) => Ok(bytes.get(start..end.min(bytes.len())).unwrap_or_default()),
        }
    }
}

/// Appends a list of rows below `universe`, ascending and not empty; `packed` is a scratch buffer. It is a bitmap if that has
/// at most `bitmap_factor` times the bytes of a packed list.
pub fn encode(
    rows: &[u32],
    universe: u32,
    bitmap_factor: usize,
    packed: &mut Vec<u8>,
    out: &mut Vec<u8>,
) {
    packed.clear();
    packed::encode(rows, packed);
    let dense = packed.len() * bitmap_factor >= bitmap::byte_length(universe);
    push_varint(out, rows.len() << 1 | usize::from(dense));
    match dense {
        true => bitmap::encode(rows, universe, out),
        false => out.append(packed),
    }
}

#[derive(Debug, Clone, Copy)]
pub enum List<'s> {
    Packed(Packed<'s>),
    Bitmap(Bitmap<'s>),
}

impl<'s> List<'s> {
    /// The list at this byte, of rows below `universe`. Its checksums are verified now.
    pub fn open(lists: Lists<'s>, offset: usize, universe: u32) -> Result<List<'s>, Fault> {
        let head = lists.get(offset, COUNT_BYTES_MAX + packed::HEAD_BYTES_MAX)?;
        let mut count_bytes = 0;
        let count = varint(head, &mut count_bytes);
        let (count, dense) = (count >> 1, count & 1 == 1);
        let body = offset + count_bytes;
        if dense {
            let bytes = lists.get(body, bitmap::byte_length(universe) + SLACK)?;
            return Ok(List::Bitmap(Bitmap::of(count, universe, bytes)));
        }
        let head = head.get(count_bytes..).unwrap_or_default();
        let bytes = lists.get(body, Packed::bytes_max(count, head))?;
        Ok(List::Packed(Packed::of(count, bytes)))
    }

    pub fn count(&self) -> usize {
        match self {
            List::Packed(list) => list.count,
            List::Bitmap(list) => list.count,
        }
    }

    /// Removes from the ascending `numbers` each that is not in the list after adding `shift`.
    pub fn retain(&self, shift: u32, numbers: &mut Vec<u32>) {
        match self {
            List::Packed(list) => list.retain(shift, numbers),
            List::Bitmap(list) => {
                numbers.retain(|number| list.contains(number.wrapping_add(shift)));
            }
        }
    }
}

/// Reads a list once, ascending, in batches: one block, or as many rows of a bitmap.
#[derive(Debug, Clone)]
pub struct Cursor<'s> {
    list: List<'s>,
    rows: [u32; BLOCK],
    filled: usize,
    /// Where the next batch begins: a block of a packed list, a row of a bitmap.
    next: usize,
}

impl<'s> Cursor<'s> {
    pub fn new(list: List<'s>) -> Cursor<'s> {
        Cursor { list, rows: [0; BLOCK], filled: 0, next: 0 }
    }

    /// A cursor whose next batch has the row with this rank, and the index of that row in the batch.
    pub fn from_rank(list: List<'s>, rank: usize) -> (Cursor<'s>, usize) {
        let (next, skip) = match list {
            List::Packed(_) => (rank / BLOCK, rank % BLOCK),
            List::Bitmap(list) => (list.select(rank) as usize, 0),
        };
        (Cursor { next, ..Cursor::new(list) }, skip)
    }

    /// The next rows; empty at the end.
    #[inline]
    pub fn next_batch(&mut self) -> &[u32] {
        self.filled = match self.list {
            List::Packed(list) => {
                self.next += 1;
                list.read_block(self.next - 1, &mut self.rows)
            }
            List::Bitmap(list) => {
                let (filled, next) = list.read(self.next, &mut self.rows);
                self.next = next;
                filled
            }
        };
        self.batch()
    }

    /// The rows that [`next_batch`](Self::next_batch) read last.
    #[inline]
    pub fn batch(&self) -> &[u32] {
        &self.rows[..self.filled]
    }
}

/// Ranks of ascending rows in a list. Each packed block is read at most once.
#[derive(Debug, Clone)]
pub enum Probe<'s> {
    Bitmap(Bitmap<'s>),
    Packed(Seeker<'s>),
}

/// A position in a packed list that only moves forward.
#[derive(Debug, Clone)]
pub struct Seeker<'s> {
    list: Packed<'s>,
    block: usize,
    /// The rest of the block; `None` after the last one.
    rest: Option<BlockReader<'s>>,
    /// The row that was read last in this block, if any.
    row: Option<u32>,
    /// The number of rows of the list before that one.
    rank: usize,
}

impl<'s> Seeker<'s> {
    /// Moves to the first row that is at least `row`.
    #[inline]
    fn seek(&mut self, row: u32) -> Option<u32> {
        if self.rest.is_some_and(|rest| rest.last < row) {
            self.block = self.list.find_block(self.block + 1, row);
            self.rest = self.list.block_reader(self.block);
            self.row = None;
            self.rank = self.block * BLOCK;
        }
        let rest = self.rest.as_mut()?;
        let mut current = self.row.unwrap_or_else(|| rest.next_row());
        while current < row && rest.remaining > 0 {
            current = rest.next_row();
            self.rank += 1;
        }
        self.row = Some(current);
        self.row
    }
}

impl<'s> Probe<'s> {
    pub fn new(list: List<'s>) -> Probe<'s> {
        match list {
            List::Bitmap(bitmap) => Probe::Bitmap(bitmap),
            List::Packed(list) => {
                let rest = list.block_reader(0);
                Probe::Packed(Seeker { list, block: 0, rest, row: None, rank: 0 })
            }
        }
    }

    /// How many rows of the list are below a row. Rows must be passed in ascending order.
    pub fn rank(&mut self, row: u32) -> usize {
        match self {
            Probe::Bitmap(bitmap) => bitmap.rank(row),
            Probe::Packed(seeker) => match seeker.seek(row) {
                Some(_) => seeker.rank.min(seeker.list.count),
                None => seeker.list.count,
            },
        }
    }
}
