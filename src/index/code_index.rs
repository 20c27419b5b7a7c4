//! Index from numeric codes to rows: a bit set of the possible codes with rank, and the rows by rank.
//!
//! A look-up reads memory at two addresses, the bit of the code and its row. A binary search over sorted codes reads at
//! four or five, an fst at more than ten.

use rkyv::rend::u32_le;
use rkyv::{Archive, Serialize};

use super::ranked_bits::{self, BITS, Block};

/// The largest code: seven digits.
const CODE_MAX: u32 = 9_999_999;

/// Blocks per page, which covers 4,096 codes. A page without codes takes no space.
const PAGE: u32 = 64;

const PAGES: usize = (CODE_MAX / (PAGE * BITS) + 1) as usize;

/// Marks a page without codes in [`CodeIndex::pages`].
const NO_PAGE: u32 = u32::MAX;

#[derive(Debug, Default, Archive, Serialize)]
pub struct CodeIndex {
    /// For each page its first block, or [`NO_PAGE`].
    pages: Vec<u32>,
    /// The blocks of the pages in use, 64 per page.
    blocks: Vec<Block>,
    /// For the n-th code in use: its row, or the start of its run in `runs`.
    values: Vec<u32>,
    /// The runs of codes with several rows: the number of rows, then the rows, ascending.
    runs: Vec<u32>,
}

/// Flag in [`CodeIndex::values`]: the code has a run of rows.
const RUN: u32 = 1 << 31;

impl CodeIndex {
    /// Builds the index; `codes[n]` is the code of row `n`.
    pub fn build(codes: &[u32]) -> CodeIndex {
        assert!(codes.iter().all(|code| *code <= CODE_MAX), "a code has seven digits");
        let number = |count: usize| u32::try_from(count).expect("rows are numbered in 31 bits");
        let mut order: Vec<u32> = (0..number(codes.len())).collect();
        order.sort_by_key(|row| codes[*row as usize]);
        let mut index = CodeIndex { pages: vec![NO_PAGE; PAGES], ..CodeIndex::default() };
        for run in order.chunk_by(|left, right| codes[*left as usize] == codes[*right as usize]) {
            let code = codes[run[0] as usize];
            let page = &mut index.pages[(code / BITS / PAGE) as usize];
            if *page == NO_PAGE {
                *page = number(index.blocks.len());
                index.blocks.extend([Block::default(); PAGE as usize]);
            }
            let block = &mut index.blocks[(*page + code / BITS % PAGE) as usize];
            block.set(code);
            if let [row] = run {
                index.values.push(*row);
            } else {
                index.values.push(number(index.runs.len()) | RUN);
                index.runs.push(number(run.len()));
                index.runs.extend_from_slice(run);
            }
        }
        ranked_bits::set_ranks(&mut index.blocks);
        index
    }
}

