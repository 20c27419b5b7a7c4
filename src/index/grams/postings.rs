//! A posting list: where a gram stands, packed.
//!
//! ```text
//! count   varint
//! blocks  of 128 spots, the last of what is left:
//!   widths     u8      low five bits: bits of a unit's distance; high three: code of a position's bits
//!   span       varint  from the block's first base to its last unit; only where there are several blocks
//!   spots      packed  the position, and above it the distance of the unit from the one before it, of
//!                      the block's first from the last of the block before
//! ```
//!
//! Each block ends on a byte. Reading takes eight bytes at once, so that [`SLACK`] bytes must follow
//! the last list. Lists are ascending and were checked once; reading trusts them.

use super::Spot;
use crate::index::packing::{Packer, SLACK, bits, push_varint, varint};

/// Spots of a block.
const BLOCK: usize = 128;

/// Bits of a position by their code.
const POSITION_BITS: [u8; 8] = [0, 1, 2, 3, 4, 5, 7, 16];

/// Appends a list, which is ascending and not empty.
pub fn encode(spots: &[Spot], out: &mut Vec<u8>) {
    push_varint(out, spots.len());
    let mut base = 0;
    for block in spots.chunks(BLOCK) {
        let mut distances = [0; BLOCK];
        let mut unit = base;
        for (distance, spot) in distances.iter_mut().zip(block) {
            *distance = spot.unit() - unit;
            unit = spot.unit();
        }
        let width = |largest: u32| u32::BITS - largest.leading_zeros();
        let distance_bits = width(distances.iter().copied().max().unwrap_or_default());
        let largest = block.iter().map(|spot| spot.position()).max().unwrap_or_default();
        let code = POSITION_BITS.iter().position(|bits| u32::from(*bits) >= width(largest));
        let code = code.expect("a position has sixteen bits");
        let widths = u8::try_from(distance_bits).expect("units are numbered in 31 bits");
        out.push(widths | u8::try_from(code << 5).expect("eight codes"));
        if spots.len() > BLOCK {
            push_varint(out, (unit - base) as usize);
        }
        let mut packer = Packer::begin(out);
        let position_bits = u32::from(POSITION_BITS[code]);
        for (spot, distance) in block.iter().zip(distances) {
            let packed = u64::from(distance) << position_bits | u64::from(spot.position());
            packer.push(packed, distance_bits + position_bits);
        }
        packer.finish();
        base = unit;
    }
}

/// Reads a list: the bytes of all lists, and where this one begins.
#[derive(Clone, Copy)]
pub struct List<'s> {
    bytes: &'s [u8],
    at: usize,
    count: usize,
}

/// A block whose header was read.
struct Block {
    count: usize,
    /// The unit before its first.
    base: u32,
    /// From `base` to its last unit; only known in lists of several blocks.
    span: u32,
    distance_bits: u32,
    position_bits: u32,
    /// The byte where its spots begin.
    body: usize,
    /// The byte behind it.
    end: usize,
}

