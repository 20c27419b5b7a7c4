//! Corporate numbers to rows, and to their place in the order of numbers.
//!
//! The first seven digits make a group (there are some 3,500); the six behind them are serial. The
//! check digit, which is one of the seven, leaves in each ten serial numbers one that is possible, or
//! two: those that end in 0 and in 9. So a group has two bits for each ten, and as in
//! [`exact`](super::exact) the rank of a number's bit is its place among all numbers, where its row
//! stands. That place is also what a full file prints as its sequence number.

use rkyv::{Archive, Serialize};

use crate::text::codes::CorporateNumber;

/// Serial numbers of a group.
const SERIALS: u64 = 1_000_000;

/// Bits of a group.
const SLOTS: u32 = 200_000;

/// Bits of one block, and blocks of one page. A page without a number takes no room.
const BLOCK: u32 = u64::BITS;
const PAGE: u32 = 16;

/// Pages of a group.
const PAGES: usize = SLOTS.div_ceil(BLOCK * PAGE) as usize;

/// In [`NumberIndex::pages`]: no number of the page is in use.
const NO_PAGE: u32 = u32::MAX;

/// Rows are numbered in three bytes.
pub const ROWS_MAX: usize = 1 << 24;

/// The rows of every number.
#[derive(Debug, Default, Archive, Serialize)]
pub struct NumberIndex {
    /// The first seven digits that occur, ascending.
    groups: Vec<u32>,
    /// Of each group `PAGES`: the first block of the page, or [`NO_PAGE`].
    pages: Vec<u32>,
    /// The blocks of the pages in use, `PAGE` each.
    blocks: Vec<Block>,
    /// In the order of numbers: the row, in little-endian order.
    rows: Vec<[u8; 3]>,
}

/// Sixty-four bits and how many are set before them. Halves keep it on four bytes.
#[derive(Debug, Clone, Copy, Default, Archive, Serialize)]
struct Block {
    rank: u32,
    bits: [u32; 2],
}

/// Where a number lies: its group and the bit in it.
fn place(number: CorporateNumber) -> (u32, u32) {
    let serial = (number.number() % SERIALS) as u32;
    let group = (number.number() / SERIALS) as u32;
    (group, serial / 10 * 2 + u32::from(serial % 10 == 9))
}

impl NumberIndex {
    /// Indexes the number of each row. They must differ, and their check digits be right.
    pub fn build(numbers: &[CorporateNumber]) -> NumberIndex {
        assert!(numbers.len() <= ROWS_MAX, "rows are numbered in three bytes");
        assert!(numbers.iter().all(|number| number.is_sound()), "check digits are right");
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        order.sort_unstable_by_key(|row| numbers[*row as usize]);
        let mut index = NumberIndex::default();
        let mut last = None;
        for row in order {
            let number = numbers[row as usize];
            assert_ne!(last, Some(number), "a number is one row's");
            last = Some(number);
            let (group, slot) = place(number);
            if index.groups.last() != Some(&group) {
                index.groups.push(group);
                index.pages.extend([NO_PAGE; PAGES]);
            }
            let page = (index.groups.len() - 1) * PAGES + (slot / BLOCK / PAGE) as usize;
            if index.pages[page] == NO_PAGE {
                index.pages[page] = index.blocks.len() as u32;
                index.blocks.extend([Block::default(); PAGE as usize]);
            }
            let block = index.pages[page] + slot / BLOCK % PAGE;
            index.blocks[block as usize].bits[(slot % BLOCK / 32) as usize] |= 1 << (slot % 32);
            let [low, middle, high, _] = row.to_le_bytes();
            index.rows.push([low, middle, high]);
        }
        let mut rank = 0;
        for block in &mut index.blocks {
            block.rank = rank;
            rank += block.bits[0].count_ones() + block.bits[1].count_ones();
        }
        index
    }
}

impl ArchivedBlock {
    fn bits(&self) -> u64 {
        let [low, high] = self.bits.each_ref().map(|half| u64::from(half.to_native()));
        low | high << 32
    }
}

