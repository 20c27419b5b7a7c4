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
    entries: Vec<Entry>,
    /// The rows of codes that have several, a run each.
    rows: Vec<u32>,
    /// First entry of bucket `n` is `entries[buckets[n]]`.
    buckets: Vec<u32>,
}

/// A code and its rows. Nearly every code has one, which stands beside it: finding it touches no
/// further place in memory.
#[derive(Debug, Clone, Copy, Archive, Serialize)]
struct Entry {
    code: u32,
    /// Place of the first row: of the table where `count` is 1, else of `rows`.
    first: u32,
    /// How many rows.
    count: u32,
}

impl CodeIndex {
    /// Indexes the code of each row; `codes[n]` is the code of row `n`.
    pub fn build(codes: &[u32]) -> CodeIndex {
        assert!(codes.iter().all(|code| *code <= CODE_MAX), "a code has seven digits");
        let number = |count: usize| u32::try_from(count).expect("rows are numbered in 32 bits");
        let mut order: Vec<u32> = (0..number(codes.len())).collect();
        order.sort_by_key(|row| codes[*row as usize]);
        let mut index = CodeIndex::default();
        for run in order.chunk_by(|left, right| codes[*left as usize] == codes[*right as usize]) {
            let first = if run.len() == 1 { run[0] } else { number(index.rows.len()) };
            if run.len() > 1 {
                index.rows.extend_from_slice(run);
            }
            let entry = Entry { code: codes[run[0] as usize], first, count: number(run.len()) };
            index.entries.push(entry);
        }
        for bucket in 0..=CODE_MAX / BUCKET + 1 {
            let first = index.entries.partition_point(|entry| entry.code < bucket * BUCKET);
            index.buckets.push(number(first));
        }
        index
    }
}

/// The rows of one code, ascending.
#[derive(Debug, Clone)]
pub enum CodeRows<'s> {
    /// None or one.
    One(Option<u32>),
    /// Several.
    Several(std::slice::Iter<'s, rkyv::rend::u32_le>),
}

impl Iterator for CodeRows<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            CodeRows::One(row) => row.take(),
            CodeRows::Several(rows) => rows.next().map(|row| row.to_native()),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = match self {
            CodeRows::One(row) => usize::from(row.is_some()),
            CodeRows::Several(rows) => rows.len(),
        };
        (length, Some(length))
    }
}

impl ExactSizeIterator for CodeRows<'_> {}

impl ArchivedCodeIndex {
    /// Checks everything that [`find`](Self::find) relies on, for `rows` rows.
    pub fn check(&self, rows: usize) -> Result<(), &'static str> {
        let code = |entry: &ArchivedEntry| entry.code.to_native();
        if !self.entries.is_sorted_by(|left, right| code(left) < code(right)) {
            return Err("codes that ascend");
        }
        if self.entries.last().is_some_and(|last| code(last) > CODE_MAX) {
            return Err("codes of seven digits");
        }
        for entry in self.entries.iter() {
            let (first, count) =
                (entry.first.to_native() as usize, entry.count.to_native() as usize);
            let end = if count == 1 { rows } else { self.rows.len() };
            if count == 0 || first.checked_add(count).is_none_or(|last| last > end) {
                return Err("a row or a run of rows for each code");
            }
        }
        if self.rows.iter().any(|row| row.to_native() as usize >= rows) {
            return Err("rows of the table");
        }
        let buckets =
            (0..=CODE_MAX / BUCKET + 1).zip(self.buckets.iter()).all(|(bucket, first)| {
                let first = first.to_native() as usize;
                let bound = bucket * BUCKET;
                let before =
                    first == 0 || self.entries.get(first - 1).is_some_and(|e| code(e) < bound);
                let at = self.entries.get(first).is_some_and(|entry| code(entry) >= bound);
                before && (at || first == self.entries.len())
            });
        let all = self.buckets.len() as u32 == CODE_MAX / BUCKET + 2;
        if buckets && all { Ok(()) } else { Err("buckets that point at their codes") }
    }

    /// The rows of a code, ascending; none where the code is unknown.
    pub fn find(&self, code: u32) -> CodeRows<'_> {
        if code > CODE_MAX {
            return CodeRows::One(None);
        }
        let bucket = (code / BUCKET) as usize;
        let start = self.buckets[bucket].to_native() as usize;
        let end = self.buckets[bucket + 1].to_native() as usize;
        let bucket = &self.entries[start..end];
        let Ok(at) = bucket.binary_search_by_key(&code, |entry| entry.code.to_native()) else {
            return CodeRows::One(None);
        };
        let (first, count) = (bucket[at].first.to_native(), bucket[at].count.to_native() as usize);
        if count == 1 {
            return CodeRows::One(Some(first));
        }
        CodeRows::Several(self.rows[first as usize..first as usize + count].iter())
    }

    /// How many distinct codes there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
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
                let found: Vec<u32> = index.root().find(probe).collect();
                prop_assert_eq!(found, expected);
            }
        }
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
        check(sound(), |index| index.entries.swap(0, 1));
        check(sound(), |index| index.entries[2].code = 10_000_000);
        check(sound(), |index| index.entries[0].first = 9);
        check(sound(), |index| index.entries[0].count = 3);
        check(sound(), |index| index.entries[1].count = 0);
        check(sound(), |index| index.rows[1] = 4);
        check(sound(), |index| index.buckets[3] = 0);
        check(sound(), |index| index.buckets.truncate(5));
    }
}
