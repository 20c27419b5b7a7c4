//! The gaps between the rows of a block, in one of two codings. The mean gap decides which.
//!
//! - Rice: first the low bits of each gap, then the high part of each in unary, as zeros followed by a one. The number of
//!   low bits follows from the mean. This takes 1.6 bits per row above the logarithm of the mean; a fixed width would take
//!   2.8.
//! - Bytes: a byte for each gap; 255 adds 255 to the next. Reading takes six tenths of the time of Rice. Only for means between 23
//!   and 93, where this takes up to two bits more per row: those are the longest lists that are not bitmaps.
//!
//! Any bytes can be read without a panic and in bounded time. Does not know the last row of a block.

use std::num::NonZero;
use std::ops::{ControlFlow, RangeInclusive};

use memchr::memchr_iter;

use crate::index::{Packer, bits, word};

/// Gaps with so many low bits are coded as bytes.
const IN_BYTES: RangeInclusive<u32> = 4..=5;

/// A byte that adds 255 to the next gap.
const LARGE: u8 = u8::MAX;

#[derive(Debug, Clone, Copy)]
pub enum Coding {
    Rice { low: u32 },
    Bytes,
}

impl Coding {
    /// The coding of a block of this many rows whose gaps add up to `sum`.
    #[inline]
    pub fn of(sum: u32, rows: usize) -> Coding {
        // Rice parameter: the logarithm of the mean times ln 2.
        let scaled = u64::from(sum) * 11 / 16 / rows.max(1) as u64;
        let low = scaled.checked_ilog2().unwrap_or_default();
        if IN_BYTES.contains(&low) { Coding::Bytes } else { Coding::Rice { low } }
    }

    /// Upper bound on the bytes of so many gaps that add up to at most `sum`.
    pub fn bytes_max(self, sum: u32, gaps: usize) -> usize {
        let sum = sum as usize;
        match self {
            Coding::Rice { low } => (gaps * (low as usize + 1) + (sum >> low)).div_ceil(8),
            Coding::Bytes => gaps + sum / usize::from(LARGE),
        }
    }

    /// Reads `gaps` gaps from the front of a body, of which at most `bytes` bytes are gaps.
    #[inline]
    pub fn reader(self, body: &[u8], bytes: usize, gaps: usize) -> GapReader<'_> {
        match self {
            Coding::Rice { low } => GapReader::Rice(RiceReader::new(body, bytes, low, gaps)),
            Coding::Bytes => {
                GapReader::Bytes(ByteReader::new(&body[..bytes.min(body.len())], gaps))
            }
        }
    }
}

pub fn encode(gaps: &[u32], coding: Coding, out: &mut Vec<u8>) {
    match coding {
        Coding::Rice { low } => encode_rice(gaps, low, out),
        Coding::Bytes => {
            for gap in gaps {
                let large = (gap / u32::from(LARGE)) as usize;
                out.extend(std::iter::repeat_n(LARGE, large));
                out.push((gap % u32::from(LARGE)) as u8);
            }
        }
    }
}

fn encode_rice(gaps: &[u32], low: u32, out: &mut Vec<u8>) {
    let mut packer = Packer::new(out);
    for gap in gaps {
        packer.push(u64::from(*gap) & ((1 << low) - 1), low);
    }
    for gap in gaps {
        let mut zeros = gap >> low;
        while zeros >= 48 {
            packer.push(0, 48);
            zeros -= 48;
        }
        packer.push(1 << zeros, zeros + 1);
    }
    packer.finish();
}

