//! A bit for each number that could be, in blocks of 64 with the rank of each.

use rkyv::{Archive, Serialize};

/// Numbers of one block.
pub const BITS: u32 = u64::BITS;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Archive, Serialize)]
pub struct Block {
    /// How many numbers are set before this block.
    pub rank: u32,
    /// Which of its numbers are set, the first in the lowest bit; in halves so that a block lies on four bytes.
    pub bits: [u32; 2],
}

impl Block {
    pub fn set(&mut self, number: u32) {
        self.bits[(number % BITS / 32) as usize] |= 1 << (number % 32);
    }
}

impl ArchivedBlock {
    #[inline]
    pub fn bits(&self) -> u64 {
        u64::from(self.bits[0].to_native()) | u64::from(self.bits[1].to_native()) << 32
    }
}

/// Gives each block its rank.
pub fn rank(blocks: &mut [Block]) {
    let mut rank = 0;
    for block in blocks {
        block.rank = rank;
        rank += block.bits[0].count_ones() + block.bits[1].count_ones();
    }
}