impl<'s> List<'s> {
    /// The list that begins at this byte.
    pub fn at(bytes: &'s [u8], mut at: usize) -> List<'s> {
        let count = varint(bytes, &mut at);
        List { bytes, at, count }
    }

    /// How many spots it has.
    pub fn count(&self) -> usize {
        self.count
    }

    fn block(&mut self, base: u32, several: bool) -> Option<Block> {
        let count = self.count.min(BLOCK);
        let widths = *self.bytes.get(self.at).filter(|_| count > 0)?;
        let mut body = self.at + 1;
        let span = if several { varint(self.bytes, &mut body) as u32 } else { 0 };
        let distance_bits = u32::from(widths & 0x1F);
        let position_bits = u32::from(POSITION_BITS[usize::from(widths >> 5)]);
        let end = body + (count * (distance_bits + position_bits) as usize).div_ceil(8);
        self.count -= count;
        self.at = end;
        Some(Block { count, base, span, distance_bits, position_bits, body, end })
    }

    /// Calls `each` with the spots of a block, ascending, and gives the last one's unit.
    #[inline]
    fn read(&self, block: &Block, mut each: impl FnMut(Spot)) -> u32 {
        let mut unit = block.base;
        let width = block.position_bits + block.distance_bits;
        let (distances, positions) =
            ((1u64 << block.distance_bits) - 1, (1u64 << block.position_bits) - 1);
        let mut place = block.body * 8;
        for _ in 0..block.count {
            let packed = bits(self.bytes, place);
            unit = unit.wrapping_add((packed >> block.position_bits & distances) as u32);
            each(Spot::of(unit, (packed & positions) as u32));
            place += width as usize;
        }
        unit
    }

    /// Calls `each` with every spot, ascending.
    #[inline]
    pub fn for_each(mut self, mut each: impl FnMut(Spot)) {
        let several = self.count > BLOCK;
        let mut base = 0;
        while let Some(block) = self.block(base, several) {
            base = self.read(&block, &mut each);
        }
    }

    /// Keeps of ascending `candidates` those that have a spot of the list `shift` positions on.
    pub fn retain(mut self, shift: u32, candidates: &mut Vec<Spot>) {
        let several = self.count > BLOCK;
        let (mut base, mut read, mut kept) = (0, 0, 0);
        while let (Some(block), true) = (self.block(base, several), read < candidates.len()) {
            let last = block.base.wrapping_add(block.span);
            if several && candidates[read].unit() > last {
                base = last;
                continue;
            }
            base = self.read(&block, |spot| {
                while let Some(candidate) = candidates.get(read).copied()
                    && candidate.moved(shift) <= spot
                {
                    if candidate.moved(shift) == spot {
                        candidates[kept] = candidate;
                        kept += 1;
                    }
                    read += 1;
                }
            });
        }
        candidates.truncate(kept);
    }

    /// Reads the whole list and says whether it is what [`encode`] writes: whole, ascending, and
    /// each spot one that `holds`. Gives the byte behind it.
    pub fn check(mut self, holds: impl Fn(Spot) -> bool) -> Option<usize> {
        let several = self.count > BLOCK;
        let mut before = None;
        let (mut base, mut end) = (0, self.at);
        if self.count == 0 {
            return None;
        }
        while self.count > 0 {
            let block = self.block(base, several)?;
            if block.end + SLACK > self.bytes.len() || block.distance_bits > 31 {
                return None;
            }
            let mut sound = true;
            let last = self.read(&block, |spot| {
                sound &= before.is_none_or(|before| before < spot) && holds(spot);
                before = Some(spot);
            });
            if !sound || several && last != block.base.wrapping_add(block.span) {
                return None;
            }
            (base, end) = (last, block.end);
        }
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn encoded(spots: &[Spot]) -> Vec<u8> {
        let mut bytes = vec![0xAA; 3];
        encode(spots, &mut bytes);
        bytes.extend([0; SLACK]);
        bytes
    }

    fn spots() -> impl Strategy<Value = Vec<Spot>> {
        let spot = (0u32..400_000, prop_oneof![Just(0u32), 0u32..8, 0u32..65_536]);
        let near = (0u32..300, 0u32..20);
        let spots = prop_oneof![
            prop::collection::btree_set(spot, 1..400),
            prop::collection::btree_set(near, 1..700),
        ];
        spots.prop_map(|spots: BTreeSet<(u32, u32)>| {
            spots.into_iter().map(|(unit, position)| Spot::of(unit, position)).collect()
        })
    }

    proptest! {
        #[test]
        fn what_was_written_reads_back(spots in spots()) {
            let bytes = encoded(&spots);
            let list = List::at(&bytes, 3);
            prop_assert_eq!(list.count(), spots.len());
            let mut found = Vec::new();
            list.for_each(|spot| found.push(spot));
            prop_assert_eq!(&found, &spots);
            prop_assert_eq!(list.check(|_| true), Some(bytes.len() - SLACK));
        }

        #[test]
        fn retain_is_an_intersection(left in spots(), right in spots(), shift in 0u32..4) {
            let bytes = encoded(&right);
            let mut candidates = left.clone();
            List::at(&bytes, 3).retain(shift, &mut candidates);
            let right: BTreeSet<Spot> = right.into_iter().collect();
            let expected: Vec<Spot> =
                left.into_iter().filter(|spot| right.contains(&spot.moved(shift))).collect();
            prop_assert_eq!(candidates, expected);
        }

        #[test]
        fn damage_is_found_or_harmless(spots in spots(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let mut bytes = encoded(&spots);
            let at = 3 + at.index(bytes.len() - 3);
            bytes[at] ^= 1 << bit;
            let list = List::at(&bytes, 3);
            if list.check(|_| true).is_some() {
                let mut last = None;
                list.for_each(|spot| {
                    assert!(last < Some(spot));
                    last = Some(spot);
                });
            }
        }
    }
}
