//! Renumbering of rows: a table is made from an earlier one by removing some rows and adding others. The rest keep
//! their order. A changed row counts as removed and added.
//!
//! With it, an index of the earlier table becomes one of the present table without reading every row again.

use std::ops::Range;

/// Earlier rows per entry of `first_ranges`.
const STEP: usize = 256;

#[derive(Debug, Clone)]
pub struct Renumbering {
    earlier_rows: u32,
    rows: u32,
    /// Added rows, numbered in the present table, ascending.
    added: Vec<u32>,
    /// Ascending in both tables.
    kept: Vec<KeptRows>,
    /// For each [`STEP`] earlier rows: the last range in `kept` that begins at or before the first of them, or range 0.
    first_ranges: Vec<u32>,
}

/// A range of kept rows that are consecutive in both tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptRows {
    /// Its first row in the earlier table.
    pub earlier_row: u32,
    /// Its first row in the present table.
    pub row: u32,
    pub rows: u32,
}

/// Consecutive rows of the present table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowRun {
    Kept(KeptRows),
    /// An added row, by its index in [`Renumbering::added`].
    Added(usize),
}

/// Where a row of the present table comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrigin {
    /// A kept row, by its number in the earlier table.
    Kept(u32),
    /// An added row, by its index in [`Renumbering::added`].
    Added(usize),
}

/// Consecutive earlier rows that were all kept or all removed.
#[derive(Debug, Clone, Copy)]
struct EarlierRange {
    start: u32,
    rows: u32,
    /// The present row minus the earlier row. Wraps, since a row may also move to the front.
    shift: u32,
    is_kept: bool,
}

impl Renumbering {
    /// From the size of the earlier table, its removed rows (ascending) and the present rows that were added
    /// (ascending). `None` if they do not describe a table.
    pub fn new(earlier_rows: u32, removed: &[u32], added: Vec<u32>) -> Option<Renumbering> {
        let ascending = |rows: &[u32]| rows.is_sorted_by(|left, right| left < right);
        if !ascending(removed)
            || !ascending(&added)
            || removed.last().is_some_and(|row| *row >= earlier_rows)
        {
            return None;
        }
        let rows = earlier_rows.checked_sub(removed.len() as u32)?;
        let rows = rows.checked_add(added.len() as u32)?;
        if added.last().is_some_and(|row| *row >= rows) {
            return None;
        }
        let kept = kept_rows(earlier_rows, removed, &added);
        let mut first_ranges = Vec::with_capacity(earlier_rows as usize / STEP + 1);
        let mut range = 0;
        for first in (0..earlier_rows).step_by(STEP) {
            while kept.get(range + 1).is_some_and(|next| next.earlier_row <= first) {
                range += 1;
            }
            first_ranges.push(range as u32);
        }
        Some(Renumbering { earlier_rows, rows, added, kept, first_ranges })
    }

