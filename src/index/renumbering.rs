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
    came: Vec<u32>,
    /// Ascending in both tables.
    stayed: Vec<Stayed>,
    /// For each [`STEP`] earlier rows: the last range that begins at or before the first of them, or range 0.
    firsts: Vec<u32>,
}

/// A range of rows that stayed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stayed {
    /// Its first row in the earlier table.
    pub before: u32,
    /// The same row in the present table.
    pub row: u32,
    pub rows: u32,
}

/// Consecutive rows of the present table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    Stayed(Stayed),
    /// An added row, by its index in [`Renumbering::came`].
    Came(usize),
}

/// Consecutive earlier rows that all stayed, or were all removed.
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
    pub fn of(before: u32, gone: &[u32], came: Vec<u32>) -> Option<Renumbering> {
        let ascending = |rows: &[u32]| rows.is_sorted_by(|left, right| left < right);
        if !ascending(gone) || !ascending(&came) || gone.last().is_some_and(|row| *row >= before) {
            return None;
        }
        let rows = before.checked_sub(gone.len() as u32)?.checked_add(came.len() as u32)?;
        if came.last().is_some_and(|row| *row >= rows) {
            return None;
        }
        let stayed = stayed(before, gone, &came);
        let mut firsts = Vec::with_capacity(before as usize / STEP + 1);
        let mut range = 0;
        for first in (0..before).step_by(STEP) {
            while stayed.get(range + 1).is_some_and(|next| next.before <= first) {
                range += 1;
            }
            firsts.push(range as u32);
        }
        Some(Renumbering { before, rows, came, stayed, firsts })
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
    pub fn came(&self) -> &[u32] {
        &self.came
    }

    /// The present row of an earlier one; `None` if it was removed or never existed.
    #[inline]
    pub fn row(&self, before: u32) -> Option<u32> {
        let Stretch { moved, stays, .. } = self.stretch(before);
        stays.then(|| before.wrapping_add(moved))
    }

    /// Rows of the earlier table that were removed or changed, ascending.
    pub fn gone(&self) -> impl Iterator<Item = u32> {
        let ends = self.stayed.iter().map(|it| it.before + it.rows);
        let starts = self.stayed.iter().map(|it| it.before);
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
        let gone = |rows: u32| Stretch { start: row, rows, moved: 0, stays: false };
        let Some(range) = self.firsts.get(row as usize / STEP) else { return gone(1) };
        let mut range = *range as usize;
        while self.stayed.get(range).is_some_and(|it| it.before + it.rows <= row) {
            range += 1;
        }
        match self.stayed.get(range) {
            Some(it) if it.before <= row => {
                let moved = it.row.wrapping_sub(it.before);
                Stretch { start: it.before, rows: it.rows, moved, stays: true }
            }
            Some(next) => gone(next.before - row),
            None => gone(1),
        }
    }

    /// The sources of a range of the present table, in order.
    pub fn runs(&self, rows: Range<u32>) -> impl Iterator<Item = Run> {
        let end = rows.end.min(self.rows);
        let mut came = self.came.partition_point(|row| *row < rows.start);
        let mut range = self.stayed.partition_point(|it| it.row + it.rows <= rows.start);
        let mut next = rows.start;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            if self.came.get(came) == Some(&next) {
                (next, came) = (next + 1, came + 1);
                return Some(Run::Came(came - 1));
            }
            let whole = self.stayed.get(range)?;
            let behind = next - whole.row;
            let rows = (whole.rows - behind).min(end - next);
            let stayed = Stayed { before: whole.before + behind, row: next, rows };
            (next, range) = (next + rows, range + 1);
            Some(Run::Stayed(stayed))
        })
    }
}

fn stayed(before: u32, gone: &[u32], came: &[u32]) -> Vec<Stayed> {
    let mut stayed: Vec<Stayed> = Vec::with_capacity(gone.len() + came.len() + 1);
    let (mut gone, mut came) = (gone.iter().copied().peekable(), came.iter().copied().peekable());
    let (mut from, mut row) = (0, 0);
    loop {
        while gone.next_if_eq(&from).is_some() {
            from += 1;
        }
        while came.next_if_eq(&row).is_some() {
            row += 1;
        }
        if from >= before {
            return stayed;
        }
        let until_gone = gone.peek().map_or(before, |row| *row) - from;
        let until_came = came.peek().map_or(u32::MAX, |came| came - row);
        let rows = until_gone.min(until_came);
        stayed.push(Stayed { before: from, row, rows });
        (from, row) = (from + rows, row + rows);
    }
}

#[cfg(test)]
impl Renumbering {
    /// For tests: a table made from an earlier one. Some rows change, then others are inserted.
    pub fn sample<T: Clone>(
        before: &[T],
        changes: Vec<(proptest::sample::Index, T)>,
        came: Vec<(proptest::sample::Index, T)>,
    ) -> (Renumbering, Vec<T>) {
        let mut rows: Vec<(Option<u32>, T)> = (0..).map(Some).zip(before.iter().cloned()).collect();
        for (at, row) in changes {
            let at = at.index(rows.len());
            rows[at] = (None, row);
        }
        for (at, row) in came {
            rows.insert(at.index(rows.len() + 1), (None, row));
        }
        let stayed: Vec<u32> = rows.iter().filter_map(|(before, _)| *before).collect();
        let all = before.len() as u32;
        let gone: Vec<u32> = (0..all).filter(|row| stayed.binary_search(row).is_err()).collect();
        let came = (0..).zip(&rows).filter(|(_, (before, _))| before.is_none());
        let came = came.map(|(row, _)| row).collect();
        let made = Renumbering::of(all, &gone, came).expect("it describes a table");
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
            gone in prop::collection::btree_set(0u32..2_000, 0..60),
            came in prop::collection::btree_set(0u32..2_100, 0..60),
        ) {
            let gone: Vec<u32> = gone.into_iter().filter(|row| *row < before).collect();
            let mut came: Vec<u32> = came.into_iter().collect();
            while came.last().is_some_and(|row| *row as usize >= before as usize - gone.len() + came.len()) {
                came.pop();
            }
            let known = Renumbering::of(before, &gone, came.clone()).expect("it describes a table");
            let taken: BTreeSet<u32> = came.iter().copied().collect();
            let mut free = (0..known.rows()).filter(|row| !taken.contains(row));
            for row in 0..before {
                let expected = if gone.contains(&row) { None } else { free.next() };
                prop_assert_eq!(known.row(row), expected, "row {}", row);
            }
            prop_assert_eq!(free.next(), None);
            prop_assert_eq!(known.row(before), None);
            prop_assert_eq!(known.gone().collect::<Vec<_>>(), gone);
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
                Run::Came(at) => rows.push(known.came()[at]),
                Run::Stayed(stayed) => {
                    for at in 0..stayed.rows {
                        assert_eq!(known.row(stayed.before + at), Some(stayed.row + at));
                        rows.push(stayed.row + at);
                    }
                }
            }
        }
        rows
    }

    #[test]
    fn impossible_renumberings_are_refused() {
        let cases: [(u32, &[u32], &[u32], &str); 5] = [
            (3, &[1, 1], &[], "a row that went twice"),
            (3, &[2, 1], &[], "rows that went, not ascending"),
            (3, &[3], &[], "a row that was not there"),
            (3, &[], &[4], "a row behind a gap"),
            (3, &[], &[1, 0], "rows that came, not ascending"),
        ];
        for (before, gone, came, why) in cases {
            assert!(Renumbering::of(before, gone, came.to_vec()).is_none(), "{why}");
        }
    }
}
