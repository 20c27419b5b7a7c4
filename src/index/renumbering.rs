//! Renumbering from an earlier table to the present one made from it: some rows were removed, others added, and the
//! rest kept their order. A changed row counts as removed and added.
//!
//! With it, an index of the earlier table becomes one of the present table without reading every row again.

use std::ops::Range;

/// Rows per entry of `firsts`.
const STEP: usize = 256;

#[derive(Debug, Clone)]
pub struct Renumbering {
    before: u32,
    rows: u32,
    /// Added rows, numbered in the present table, ascending.
    added: Vec<u32>,
    /// Ascending in both tables.
    kept: Vec<Kept>,
    /// For each [`STEP`] earlier rows: the last range that begins at or before the first of them, or range 0.
    firsts: Vec<u32>,
}

/// A range of kept rows that stayed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Its first row in the earlier table.
    pub before: u32,
    /// The same row in the present table.
    pub row: u32,
    pub rows: u32,
}

/// Consecutive rows of the present table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    Kept(Kept),
    /// An added row, by its index in [`Renumbering::added`].
    Added(usize),
}

/// Consecutive earlier rows that all kept, or were all removed.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: u32,
    rows: u32,
    /// Added to a row with wrapping arithmetic: a row may also move to the front.
    moved: u32,
    stays: bool,
}

impl Renumbering {
    /// From the size of the earlier table, its removed rows (ascending) and the present rows that were added
    /// (ascending). `None` if they do not describe a table.
    pub fn of(before: u32, removed: &[u32], added: Vec<u32>) -> Option<Renumbering> {
        let ascending = |rows: &[u32]| rows.is_sorted_by(|left, right| left < right);
        if !ascending(removed)
            || !ascending(&added)
            || removed.last().is_some_and(|row| *row >= before)
        {
            return None;
        }
        let rows = before.checked_sub(removed.len() as u32)?.checked_add(added.len() as u32)?;
        if added.last().is_some_and(|row| *row >= rows) {
            return None;
        }
        let kept = kept(before, removed, &added);
        let mut firsts = Vec::with_capacity(before as usize / STEP + 1);
        let mut range = 0;
        for first in (0..before).step_by(STEP) {
            while kept.get(range + 1).is_some_and(|next| next.before <= first) {
                range += 1;
            }
            firsts.push(range as u32);
        }
        Some(Renumbering { before, rows, added, kept, firsts })
    }

    /// Number of rows of the earlier table.
    pub fn before(&self) -> u32 {
        self.before
    }

    /// Number of rows of the present table.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Rows of the present table that are new or changed, ascending.
    pub fn added(&self) -> &[u32] {
        &self.added
    }

    /// The present row of an earlier one; `None` if it was removed or never existed.
    #[inline]
    pub fn row(&self, before: u32) -> Option<u32> {
        let Stretch { moved, stays, .. } = self.stretch(before);
        stays.then(|| before.wrapping_add(moved))
    }

    /// Rows of the earlier table that were removed or changed, ascending.
    pub fn removed(&self) -> impl Iterator<Item = u32> {
        let ends = self.kept.iter().map(|it| it.before + it.rows);
        let starts = self.kept.iter().map(|it| it.before);
        let between = std::iter::once(0).chain(ends).zip(starts.chain([self.before]));
        between.flat_map(|(end, start)| end..start)
    }

    /// Converts earlier rows to present rows and drops those that were removed or never existed. Fast if they
    /// ascend.
    pub fn renumber(&self, rows: &mut Vec<u32>) {
        let mut kept = 0;
        let mut stretch = Stretch { start: 0, rows: 0, moved: 0, stays: false };
        for read in 0..rows.len() {
            let row = rows[read];
            if row.wrapping_sub(stretch.start) >= stretch.rows {
                stretch = self.stretch(row);
            }
            // Without a branch: in most lists few rows are adjacent.
            rows[kept] = row.wrapping_add(stretch.moved);
            kept += usize::from(stretch.stays);
        }
        rows.truncate(kept);
    }

