//! Where the rows of an earlier table are in one that was made from it: some rows went, others came, and those that stayed
//! kept their order. A row that changed went and came.
//!
//! With it an index of the earlier table becomes one of the present table without reading every row again.

/// Rows that share an entry of `firsts`.
const STRETCH: usize = 256;

#[derive(Debug, Clone)]
pub struct Renumbering {
    before: u32,
    /// Rows of the present table, ascending.
    came: Vec<u32>,
    /// Ranges of rows of the earlier table, ascending from row 0: each begins where the one before ends.
    ranges: Vec<Range>,
    /// Of each stretch of earlier rows: the range of its first row.
    firsts: Vec<u32>,
    rows: u32,
}

#[derive(Debug, Clone, Copy)]
struct Range {
    /// Its first row in the earlier table.
    from: u32,
    /// The same row in the present table; none where the rows went.
    to: Option<u32>,
}

impl Renumbering {
    /// Of an earlier table of so many rows, of which some went, ascending; and the present rows that came, ascending. None
    /// where they do not describe a table.
    pub fn of(before: u32, gone: &[u32], came: Vec<u32>) -> Option<Renumbering> {
        let ascending = |rows: &[u32]| rows.is_sorted_by(|left, right| left < right);
        if !ascending(gone) || !ascending(&came) || gone.last().is_some_and(|row| *row >= before) {
            return None;
        }
        let rows = before.checked_sub(gone.len() as u32)?.checked_add(came.len() as u32)?;
        if came.last().is_some_and(|row| *row >= rows) {
            return None;
        }
        let ranges = ranges(before, gone, &came);
        let mut firsts = Vec::with_capacity(before as usize / STRETCH + 1);
        let mut range = 0;
        for first in (0..before).step_by(STRETCH) {
            while ranges.get(range + 1).is_some_and(|next: &Range| next.from <= first) {
                range += 1;
            }
            firsts.push(range as u32);
        }
        Some(Renumbering { before, came, ranges, firsts, rows })
    }

    /// Rows of the earlier table.
    pub fn before(&self) -> u32 {
        self.before
    }

    /// Rows of the present table.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Rows of the present table that were not in the earlier one, or not as they are, ascending.
    pub fn came(&self) -> &[u32] {
        &self.came
    }

    /// The present row of an earlier one; none where it went or there was no such row.
    #[inline]
    pub fn row(&self, before: u32) -> Option<u32> {
        if before >= self.before {
            return None;
        }
        let mut range = self.firsts[before as usize / STRETCH] as usize;
        while self.ranges.get(range + 1).is_some_and(|next| next.from <= before) {
            range += 1;
        }
        let Range { from, to } = self.ranges[range];
        Some(to? + (before - from))
    }
}

fn ranges(before: u32, gone: &[u32], came: &[u32]) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::with_capacity(2 * (gone.len() + came.len()) + 1);
    let (mut gone, mut came) = (gone.iter().copied().peekable(), came.iter().copied().peekable());
    let (mut from, mut to) = (0, 0);
    while from < before {
        while came.next_if_eq(&to).is_some() {
            to += 1;
        }
        if gone.next_if_eq(&from).is_some() {
            // Rows that went side by side are one range.
            if ranges.last().is_none_or(|last| last.to.is_some()) {
                ranges.push(Range { from, to: None });
            }
            from += 1;
            continue;
        }
        ranges.push(Range { from, to: Some(to) });
        let until_gone = gone.peek().map_or(before, |row| *row) - from;
        let until_came = came.peek().map_or(u32::MAX, |row| row - to);
        let rows = until_gone.min(until_came);
        (from, to) = (from + rows, to + rows);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_that_stay_keep_their_order_around_those_that_came(
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
        }
    }

    #[test]
    fn what_describes_no_table_is_refused() {
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