    pub fn earlier_rows(&self) -> u32 {
        self.earlier_rows
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Rows of the present table that are new or changed, ascending.
    pub fn added(&self) -> &[u32] {
        &self.added
    }

    /// The present row of an earlier one; `None` if it was removed or never existed.
    #[inline]
    pub fn row(&self, earlier_row: u32) -> Option<u32> {
        let EarlierRange { shift, is_kept, .. } = self.earlier_range(earlier_row);
        is_kept.then(|| earlier_row.wrapping_add(shift))
    }

    /// Where a present row comes from. A row past the last counts as added after all others.
    pub fn origin(&self, row: u32) -> RowOrigin {
        let range = self.kept.partition_point(|it| it.row + it.rows <= row);
        match self.kept.get(range).filter(|it| it.row <= row) {
            Some(it) => RowOrigin::Kept(it.earlier_row + (row - it.row)),
            None => RowOrigin::Added(self.added.partition_point(|added| *added < row)),
        }
    }

    /// Rows of the earlier table that were removed or changed, ascending.
    pub fn removed(&self) -> impl Iterator<Item = u32> {
        let ends = self.kept.iter().map(|it| it.earlier_row + it.rows);
        let starts = self.kept.iter().map(|it| it.earlier_row);
        let between = std::iter::once(0).chain(ends).zip(starts.chain([self.earlier_rows]));
        between.flat_map(|(end, start)| end..start)
    }

    /// Converts earlier rows to present rows and drops those that were removed or never existed. Fast if they
    /// ascend.
    pub fn renumber(&self, rows: &mut Vec<u32>) {
        let mut kept = 0;
        let mut range = EarlierRange { start: 0, rows: 0, shift: 0, is_kept: false };
        for read in 0..rows.len() {
            let row = rows[read];
            if row.wrapping_sub(range.start) >= range.rows {
                range = self.earlier_range(row);
            }
            // Without a branch: in most lists few rows are adjacent.
            rows[kept] = row.wrapping_add(range.shift);
            kept += usize::from(range.is_kept);
        }
        rows.truncate(kept);
    }

    /// The range of an earlier row. If the row was removed, the range begins with it.
    #[inline]
    fn earlier_range(&self, row: u32) -> EarlierRange {
        let removed = |rows: u32| EarlierRange { start: row, rows, shift: 0, is_kept: false };
        let Some(range) = self.first_ranges.get(row as usize / STEP) else { return removed(1) };
        let mut range = *range as usize;
        while self.kept.get(range).is_some_and(|it| it.earlier_row + it.rows <= row) {
            range += 1;
        }
        match self.kept.get(range) {
            Some(it) if it.earlier_row <= row => {
                let shift = it.row.wrapping_sub(it.earlier_row);
                EarlierRange { start: it.earlier_row, rows: it.rows, shift, is_kept: true }
            }
            Some(next) => removed(next.earlier_row - row),
            None => removed(1),
        }
    }

    /// A range of the present table as runs of kept and of added rows, in order.
    pub fn runs(&self, rows: Range<u32>) -> impl Iterator<Item = RowRun> {
        let end = rows.end.min(self.rows);
        let mut added = self.added.partition_point(|row| *row < rows.start);
        let mut range = self.kept.partition_point(|it| it.row + it.rows <= rows.start);
        let mut next = rows.start;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            if self.added.get(added) == Some(&next) {
                (next, added) = (next + 1, added + 1);
                return Some(RowRun::Added(added - 1));
            }
            let whole = self.kept.get(range)?;
            let skipped = next - whole.row;
            let rows = (whole.rows - skipped).min(end - next);
            let earlier_row = whole.earlier_row + skipped;
            let kept = KeptRows { earlier_row, row: next, rows };
            (next, range) = (next + rows, range + 1);
            Some(RowRun::Kept(kept))
        })
    }
}

