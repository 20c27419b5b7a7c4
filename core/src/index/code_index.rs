//! Index from numeric codes to rows: pages of 4,096 codes, which are divided into leaves of ten codes in use.
//!
//! A look-up waits for memory once: a leaf has the codes and their rows side by side. The tables that lead to it, three
//! bytes a leaf, stay in the processor's cache. A binary search over sorted codes waits four or five times, an fst more
//! than ten times.

use rkyv::rend::{u16_le, u32_le};
use rkyv::{Archive, Serialize};

/// The largest code: seven digits.
const CODE_MAX: u32 = 9_999_999;

/// Codes per page.
const PAGE: u32 = 4_096;

const PAGES: usize = (CODE_MAX / PAGE + 1) as usize;

/// Codes in use per leaf: as many as fit in a cache line with their values.
const LEAF: usize = 10;

/// Fills the unused slots of a leaf; larger than every code within a page.
const UNUSED: u16 = u16::MAX;

#[derive(Debug, Default, Archive, Serialize)]
pub struct CodeIndex {
    /// All codes in use, ascending.
    leaves: Vec<Leaf>,
    /// The first code of each leaf, within its page.
    firsts: Vec<u16>,
    /// The number of leaves before each page, and the number of all.
    pages: Vec<u32>,
    /// The runs of codes with several rows: the number of rows, then the rows, ascending.
    runs: Vec<u32>,
    count: u32,
}

#[derive(Debug, Clone, Copy, Archive, Serialize)]
struct Leaf {
    /// The codes within their page, ascending; [`UNUSED`] after the last.
    codes: [u16; LEAF],
    /// For each code its row, or the start of its run in [`CodeIndex::runs`].
    values: [u32; LEAF],
}

/// Flag in [`Leaf::values`]: the code has a run of rows.
const RUN: u32 = 1 << 31;

impl CodeIndex {
    /// Builds the index; `codes[n]` is the code of row `n`.
    pub fn build(codes: &[u32]) -> CodeIndex {
        assert!(codes.iter().all(|code| *code <= CODE_MAX), "a code has seven digits");
        let mut order: Vec<u32> = (0..number(codes.len())).collect();
        order.sort_by_key(|row| codes[*row as usize]);
        let mut index = CodeIndex::default();
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for run in order.chunk_by(|left, right| codes[*left as usize] == codes[*right as usize]) {
            entries.push((codes[run[0] as usize], index.push_run(run)));
        }
        index.count = number(entries.len());
        for page in entries.chunk_by(|left, right| left.0 / PAGE == right.0 / PAGE) {
            // The pages up to this one begin here; those between the last one and this one have no codes.
            index.pages.resize((page[0].0 / PAGE) as usize + 1, number(index.leaves.len()));
            for leaf in page.chunks(LEAF).map(Leaf::build) {
                index.firsts.push(leaf.codes[0]);
                index.leaves.push(leaf);
            }
        }
        index.pages.resize(PAGES + 1, number(index.leaves.len()));
        index
    }

    /// The value of a code with these rows.
    fn push_run(&mut self, rows: &[u32]) -> u32 {
        if let [row] = rows {
            return *row;
        }
        let start = number(self.runs.len());
        self.runs.push(number(rows.len()));
        self.runs.extend_from_slice(rows);
        start | RUN
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).ok().filter(|n| n & RUN == 0).expect("rows are numbered in 31 bits")
}

impl Leaf {
    /// The leaf of these codes and values, at most [`LEAF`] from one page.
    fn build(entries: &[(u32, u32)]) -> Leaf {
        let mut leaf = Leaf { codes: [UNUSED; LEAF], values: [0; LEAF] };
        for (slot, (code, value)) in entries.iter().enumerate() {
            leaf.codes[slot] = (code % PAGE) as u16;
            leaf.values[slot] = *value;
        }
        leaf
    }
}

impl ArchivedLeaf {
    fn used(&self) -> &[u32_le] {
        self.values.get(..count_below(&self.codes, UNUSED)).unwrap_or_default()
    }
}

/// How many of these codes are less than this one. Compares all of them: that is faster than to branch on each.
fn count_below(codes: &[u16_le], code: u16) -> usize {
    codes.iter().map(|known| u16::from(known.to_native() < code)).sum::<u16>().into()
}

impl ArchivedCodeIndex {
    /// Checks all invariants that [`find`](Self::find) relies on, for `rows` rows.
    pub fn check(&self, rows: usize) -> Result<(), &'static str> {
        self.check_codes()?;
        let values = || self.leaves.iter().flat_map(ArchivedLeaf::used);
        if values().count() != self.count() {
            return Err("a value for each code");
        }
        let mut next_run = 0;
        for value in values() {
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

    /// Checks that the pages divide the leaves, and that the codes of a page ascend from leaf to leaf.
    fn check_codes(&self) -> Result<(), &'static str> {
        const PAGES_EXPECTED: &str = "pages that divide the leaves in order";
        if self.pages.len() != PAGES + 1
            || self.pages[0].to_native() != 0
            || self.pages[PAGES].to_native() as usize != self.leaves.len()
            || self.firsts.len() != self.leaves.len()
        {
            return Err(PAGES_EXPECTED);
        }
        for bounds in self.pages.windows(2) {
            let (start, end) = (bounds[0].to_native() as usize, bounds[1].to_native() as usize);
            let leaves = self.leaves.get(start..end).ok_or(PAGES_EXPECTED)?;
            let mut next_code = 0;
            for (leaf, first) in leaves.iter().zip(&self.firsts[start..end]) {
                let (used, unused) = leaf.codes.split_at(leaf.used().len());
                if used.first() != Some(first) || unused.iter().any(|code| *code != UNUSED) {
                    return Err("leaves that begin with their first code");
                }
                for code in used.iter().map(|code| u32::from(code.to_native())) {
                    if code < next_code || code >= PAGE {
                        return Err("ascending codes in each page");
                    }
                    next_code = code + 1;
                }
            }
        }
        Ok(())
    }

