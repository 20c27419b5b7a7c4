//! A bit set in blocks of 64, with the rank of each block.

use rkyv::{Archive, Serialize};

/// Numbers per block.
pub const BITS: u32 = u64::BITS;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Archive, Serialize)]
pub struct Block {
    /// How many numbers before this block are set.
    pub rank: u32,
    /// The set numbers, the first in the lowest bit. Two halves, so that a block needs only 4-byte alignment.
    pub bits: [u32; 2],
}

impl Block {
    pub fn set(&mut self, number: u32) {
        self.bits[(number % BITS / 32) as usize] |= 1 << (number % 32);
    }

    #[inline]
    pub fn bits(self) -> u64 {
        u64::from(self.bits[0]) | u64::from(self.bits[1]) << 32
    }
}

impl ArchivedBlock {
    #[inline]
    pub fn native(&self) -> Block {
        let [low, high] = &self.bits;
        Block { rank: self.rank.to_native(), bits: [low.to_native(), high.to_native()] }
    }
}

/// Counts the bits before each block.
pub fn set_ranks(blocks: &mut [Block]) {
    let mut rank = 0;
    for block in blocks {
        block.rank = rank;
        rank += block.bits().count_ones();
    }
}