impl ArchivedCodeIndex {
    /// Checks all invariants that [`find`](Self::find) relies on, for `rows` rows.
    pub fn check(&self, rows: usize) -> Result<(), &'static str> {
        let used = self.pages.iter().map(|page| page.to_native()).filter(|page| *page != NO_PAGE);
        let firsts = (0..self.blocks.len() as u32).step_by(PAGE as usize);
        let has_whole_pages = self.blocks.len().is_multiple_of(PAGE as usize);
        if self.pages.len() != PAGES || !has_whole_pages || !used.eq(firsts) {
            return Err("a page for every 4,096 codes, their blocks in order");
        }
        let mut rank = 0;
        for block in self.blocks.iter() {
            if block.rank.to_native() != rank {
                return Err("blocks that count the codes before them");
            }
            rank += block.bits().count_ones();
        }
        if self.values.len() != rank as usize {
            return Err("a value for each code");
        }
        let mut next_run = 0;
        for value in self.values.iter() {
            let code_rows = self.rows_of(value);
            let are_known = code_rows.iter().all(|row| (row.to_native() as usize) < rows);
            if value.to_native() & RUN == 0 {
                if !are_known {
                    return Err("a row or a run of rows for each code");
                }
                continue;
            }
            if (value.to_native() & !RUN) as usize != next_run || code_rows.len() < 2 {
                return Err("a row or a run of rows for each code");
            }
            if !are_known {
                return Err("rows of the table");
            }
            next_run += 1 + code_rows.len();
        }
        Ok(())
    }

    /// The rows of a code, ascending; empty if the code is unknown.
    pub fn find(&self, code: u32) -> &[u32_le] {
        let page = self.pages.get((code / BITS / PAGE) as usize).map(|page| page.to_native());
        let Some(page) = page.filter(|page| *page != NO_PAGE) else { return &[] };
        let block = &self.blocks[(page + code / BITS % PAGE) as usize];
        let (bits, bit) = (block.bits(), 1u64 << (code % BITS));
        if bits & bit == 0 {
            return &[];
        }
        let rank = block.rank.to_native() + (bits & (bit - 1)).count_ones();
        self.rows_of(&self.values[rank as usize])
    }

    /// The rows of the codes from `first` to `last`, code by code.
    pub fn rows_between(&self, first: u32, last: u32) -> impl Iterator<Item = u32> {
        let values =
            self.values.get(self.count_below(first)..self.count_below(last.saturating_add(1)));
        let rows = values.unwrap_or_default().iter().flat_map(|value| self.rows_of(value));
        rows.map(|row| row.to_native())
    }

    /// How many codes are less than this one.
    fn count_below(&self, code: u32) -> usize {
        let own_page = (code / BITS / PAGE) as usize;
        let mut pages = self.pages.get(own_page..).unwrap_or_default().iter().zip(own_page..);
        // For a page without codes, the rank is that of the next page with any.
        let Some((page, number)) = pages.find(|(page, _)| **page != NO_PAGE) else {
            return self.values.len();
        };
        let (block, bits) = match number == own_page {
            true => (code / BITS % PAGE, (1u64 << (code % BITS)) - 1),
            false => (0, 0),
        };
        let block = self.blocks[(page.to_native() + block) as usize].native();
        (block.rank + (block.bits() & bits).count_ones()) as usize
    }

    /// The rows of the code that has this value.
    fn rows_of<'s>(&'s self, value: &'s u32_le) -> &'s [u32_le] {
        match value.to_native() & RUN {
            0 => std::slice::from_ref(value),
            _ => self.run(value.to_native()).unwrap_or_default(),
        }
    }

    /// The run that a value with the flag [`RUN`] refers to.
    fn run(&self, value: u32) -> Option<&[u32_le]> {
        let (count, rows) = self.runs.get((value & !RUN) as usize..)?.split_first()?;
        rows.get(..count.to_native() as usize)
    }

    /// The number of codes.
    pub fn count(&self) -> usize {
        self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::Section;

    fn archived(index: &CodeIndex) -> Section<ArchivedCodeIndex> {
        let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("numbers archive");
        Section::validate(Bytes::from_owner(bytes)).expect("archived data are valid")
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(codes in prop::collection::vec(0u32..=9_999_999, 0..80), near in 0u32..3) {
            let index = archived(&CodeIndex::build(&codes));
            prop_assert_eq!(index.root().check(codes.len()), Ok(()));
            for probe in codes.iter().map(|code| code.saturating_add(near)).chain([0, 9_999_999, u32::MAX]) {
                let expected: Vec<u32> =
                    (0u32..).zip(&codes).filter(|(_, code)| **code == probe).map(|(row, _)| row).collect();
                let found: Vec<u32> = index.root().find(probe).iter().map(|row| row.to_native()).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    proptest! {
        #[test]
        fn finds_the_rows_of_a_range_of_codes(
            codes in prop::collection::vec(0u32..=9_999_999, 0..80),
            ends in (0u32..=10_000_500, 0u32..=10_000_500),
        ) {
            let index = archived(&CodeIndex::build(&codes));
            let (first, last) = (ends.0.min(ends.1), ends.0.max(ends.1));
            let mut expected: Vec<(u32, u32)> = codes.iter().copied().zip(0..).collect();
            expected.retain(|(code, _)| (first..=last).contains(code));
            expected.sort_unstable();
            let found: Vec<u32> = index.root().rows_between(first, last).collect();
            prop_assert_eq!(found, expected.into_iter().map(|(_, row)| row).collect::<Vec<_>>());
        }
    }

    #[test]
    fn all_rows_may_have_the_same_code() {
        let index = archived(&CodeIndex::build(&[1_000, 1_000]));
        assert_eq!(index.root().check(2), Ok(()));
        assert_eq!(index.root().find(1_000).len(), 2);
    }

    #[test]
    fn an_index_that_contradicts_itself_is_refused() {
        let sound = || CodeIndex::build(&[1_000, 1_000, 2_500, 9_999_999]);
        assert_eq!(archived(&sound()).root().check(4), Ok(()));
        assert_eq!(archived(&sound()).root().check(3), Err("a row or a run of rows for each code"));
        #[track_caller]
        fn check(mut index: CodeIndex, damage: impl Fn(&mut CodeIndex)) {
            damage(&mut index);
            assert!(archived(&index).root().check(4).is_err());
        }
        check(sound(), |index| index.pages[0] = NO_PAGE);
        check(sound(), |index| index.pages[7] = 64);
        check(sound(), |index| index.pages.truncate(9));
        check(sound(), |index| index.blocks[63].rank = 0);
        check(sound(), |index| index.blocks[3].bits[0] = 1);
        check(sound(), |index| index.blocks.truncate(5));
        check(sound(), |index| index.values.truncate(2));
        check(sound(), |index| index.values[1] = 4);
        check(sound(), |index| index.values[0] = RUN | 1);
        check(sound(), |index| index.values[1] = RUN);
        check(sound(), |index| index.runs[0] = 3);
        check(sound(), |index| index.runs[0] = 1);
        check(sound(), |index| index.runs[1] = 4);
    }
}