impl ArchivedNumberIndex {
    /// Checks everything that a look-up relies on, for so many rows: each is some number's, once.
    pub fn check(&self, rows: usize) -> Result<(), &'static str> {
        let ascending = |left: &rkyv::rend::u32_le, right: &rkyv::rend::u32_le| left < right;
        if !self.groups.is_sorted_by(ascending) || self.pages.len() != self.groups.len() * PAGES {
            return Err("groups that ascend, with pages for each");
        }
        let used = self.pages.iter().map(|page| page.to_native()).filter(|page| *page != NO_PAGE);
        let firsts = (0..self.blocks.len() as u32).step_by(PAGE as usize);
        if !self.blocks.len().is_multiple_of(PAGE as usize) || !used.eq(firsts) {
            return Err("the blocks of the pages in order");
        }
        let mut rank = 0;
        for block in self.blocks.iter() {
            if block.rank.to_native() != rank {
                return Err("blocks that count the numbers before them");
            }
            rank += block.bits().count_ones();
        }
        if self.rows.len() != rows || rank as usize != rows {
            return Err("a number for each row");
        }
        let mut seen = vec![0u64; rows.div_ceil(64)];
        for row in self.rows.iter().map(row_of) {
            let bit = 1 << (row % 64);
            match seen.get_mut(row as usize / 64) {
                Some(word) if (row as usize) < rows && *word & bit == 0 => *word |= bit,
                _ => return Err("rows of the table, each once"),
            }
        }
        Ok(())
    }

    /// The row of a number, and its place among all numbers, from 0; `None` where it is unknown.
    #[inline]
    pub fn find(&self, number: CorporateNumber) -> Option<(u32, u32)> {
        // A wrong check digit would lead to the bit of another number.
        if !number.is_sound() {
            return None;
        }
        let (group, slot) = place(number);
        let group = self.groups.binary_search_by_key(&group, |known| known.to_native()).ok()?;
        let page = self.pages[group * PAGES + (slot / BLOCK / PAGE) as usize].to_native();
        if page == NO_PAGE {
            return None;
        }
        let block = &self.blocks[(page + slot / BLOCK % PAGE) as usize];
        let (bits, bit) = (block.bits(), 1u64 << (slot % BLOCK));
        if bits & bit == 0 {
            return None;
        }
        let rank = block.rank.to_native() + (bits & (bit - 1)).count_ones();
        Some((row_of(&self.rows[rank as usize]), rank))
    }

    /// The rows in the order of their numbers.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = u32> {
        self.rows.iter().map(row_of)
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn row_of(bytes: &[u8; 3]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bytes::Bytes;
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::Section;

    fn archived(index: &NumberIndex) -> Section<ArchivedNumberIndex> {
        let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("numbers archive");
        Section::validate(Bytes::from_owner(bytes)).expect("what was archived is valid")
    }

    fn number(body: u64) -> CorporateNumber {
        CorporateNumber::from_body(body).expect("twelve digits")
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            bodies in prop::collection::btree_set(
                prop_oneof![0u64..400, 10_001_000_000u64..10_001_000_300, 0u64..1_000_000_000_000],
                0..80,
            ),
            turn in 0usize..80,
            near in 0u64..12,
        ) {
            let mut numbers: Vec<CorporateNumber> = bodies.iter().map(|body| number(*body)).collect();
            if !numbers.is_empty() {
                let turn = turn % numbers.len();
                numbers.rotate_left(turn);
            }
            let index = archived(&NumberIndex::build(&numbers));
            prop_assert_eq!(index.root().check(numbers.len()), Ok(()));
            let order: BTreeSet<CorporateNumber> = numbers.iter().copied().collect();
            let probes = bodies.iter().map(|body| (body + near) % 1_000_000_000_000).map(number);
            for probe in probes {
                let row = numbers.iter().position(|known| *known == probe);
                let rank = order.iter().position(|known| *known == probe);
                let expected = row.zip(rank).map(|(row, rank)| (row as u32, rank as u32));
                prop_assert_eq!(index.root().find(probe), expected);
                let wrong = CorporateNumber::from_number(probe.number() ^ 1).expect("small");
                prop_assert!(wrong.is_sound() || index.root().find(wrong).is_none());
            }
        }
    }

    #[test]
    fn an_index_that_contradicts_itself_is_refused() {
        let numbers = [10_001_000_001, 10_001_000_002, 27_000_500_000].map(number);
        let sound = || NumberIndex::build(&numbers);
        assert_eq!(archived(&sound()).root().check(3), Ok(()));
        #[track_caller]
        fn check(mut index: NumberIndex, damage: impl Fn(&mut NumberIndex)) {
            damage(&mut index);
            assert!(archived(&index).root().check(3).is_err());
        }
        check(sound(), |index| index.groups.reverse());
        check(sound(), |index| index.groups.truncate(1));
        check(sound(), |index| index.pages.iter_mut().for_each(|page| *page = NO_PAGE));
        check(sound(), |index| index.pages.truncate(3));
        check(sound(), |index| index.blocks[3].rank = 7);
        check(sound(), |index| index.blocks[0].bits[1] ^= 8);
        check(sound(), |index| index.rows[0] = [3, 0, 0]);
        check(sound(), |index| index.rows[0] = index.rows[1]);
        check(sound(), |index| index.rows.truncate(2));
    }
}
