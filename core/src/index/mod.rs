//! Indexes from keys and keywords to rows. The code that builds an index and the code that reads it are in the same
//! file or folder.
//!
//! Here is what they share: the division of rows among the cores, bit packing of numbers with a few bits each, and
//! varints of seven bits per byte. The lowest bit comes first. Reading takes eight bytes at once, so [`SLACK`] bytes
//! must follow the packed data. Past the end of the bytes everything reads as zero, so that damaged data never panics.

pub mod attributes;
pub mod beginnings;
pub mod code_index;
pub mod grams;
pub mod key_order;
pub mod loose_names;
pub mod name_order;
pub mod numbers;
pub mod post_codes;
pub mod postal_texts;
pub mod prominence;
pub mod renumbering;
pub mod row_set;
pub mod standing;
pub mod tally;

use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// Most rows of a dataset: indexes and records number them in three bytes.
pub const ROWS_MAX: usize = 1 << ROW_BITS;

/// Bits of the number of a row.
pub const ROW_BITS: u32 = 24;

/// Bytes that must follow the last packed number.
pub const SLACK: usize = 8;

/// Appends a number as a varint: groups of seven bits.
pub fn push_varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a varint of at most 28 bits and moves `offset` to the byte after it.
pub fn varint(bytes: &[u8], offset: &mut usize) -> usize {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let byte = bytes.get(*offset).copied().unwrap_or_default();
        *offset += 1;
        number |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// The bits from this bit position on, at least 57; zeros past the end.
#[inline]
pub fn bits(bytes: &[u8], position: usize) -> u64 {
    word(bytes, position / 8) >> (position % 8)
}

/// The eight bytes from this offset on, as a number; zeros past the end.
#[inline]
pub fn word(bytes: &[u8], offset: usize) -> u64 {
    let word = bytes.get(offset..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
    u64::from_le_bytes(word)
}

/// Writes numbers of a few bits each, one after the other.
pub struct Packer<'o> {
    out: &'o mut Vec<u8>,
    word: u64,
    filled: u32,
}

impl Packer<'_> {
    pub fn new(out: &mut Vec<u8>) -> Packer<'_> {
        Packer { out, word: 0, filled: 0 }
    }

    /// Appends up to 56 bits. Fewer than 64 bits are pending.
    #[inline]
    pub fn push(&mut self, value: u64, bits: u32) {
        self.word |= value << self.filled;
        self.filled += bits;
        if let Some(left) = self.filled.checked_sub(u64::BITS) {
            self.out.extend_from_slice(&self.word.to_le_bytes());
            self.word = value >> (bits - left);
            self.filled = left;
        }
    }

    pub fn finish(self) {
        let bytes = self.word.to_le_bytes();
        self.out.extend_from_slice(&bytes[..self.filled.div_ceil(8) as usize]);
    }
}

/// Divides this many rows into one chunk of consecutive rows per core, and calls `build` for each on a thread of its
/// own. Returns what was built, in the order of rows, and the number of rows of each chunk; the last may have fewer. A
/// panic of `build` is passed on.
pub fn chunks_by_core<T: Send>(rows: u32, build: impl Fn(Range<u32>) -> T + Sync) -> (Vec<T>, u32) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get) as u32;
    let rows_per_chunk = rows.div_ceil(threads).max(1);
    let build = &build;
    let chunks = thread::scope(|scope| {
        let spawn = |first: u32| {
            let end = rows.min(first.saturating_add(rows_per_chunk));
            scope.spawn(move || build(first..end))
        };
        let threads: Vec<_> = (0..rows).step_by(rows_per_chunk as usize).map(spawn).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, T>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    (chunks, rows_per_chunk)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packed_numbers_read_back(
            numbers in prop::collection::vec((any::<u64>(), 0u32..57), 0..60),
            before in 0usize..4,
        ) {
            let mut bytes = vec![0xAA; before];
            let mut packer = Packer::new(&mut bytes);
            let numbers: Vec<(u64, u32)> =
                numbers.into_iter().map(|(value, width)| (value & ((1 << width) - 1), width)).collect();
            numbers.iter().for_each(|(value, width)| packer.push(*value, *width));
            packer.finish();
            bytes.extend([0; SLACK]);
            let mut position = before * 8;
            for (value, width) in numbers {
                prop_assert_eq!(bits(&bytes, position) & ((1 << width) - 1), value);
                position += width as usize;
            }
            prop_assert_eq!(bytes.len() - SLACK, position.div_ceil(8));
        }

        #[test]
        fn varints_read_back(numbers in prop::collection::vec(0usize..1 << 28, 0..20)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|number| push_varint(&mut bytes, *number));
            let mut at = 0;
            for number in numbers {
                prop_assert_eq!(varint(&bytes, &mut at), number);
            }
            prop_assert_eq!(at, bytes.len());
        }
    }

    #[test]
    fn reading_past_the_end_gives_zero() {
        assert_eq!((bits(&[0xFF; 8], 9), bits(&[], 0), word(&[0xFF; 8], 1)), (0, 0, 0));
        assert_eq!(varint(&[0xFF; 9], &mut 0), (1 << 28) - 1);
        assert_eq!(varint(&[], &mut 3), 0);
    }
}

#[cfg(test)]
mod core_chunks_tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_chunk_in_order() {
        for count in [0, 1, 2, 3, 7, 1_000] {
            let (chunks, rows_per_chunk) = chunks_by_core(count, |rows| rows.collect::<Vec<u32>>());
            assert!(chunks.iter().rev().skip(1).all(|rows| rows.len() == rows_per_chunk as usize));
            assert_eq!(chunks.concat(), (0..count).collect::<Vec<u32>>());
        }
    }
}