fn kept_rows(earlier_rows: u32, removed: &[u32], added: &[u32]) -> Vec<KeptRows> {
    let mut kept: Vec<KeptRows> = Vec::with_capacity(removed.len() + added.len() + 1);
    let (mut removed, mut added) =
        (removed.iter().copied().peekable(), added.iter().copied().peekable());
    let (mut earlier_row, mut row) = (0, 0);
    loop {
        while removed.next_if_eq(&earlier_row).is_some() {
            earlier_row += 1;
        }
        while added.next_if_eq(&row).is_some() {
            row += 1;
        }
        if earlier_row >= earlier_rows {
            return kept;
        }
        let until_removed = removed.peek().map_or(earlier_rows, |row| *row) - earlier_row;
        let until_added = added.peek().map_or(u32::MAX, |added| added - row);
        let rows = until_removed.min(until_added);
        kept.push(KeptRows { earlier_row, row, rows });
        (earlier_row, row) = (earlier_row + rows, row + rows);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    impl Renumbering {
        /// A table made from an earlier one. Some rows change, then others are inserted.
        pub fn sample<T: Clone>(
            before: &[T],
            changes: Vec<(proptest::sample::Index, T)>,
            added: Vec<(proptest::sample::Index, T)>,
        ) -> (Renumbering, Vec<T>) {
            let mut rows: Vec<(Option<u32>, T)> =
                (0..).map(Some).zip(before.iter().cloned()).collect();
            for (at, row) in changes {
                let at = at.index(rows.len());
                rows[at] = (None, row);
            }
            for (at, row) in added {
                rows.insert(at.index(rows.len() + 1), (None, row));
            }
            let kept: Vec<u32> = rows.iter().filter_map(|(before, _)| *before).collect();
            let all = before.len() as u32;
            let removed: Vec<u32> =
                (0..all).filter(|row| kept.binary_search(row).is_err()).collect();
            let added = (0..).zip(&rows).filter(|(_, (before, _))| before.is_none());
            let added = added.map(|(row, _)| row).collect();
            let made = Renumbering::new(all, &removed, added).expect("it describes a table");
            (made, rows.into_iter().map(|(_, row)| row).collect())
        }
    }

    proptest! {
        #[test]
        fn kept_rows_stay_in_order_around_added_ones(
            before in 0u32..2_000,
            removed in prop::collection::btree_set(0u32..2_000, 0..60),
            added in prop::collection::btree_set(0u32..2_100, 0..60),
        ) {
            let removed: Vec<u32> = removed.into_iter().filter(|row| *row < before).collect();
            let mut added: Vec<u32> = added.into_iter().collect();
            while added.last().is_some_and(|row| *row as usize >= before as usize - removed.len() + added.len()) {
                added.pop();
            }
            let known = Renumbering::new(before, &removed, added.clone()).expect("it describes a table");
            let taken: BTreeSet<u32> = added.iter().copied().collect();
            let mut free = (0..known.rows()).filter(|row| !taken.contains(row));
            for row in 0..before {
                let expected = if removed.contains(&row) { None } else { free.next() };
                prop_assert_eq!(known.row(row), expected, "row {}", row);
            }
            prop_assert_eq!(free.next(), None);
            prop_assert_eq!(known.row(before), None);
            prop_assert_eq!(known.removed().collect::<Vec<_>>(), removed);
            for row in 0..known.rows() {
                match known.origin(row) {
                    RowOrigin::Kept(earlier) => prop_assert_eq!(known.row(earlier), Some(row)),
                    RowOrigin::Added(index) => prop_assert_eq!(known.added()[index], row),
                }
            }
            for step in [1, 7, 300] {
                let mut rows: Vec<u32> = (0..before + 9).step_by(step).collect();
                let expected: Vec<u32> = rows.iter().filter_map(|row| known.row(*row)).collect();
                known.renumber(&mut rows);
                prop_assert_eq!(rows, expected);
            }
            for range in [0..known.rows(), before / 3..before / 2, before / 2..before + 9] {
                let rows = range.start..range.end.min(known.rows());
                prop_assert_eq!(walked(&known, range), rows.collect::<Vec<_>>());
            }
        }
    }

    /// The present rows of runs, each checked against its source.
    fn walked(known: &Renumbering, range: Range<u32>) -> Vec<u32> {
        let mut rows = Vec::new();
        for run in known.runs(range) {
            match run {
                RowRun::Added(index) => rows.push(known.added()[index]),
                RowRun::Kept(kept) => {
                    for index in 0..kept.rows {
                        assert_eq!(known.row(kept.earlier_row + index), Some(kept.row + index));
                        rows.push(kept.row + index);
                    }
                }
            }
        }
        rows
    }

    #[test]
    fn impossible_renumberings_are_refused() {
        let cases: [(u32, &[u32], &[u32], &str); 5] = [
            (3, &[1, 1], &[], "a removed row twice"),
            (3, &[2, 1], &[], "removed rows, not ascending"),
            (3, &[3], &[], "a row that was not there"),
            (3, &[], &[4], "a row after a gap"),
            (3, &[], &[1, 0], "added rows, not ascending"),
        ];
        for (before, removed, added, why) in cases {
            assert!(Renumbering::new(before, removed, added.to_vec()).is_none(), "{why}");
        }
    }
}