    /// The stretch that contains an earlier row.
    #[inline]
    fn stretch(&self, row: u32) -> Stretch {
        let removed = |rows: u32| Stretch { start: row, rows, moved: 0, stays: false };
        let Some(range) = self.firsts.get(row as usize / STEP) else { return removed(1) };
        let mut range = *range as usize;
        while self.kept.get(range).is_some_and(|it| it.before + it.rows <= row) {
            range += 1;
        }
        match self.kept.get(range) {
            Some(it) if it.before <= row => {
                let moved = it.row.wrapping_sub(it.before);
                Stretch { start: it.before, rows: it.rows, moved, stays: true }
            }
            Some(next) => removed(next.before - row),
            None => removed(1),
        }
    }

    /// The sources of a range of the present table, in order.
    pub fn runs(&self, rows: Range<u32>) -> impl Iterator<Item = Run> {
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
                return Some(Run::Added(added - 1));
            }
            let whole = self.kept.get(range)?;
            let behind = next - whole.row;
            let rows = (whole.rows - behind).min(end - next);
            let kept = Kept { before: whole.before + behind, row: next, rows };
            (next, range) = (next + rows, range + 1);
            Some(Run::Kept(kept))
        })
    }
}

fn kept(before: u32, removed: &[u32], added: &[u32]) -> Vec<Kept> {
    let mut kept: Vec<Kept> = Vec::with_capacity(removed.len() + added.len() + 1);
    let (mut removed, mut added) =
        (removed.iter().copied().peekable(), added.iter().copied().peekable());
    let (mut from, mut row) = (0, 0);
    loop {
        while removed.next_if_eq(&from).is_some() {
            from += 1;
        }
        while added.next_if_eq(&row).is_some() {
            row += 1;
        }
        if from >= before {
            return kept;
        }
        let until_removed = removed.peek().map_or(before, |row| *row) - from;
        let until_added = added.peek().map_or(u32::MAX, |added| added - row);
        let rows = until_removed.min(until_added);
        kept.push(Kept { before: from, row, rows });
        (from, row) = (from + rows, row + rows);
    }
}

#[cfg(test)]
impl Renumbering {
    /// For tests: a table made from an earlier one. Some rows change, then others are inserted.
    pub fn sample<T: Clone>(
        before: &[T],
        changes: Vec<(proptest::sample::Index, T)>,
        added: Vec<(proptest::sample::Index, T)>,
    ) -> (Renumbering, Vec<T>) {
        let mut rows: Vec<(Option<u32>, T)> = (0..).map(Some).zip(before.iter().cloned()).collect();
        for (at, row) in changes {
            let at = at.index(rows.len());
            rows[at] = (None, row);
        }
        for (at, row) in added {
            rows.insert(at.index(rows.len() + 1), (None, row));
        }
        let kept: Vec<u32> = rows.iter().filter_map(|(before, _)| *before).collect();
        let all = before.len() as u32;
        let removed: Vec<u32> = (0..all).filter(|row| kept.binary_search(row).is_err()).collect();
        let added = (0..).zip(&rows).filter(|(_, (before, _))| before.is_none());
        let added = added.map(|(row, _)| row).collect();
        let made = Renumbering::of(all, &removed, added).expect("it describes a table");
        (made, rows.into_iter().map(|(_, row)| row).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

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
            let known = Renumbering::of(before, &removed, added.clone()).expect("it describes a table");
            let taken: BTreeSet<u32> = added.iter().copied().collect();
            let mut free = (0..known.rows()).filter(|row| !taken.contains(row));
            for row in 0..before {
                let expected = if removed.contains(&row) { None } else { free.next() };
                prop_assert_eq!(known.row(row), expected, "row {}", row);
            }
            prop_assert_eq!(free.next(), None);
            prop_assert_eq!(known.row(before), None);
            prop_assert_eq!(known.removed().collect::<Vec<_>>(), removed);
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
                Run::Added(at) => rows.push(known.added()[at]),
                Run::Kept(kept) => {
                    for at in 0..kept.rows {
                        assert_eq!(known.row(kept.before + at), Some(kept.row + at));
                        rows.push(kept.row + at);
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
            (3, &[], &[4], "a row behind a gap"),
            (3, &[], &[1, 0], "added rows, not ascending"),
        ];
        for (before, removed, added, why) in cases {
            assert!(Renumbering::of(before, removed, added.to_vec()).is_none(), "{why}");
        }
    }
}
