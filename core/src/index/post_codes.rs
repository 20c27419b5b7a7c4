//! Index from a postal code, or some of its digits, to the rows that have it.
//!
//! The codes are sorted, each with its rows in three bytes. The whole country has about a hundred thousand codes,
//! few enough that digits in the middle of a code are compared with every one. Does not know what a row is.

use std::ops::Range;

use rkyv::{Archive, Serialize};

use super::ROW_BITS;

/// The index. Rows without a code, and hidden rows, are not in it.
#[derive(Debug, Default, Archive, Serialize)]
pub struct PostCodeIndex {
    /// Ascending.
    codes: Vec<u32>,
    /// For each code the end of its rows in `rows`.
    ends: Vec<u32>,
    /// The rows of the first code, ascending, then of the next.
    rows: Vec<[u8; 3]>,
}

/// One more than the largest code.
const CODES: u32 = 10_000_000;

const DIGITS: usize = 7;

impl PostCodeIndex {
    pub fn build(rows: impl IntoIterator<Item = (u32, u32)>) -> PostCodeIndex {
        // Code and row in one number: it sorts faster than a pair.
        let order =
            rows.into_iter().map(|(row, code)| u64::from(code) << ROW_BITS | u64::from(row));
        let mut order: Vec<u64> = order.collect();
        order.sort_unstable();
        let mut index = PostCodeIndex::default();
        index.rows.reserve(order.len());
        for run in order.chunk_by(|left, right| left >> ROW_BITS == right >> ROW_BITS) {
            for row in run {
                let [low, middle, high, ..] = row.to_le_bytes();
                index.rows.push([low, middle, high]);
            }
            index.codes.extend(run.first().map(|first| (first >> ROW_BITS) as u32));
            index.ends.push(index.rows.len() as u32);
        }
        index
    }
}

/// The codes that contain some digits, as ranges in the index's list of rows.
#[derive(Clone)]
pub struct CodeMatches<'s> {
    index: &'s ArchivedPostCodeIndex,
    runs: Vec<Range<usize>>,
}

impl CodeMatches<'_> {
    pub fn count(&self) -> usize {
        self.runs.iter().map(Range::len).sum()
    }

    /// The rows, ascending within a code.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        let rows = self.runs.iter().flat_map(|run| self.index.rows.get(run.clone()));
        rows.flatten().map(|[low, middle, high]| u32::from_le_bytes([*low, *middle, *high, 0]))
    }
}

impl ArchivedPostCodeIndex {
    /// Checks all invariants that a look-up relies on, for a table of this many rows.
    pub fn check(&self, rows: usize) -> Result<(), &'static str> {
        let codes = || self.codes.iter().map(|code| code.to_native());
        if !codes().is_sorted_by(|left, right| left < right) || codes().any(|code| code >= CODES) {
            return Err("codes of seven digits that ascend");
        }
        let ends = || self.ends.iter().map(|end| end.to_native() as usize);
        let last = ends().next_back().unwrap_or_default();
        if self.ends.len() != self.codes.len() || !ends().is_sorted() || last != self.rows.len() {
            return Err("an end for the rows of each code");
        }
        let known = |[low, middle, high]: &[u8; 3]| {
            (u32::from_le_bytes([*low, *middle, *high, 0]) as usize) < rows
        };
        if !self.rows.iter().all(known) {
            return Err("rows of the table");
        }
        Ok(())
    }

    /// The number of distinct codes.
    pub fn codes(&self) -> usize {
        self.codes.len()
    }

    /// The rows of a code, by the index of the code.
    fn run(&self, index: usize) -> Range<usize> {
        let end = |index: usize| self.ends.get(index).map_or(0, |end| end.to_native() as usize);
        let start = index.checked_sub(1).map_or(0, end);
        start..end(index).max(start)
    }

    /// The codes with these digits: all seven, or two or more in a row. Empty for other characters.
    pub fn find(&self, digits: &[char]) -> CodeMatches<'_> {
        let append = |number: u32, digit: &char| Some(number * 10 + digit.to_digit(10)?);
        let is_in_bounds = (2..=DIGITS).contains(&digits.len());
        let number = is_in_bounds.then(|| digits.iter().try_fold(0, append)).flatten();
        let Some(number) = number else { return CodeMatches { index: self, runs: Vec::new() } };
        let runs = if digits.len() == DIGITS {
            let found = self.codes.binary_search_by_key(&number, |code| code.to_native());
            found.into_iter().map(|index| self.run(index)).collect()
        } else {
            let modulus = 10u32.pow(digits.len() as u32);
            let contains = |code: u32| {
                let ends = std::iter::successors(Some(code), |rest| Some(rest / 10));
                ends.take(DIGITS + 1 - digits.len()).any(|rest| rest % modulus == number)
            };
            let codes = self.codes.iter().map(|code| code.to_native()).enumerate();
            let found = codes.filter(|(_, code)| contains(*code));
            found.map(|(index, _)| self.run(index)).collect()
        };
        CodeMatches { index: self, runs }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::{OwnMemory, Section};

    fn archived(index: &PostCodeIndex) -> Section<ArchivedPostCodeIndex> {
        let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("codes archive");
        Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            codes in prop::collection::vec(
                prop::option::of(prop_oneof![0u32..30, 1_000_000u32..1_000_020, 0..CODES]),
                0..60,
            ),
            digits in "[0-9]{0,8}|[0-9１a]{2}",
            taken in any::<prop::sample::Index>(),
            cut in (0usize..7, 0usize..8),
        ) {
            let rows = (0..).zip(&codes).filter_map(|(row, code)| code.map(|code| (row, code)));
            let index = archived(&PostCodeIndex::build(rows.clone()));
            prop_assert_eq!(index.root().check(codes.len()), Ok(()));
            let mut keywords = vec![digits];
            if let Some((_, code)) = rows.clone().nth(taken.index(codes.len().max(1))) {
                let text = format!("{code:07}");
                keywords.push(text[cut.0.min(cut.1)..cut.0.max(cut.1).max(1)].to_owned());
            }
            for keyword in keywords {
                let letters: Vec<char> = keyword.chars().collect();
                let found = index.root().find(&letters);
                let expected: BTreeSet<u32> = rows
                    .clone()
                    .filter(|(_, code)| letters.len() > 1 && format!("{code:07}").contains(&keyword))
                    .map(|(row, _)| row)
                    .collect();
                prop_assert_eq!(found.count(), expected.len());
                prop_assert_eq!(found.rows().collect::<BTreeSet<u32>>(), expected);
            }
        }
    }

    #[test]
    fn an_index_that_contradicts_itself_is_refused() {
        let sound = || PostCodeIndex::build([(0, 1_000_001), (1, 1_000_001), (3, 9_999_999)]);
        assert_eq!(archived(&sound()).root().check(4), Ok(()));
        assert_eq!(archived(&PostCodeIndex::default()).root().check(0), Ok(()));
        #[track_caller]
        fn check(damage: impl Fn(&mut PostCodeIndex)) {
            let mut index = PostCodeIndex::build([(0, 1_000_001), (1, 1_000_001), (3, 9_999_999)]);
            damage(&mut index);
            assert!(archived(&index).root().check(4).is_err());
        }
        check(|index| index.codes.reverse());
        check(|index| index.codes[1] = CODES);
        check(|index| index.ends.reverse());
        check(|index| index.ends.truncate(1));
        check(|index| index.rows.truncate(2));
        check(|index| index.rows[0] = [4, 0, 0]);
    }
}