/// Decodes the gaps of a block.
#[derive(Debug, Clone, Copy)]
pub enum GapReader<'s> {
    Rice(RiceReader<'s>),
    Bytes(ByteReader<'s>),
}

impl GapReader<'_> {
    #[inline(always)]
    pub fn next_gap(&mut self) -> u32 {
        match self {
            GapReader::Rice(rice) => rice.next_gap(),
            GapReader::Bytes(bytes) => bytes.next_gap(),
        }
    }

    /// Calls `each` with the rows that `count` gaps lead to, until it breaks; `next` is the lowest possible first one.
    /// Returns how many gaps are missing.
    #[inline]
    pub fn visit_rows(
        self,
        next: u32,
        count: usize,
        each: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let rice = match self {
            GapReader::Rice(rice) => rice,
            GapReader::Bytes(bytes) => return bytes.visit_rows(next, count, each),
        };
        // A shift by a constant takes one step, by a variable three. Longer and shorter gaps are rare.
        match rice.low {
            2 => rice.visit_rows::<2>(next, count, each),
            3 => rice.visit_rows::<3>(next, count, each),
            6 => rice.visit_rows::<6>(next, count, each),
            7 => rice.visit_rows::<7>(next, count, each),
            8 => rice.visit_rows::<8>(next, count, each),
            9 => rice.visit_rows::<9>(next, count, each),
            10 => rice.visit_rows::<10>(next, count, each),
            11 => rice.visit_rows::<11>(next, count, each),
            _ => rice.visit_rows::<ANY_LOW>(next, count, each),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct ByteReader<'s> {
    /// As many gaps as the block has; fewer only in damaged data.
    bytes: &'s [u8],
    /// How many of the bytes are [`LARGE`].
    large: usize,
}

impl<'s> ByteReader<'s> {
    /// A reader of so many gaps, which are at the beginning of these bytes.
    #[inline]
    fn new(bytes: &'s [u8], gaps: usize) -> ByteReader<'s> {
        let large = memchr_iter(LARGE, bytes).count();
        if bytes.len() - large == gaps {
            return ByteReader { bytes, large };
        }
        // The end of the only block of a list is not known.
        let ends = (1..).zip(bytes).filter(|(_, byte)| **byte != LARGE).map(|(end, _)| end);
        let end = [0].into_iter().chain(ends).take(gaps + 1).last().unwrap_or_default();
        ByteReader { bytes: &bytes[..end], large: end - gaps.min(bytes.len() - large) }
    }

    #[inline]
    fn next_gap(&mut self) -> u32 {
        let mut gap = 0;
        while let Some((byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            gap += u32::from(*byte);
            if *byte != LARGE {
                break;
            }
        }
        gap
    }

    #[inline]
    fn visit_rows(
        self,
        mut next: u32,
        count: usize,
        mut each: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let missing = count.saturating_sub(self.bytes.len() - self.large);
        for byte in self.bytes {
            let row = next.wrapping_add(u32::from(*byte));
            if *byte == LARGE {
                next = row;
                continue;
            }
            each(row)?;
            next = row.wrapping_add(1);
        }
        ControlFlow::Continue(missing)
    }
}

/// Most low bits of gaps that one reading of eight bytes has, from any bit on.
const LOW_BITS_AT_ONCE: usize = 56;

/// Instead of a constant number of low bits: the number is the reader's.
const ANY_LOW: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub struct RiceReader<'s> {
    body: &'s [u8],
    /// Upper bound on the bytes of the body.
    bytes: usize,
    /// The number of low bits of each gap.
    low: u32,
    /// The unread ones of the current eight bytes, and the offset of these bytes.
    ones: u64,
    word_start: usize,
    /// The bit at which the unary part of the next gap begins: its zeros count the high part.
    unary_bit: u32,
    /// The bit at which the low part of the next gap begins.
    low_bit: usize,
}

impl<'s> RiceReader<'s> {
    #[inline]
    fn new(body: &'s [u8], bytes: usize, low: u32, gaps: usize) -> RiceReader<'s> {
        let unary_start = gaps * low as usize;
        let word_start = unary_start / 8;
        let ones = word(body, word_start) & u64::MAX << (unary_start % 8);
        let unary_bit = unary_start as u32;
        RiceReader { body, bytes, low, ones, word_start, unary_bit, low_bit: 0 }
    }

    #[inline]
    fn next_gap(&mut self) -> u32 {
        while self.ones == 0 && self.word_start < self.bytes {
            self.word_start += size_of::<u64>();
            self.ones = word(self.body, self.word_start);
        }
        let one = self.word_start as u32 * 8 + self.ones.trailing_zeros();
        self.ones &= self.ones.wrapping_sub(1);
        let mask = (1u64 << self.low) - 1;
        let high = one.wrapping_sub(self.unary_bit) << self.low;
        let gap = high | (bits(self.body, self.low_bit) & mask) as u32;
        self.unary_bit = one + 1;
        self.low_bit += self.low as usize;
        gap
    }

    /// The rows of all gaps, which have `LOW` low bits. It finds the same rows as [`next_gap`](Self::next_gap), but sums the
    /// low parts and the high parts of the gaps apart, and reads the low parts of several gaps at once: so few steps wait for
    /// one another.
    #[inline]
    fn visit_rows<const LOW: u32>(
        self,
        next: u32,
        mut count: usize,
        mut each: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let RiceReader { body, bytes, unary_bit, .. } = self;
        let (mut ones, mut word_start) = (self.ones, self.word_start);
        let low = if LOW == ANY_LOW { self.low } else { LOW };
        let (mask, low) = ((1u64 << low) - 1, low as usize);
        let gaps_at_once = LOW_BITS_AT_ONCE.checked_div(low).unwrap_or(usize::MAX).max(1);
        let (mut low_bit, mut low_parts, mut gaps_left) = (0, bits(body, 0), gaps_at_once);
        // The high parts of the first gaps are the zeros before a one: its place, less the ones before it.
        let mut sum = next.wrapping_sub(unary_bit << low);
        while count > 0 {
            let start = word_start as u32 * 8;
            while let Some(left) = NonZero::new(ones).filter(|_| count > 0) {
                count -= 1;
                ones &= ones - 1;
                if gaps_left == 0 {
                    low_bit += gaps_at_once * low;
                    (low_parts, gaps_left) = (bits(body, low_bit), gaps_at_once);
                }
                gaps_left -= 1;
                sum = sum.wrapping_add((low_parts & mask) as u32);
                low_parts >>= low;
                let high = (start + left.trailing_zeros()) << low;
                each(high.wrapping_add(sum))?;
                sum = sum.wrapping_add(1).wrapping_sub(1 << low);
            }
            if word_start >= bytes {
                break;
            }
            word_start += size_of::<u64>();
            ones = word(body, word_start);
        }
        ControlFlow::Continue(count)
    }
}