    /// The rows of a code, ascending; empty if the code is unknown.
    pub fn find(&self, code: u32) -> &[u32_le] {
        let own_code = within_page(code);
        let Some(leaf) = self.leaf(code).and_then(|leaf| self.leaves.get(leaf)) else { return &[] };
        let slot = count_below(&leaf.codes, own_code);
        match leaf.codes.get(slot) {
            Some(known) if *known == own_code => self.rows_of(&leaf.values[slot]),
            _ => &[],
        }
    }

    /// The rows of the codes from `first` to `last`, code by code.
    pub fn rows_between(&self, first: u32, last: u32) -> impl Iterator<Item = u32> {
        let range = self.position(first)..self.position(last.saturating_add(1));
        let leaves = self.leaves.get(range.start / LEAF..range.end.div_ceil(LEAF));
        let slots = leaves.unwrap_or_default().iter();
        let slots = slots.flat_map(|leaf| leaf.codes.iter().zip(&leaf.values));
        let slots = slots.skip(range.start % LEAF).take(range.len());
        let values = slots.filter(|(code, _)| **code != UNUSED).map(|(_, value)| value);
        values.flat_map(|value| self.rows_of(value)).map(|row| row.to_native())
    }

    /// The leaf that has the code, if any has; `None` if the code is less than all codes of its page.
    fn leaf(&self, code: u32) -> Option<usize> {
        let [start, end] = self.pages.get((code / PAGE) as usize..)?.first_chunk()?;
        let (start, end) = (start.to_native() as usize, end.to_native() as usize);
        let reached = count_below(self.firsts.get(start..end)?, within_page(code) + 1);
        Some(start + reached.checked_sub(1)?)
    }

    /// The position of the first code that is not less than this one: its slot, counted over all leaves. It may be an
    /// unused slot before that code.
    fn position(&self, code: u32) -> usize {
        if let Some(leaf) = self.leaf(code) {
            return leaf * LEAF + count_below(&self.leaves[leaf].codes, within_page(code));
        }
        let page = self.pages.get((code / PAGE) as usize).map(|page| page.to_native() as usize);
        page.unwrap_or(self.leaves.len()) * LEAF
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

    pub fn count(&self) -> usize {
        self.count.to_native() as usize
    }
}

fn within_page(code: u32) -> u16 {
    (code % PAGE) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::{OwnMemory, Section};

    fn archived(index: &CodeIndex) -> Section<ArchivedCodeIndex> {
        let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("numbers archive");
        Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
    }

    /// Codes spread over all pages, and codes so close together that they fill leaves.
    fn any_codes() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(prop_oneof![0u32..=9_999_999, 4_000u32..4_200], 0..80)
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(codes in any_codes(), near in 0u32..3) {
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
            codes in any_codes(),
            ends in prop_oneof![(0u32..=10_004_000, 0u32..=10_004_000), (3_990u32..4_210, 3_990u32..4_210)],
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
        check(sound(), |index| index.pages[0] = 1);
        check(sound(), |index| index.pages[7] = 2);
        check(sound(), |index| index.pages[PAGES] = 3);
        check(sound(), |index| index.pages.truncate(9));
        check(sound(), |index| index.firsts[0] = 999);
        check(sound(), |index| index.firsts.truncate(1));
        check(sound(), |index| index.leaves.truncate(1));
        check(sound(), |index| index.leaves[0].codes.swap(0, 1));
        check(sound(), |index| index.leaves[0].codes[1] = 1_000);
        check(sound(), |index| index.leaves[0].codes[1] = PAGE as u16);
        check(sound(), |index| index.leaves[0].codes[1] = UNUSED);
        check(sound(), |index| index.leaves[0].codes[3] = 2_501);
        check(sound(), |index| index.leaves[1] = index.leaves[0]);
        check(sound(), |index| index.count = 2);
        check(sound(), |index| index.leaves[0].values[1] = 4);
        check(sound(), |index| index.leaves[0].values[0] = RUN | 1);
        check(sound(), |index| index.leaves[0].values[1] = RUN);
        check(sound(), |index| index.runs[0] = 3);
        check(sound(), |index| index.runs[0] = 1);
        check(sound(), |index| index.runs[1] = 4);
    }

    #[test]
    fn codes_that_do_not_ascend_from_leaf_to_leaf_are_refused() {
        let codes: Vec<u32> = (0..15).map(|code| 3 * code).collect();
        let mut index = CodeIndex::build(&codes);
        assert_eq!(archived(&index).root().check(15), Ok(()));
        index.firsts[1] = 27;
        index.leaves[1].codes[0] = 27;
        assert_eq!(archived(&index).root().check(15), Err("ascending codes in each page"));
    }
}
