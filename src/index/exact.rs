//! Numeric codes to rows: a sorted array with a radix table over the leading digits.
//!
//! An fst is 25 times slower for digits, and a hash table twice as large.

use rkyv::{Archive, Serialize};

/// Codes that share all but their last three digits fall into one bucket: some 14 of them, which lie
/// in one or two cache lines.
const BUCKET: u32 = 1_000;

/// The largest code: seven digits.
const CODE_MAX: u32 = 9_999_999;

/// Distinct codes, ascending, and the rows of each in row order.
#[derive(Debug, Default, Archive, Serialize)]
pub struct CodeIndex {
    codes: Vec<u32>,
    /// Rows of `codes[n]` are `rows[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// First code of bucket `n` is `codes[buckets[n]]`.
    buckets: Vec<u32>,
}

impl CodeIndex {
    /// Indexes the code of each row; `codes[n]` is the code of row `n`.
    pub fn build(codes: &[u32]) -> CodeIndex {
        assert!(codes.iter().all(|code| *code <= CODE_MAX), "a code has seven digits");
        let mut rows: Vec<u32> =
            (0..u32::try_from(codes.len()).expect("rows are numbered in 32 bits")).collect();
        rows.sort_by_key(|row| codes[*row as usize]);
        let mut index = CodeIndex::default();
        for (place, row) in (0u32..).zip(&rows) {
            let code = codes[*row as usize];
            if index.codes.last() != Some(&code) {
                index.codes.push(code);
                index.starts.push(place);
            }
        }
        index.starts.push(u32::try_from(rows.len()).expect("rows are numbered in 32 bits"));
        index.rows = rows;
        for bucket in 0..=CODE_MAX / BUCKET + 1 {
            let first = index.codes.partition_point(|code| *code < bucket * BUCKET);
            index.buckets.push(u32::try_from(first).expect("fewer codes than rows"));
        }
        index
    }
}

impl ArchivedCodeIndex {
    /// Checks everything that [`find`](Self::find) relies on, for `rows` rows.
    pub fn check(&self, rows: usize) -> Result<(), &'static str> {
        let ascending = self.codes.is_sorted_by(|left, right| left.to_native() < right.to_native());
        if !ascending || self.codes.iter().any(|code| code.to_native() > CODE_MAX) {
            return Err("codes that ascend up to seven digits");
        }
        let starts = self.starts.is_sorted_by(|left, right| left.to_native() < right.to_native());
        let ends = self.starts.last().map(|end| end.to_native() as usize);
        if !starts || self.starts.len() != self.codes.len() + 1 || ends != Some(self.rows.len()) {
            return Err("a run of rows for each code");
        }
        if self.rows.iter().any(|row| row.to_native() as usize >= rows) {
            return Err("rows of the table");
        }
        let buckets =
            (0..=CODE_MAX / BUCKET + 1).zip(self.buckets.iter()).all(|(bucket, first)| {
                let first = first.to_native() as usize;
                let before = first == 0
                    || self
                        .codes
                        .get(first - 1)
                        .is_some_and(|code| code.to_native() < bucket * BUCKET);
                let after = first == self.codes.len()
                    || self
                        .codes
                        .get(first)
                        .is_some_and(|code| code.to_native() >= bucket * BUCKET);
                before && after
            });
        let all = self.buckets.len() as u32 == CODE_MAX / BUCKET + 2;
        if buckets && all { Ok(()) } else { Err("buckets that point at their codes") }
    }

    /// The rows of a code, ascending; empty where the code is unknown.
    pub fn find(&self, code: u32) -> &[rkyv::rend::u32_le] {
        if code > CODE_MAX {
            return &[];
        }
        let bucket = (code / BUCKET) as usize;
        let first = self.buckets[bucket].to_native() as usize;
        let end = self.buckets[bucket + 1].to_native() as usize;
        let found = self.codes[first..end].binary_search_by_key(&code, |code| code.to_native());
        let Ok(at) = found else { return &[] };
        let start = self.starts[first + at].to_native() as usize;
        &self.rows[start..self.starts[first + at + 1].to_native() as usize]
    }

    /// How many distinct codes there are.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
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
        Section::validate(Bytes::from_owner(bytes)).expect("what was archived is valid")
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

    #[test]
    fn an_index_that_contradicts_itself_is_refused() {
        let sound = || CodeIndex::build(&[1_000, 1_000, 2_500, 9_999_999]);
        assert_eq!(archived(&sound()).root().check(4), Ok(()));
        assert_eq!(archived(&sound()).root().check(3), Err("rows of the table"));
        #[track_caller]
        fn check(mut index: CodeIndex, damage: impl Fn(&mut CodeIndex)) {
            damage(&mut index);
            assert!(archived(&index).root().check(4).is_err());
        }
        check(sound(), |index| index.codes.swap(0, 1));
        check(sound(), |index| index.codes[2] = 10_000_000);
        check(sound(), |index| index.starts[1] = 9);
        check(sound(), |index| index.starts.truncate(2));
        check(sound(), |index| index.buckets[3] = 0);
        check(sound(), |index| index.buckets.truncate(5));
    }
}
