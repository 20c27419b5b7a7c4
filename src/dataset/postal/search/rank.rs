//! Selects the requested rows of a set, best first, without sorting the set. Scores are small numbers, so counting
//! them shows which ones the window needs. Only rows that share a needed score are sorted, by weight.

use std::ops::{ControlFlow, Range};

use crate::index::row_set::RowSet;

/// If more rows than this share a score, they stay in table order: the user cannot mean one of thousands, and
/// weighing them would take as long as finding them.
const WEIGHED_MAX: u64 = 4_096;

/// Appends rows of `set` from the `skip`-th best on, `limit` at most, and returns how many of `skip` were skipped.
/// Among equal scores the heavier row comes first if there is a weight, then the lower one.
pub fn window(
    set: &RowSet,
    score: impl Fn(usize) -> u16,
    weight: Option<&dyn Fn(usize) -> u16>,
    skip: u64,
    limit: usize,
    out: &mut Vec<u32>,
) -> u64 {
    let counts = counts(set, &score);
    let total: u64 = counts.iter().sum();
    let end = skip.saturating_add(limit as u64).min(total);
    let Some(needed) = NeededScores::new(&counts, skip..end) else { return skip.min(total) };
    let is_weighed = |score: usize| weight.is_some() && counts[score] <= WEIGHED_MAX;
    let first = out.len();
    out.resize(first + usize::try_from(end - skip).unwrap_or(limit), 0);
    let mut writer = WindowWriter {
        wanted: skip..end,
        rows: &mut out[first..],
        least: needed.least,
        next_ranks: needed.first_ranks(&counts),
    };
    let mut unvisited = needed.rows_to_visit(&counts, skip..end, is_weighed);
    let mut weighed: Vec<u64> = Vec::new();
    set.visit(|row| {
        let score = usize::from(score(row));
        if (needed.least..=needed.best).contains(&score) {
            match weight.filter(|_| is_weighed(score)) {
                Some(weight) => {
                    weighed.push(sort_key(needed.best - score, weight(row), row));
                    unvisited -= 1;
                }
                None => unvisited -= u64::from(writer.put(score, row as u32)),
            }
            if unvisited == 0 {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    // Rows of better scores precede those of a lower one, so at most this many fit.
    let enough = usize::try_from(end - needed.rows_before).unwrap_or(usize::MAX);
    if enough < weighed.len() {
        weighed.select_nth_unstable(enough);
        weighed.truncate(enough);
    }
    weighed.sort_unstable();
    for key in weighed {
        let (below_best, row) = score_and_row(key);
        writer.put(needed.best - below_best, row);
    }
    skip
}

/// The scores of the rows inside a window.
struct NeededScores {
    best: usize,
    least: usize,
    /// Number of rows with a better score than `best`.
    rows_before: u64,
}

impl NeededScores {
    /// `None` for an empty window.
    fn new(counts: &[u64], wanted: Range<u64>) -> Option<NeededScores> {
        if wanted.is_empty() {
            return None;
        }
        let (mut best, mut rows_before, mut rank) = (None, 0, 0);
        for (score, count) in counts.iter().enumerate().rev().filter(|(_, count)| **count > 0) {
            if best.is_none() && rank + count > wanted.start {
                (best, rows_before) = (Some(score), rank);
            }
            rank += count;
            if rank >= wanted.end {
                return best.map(|best| NeededScores { best, least: score, rows_before });
            }
        }
        None
    }

    /// By score from `least`: the rank of its first row.
    fn first_ranks(&self, counts: &[u64]) -> Vec<u64> {
        let mut ranks = vec![0; self.best - self.least + 1];
        let mut rank = self.rows_before;
        for score in (self.least..=self.best).rev() {
            ranks[score - self.least] = rank;
            rank += counts[score];
        }
        ranks
    }

    /// How many rows must be visited: all rows of a weighed score, otherwise those inside the window.
    fn rows_to_visit(
        &self,
        counts: &[u64],
        wanted: Range<u64>,
        is_weighed: impl Fn(usize) -> bool,
    ) -> u64 {
        let mut rank = self.rows_before;
        let rows = (self.least..=self.best).rev().map(|score| {
            let (first, count) = (rank, counts[score]);
            rank += count;
            match is_weighed(score) {
                true => count,
                false => rank.min(wanted.end).saturating_sub(first.max(wanted.start)),
            }
        });
        rows.sum()
    }
}

/// Writes rows to their ranks in a window. Rows with the same score must come in their order.
struct WindowWriter<'o> {
    wanted: Range<u64>,
    rows: &'o mut [u32],
    least: usize,
    /// By score from `least`: the rank of its next row.
    next_ranks: Vec<u64>,
}

impl WindowWriter<'_> {
    /// Puts the next row with a score. Returns whether it is inside the window.
    fn put(&mut self, score: usize, row: u32) -> bool {
        let rank = &mut self.next_ranks[score - self.least];
        let is_inside = self.wanted.contains(rank);
        if is_inside {
            self.rows[(*rank - self.wanted.start) as usize] = row;
        }
        *rank += 1;
        is_inside
    }
}

fn counts(set: &RowSet, score: impl Fn(usize) -> u16) -> Vec<u64> {
    // The points of one keyword are below 256; only sums of several exceed that.
    let mut counts: Vec<u64> = vec![0; 256];
    // Most rows have the score of the row before, so a run is added at once.
    let (mut score_of_run, mut run) = (0, 0);
    let mut add = |score: usize, run: u64| {
        if score >= counts.len() {
            counts.resize(score + 1, 0);
        }
        counts[score] += run;
    };
    set.for_each(|row| {
        let score = usize::from(score(row));
        if score != score_of_run {
            add(score_of_run, run);
            (score_of_run, run) = (score, 0);
        }
        run += 1;
    });
    add(score_of_run, run);
    counts
}

/// A key in whose ascending order the results are: better score, then heavier, then lower row.
fn sort_key(below_best: usize, weight: u16, row: usize) -> u64 {
    (below_best as u64) << 48 | u64::from(u16::MAX - weight) << 32 | row as u64
}

fn score_and_row(key: u64) -> (usize, u32) {
    ((key >> 48) as usize, key as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_window_equals_that_of_the_sorted_rows(
            scores in prop::collection::vec(0u16..6, 0..300),
            weights in prop::option::of(prop::collection::vec(0u16..4, 300)),
            skip in 0u64..320,
            limit in 0usize..120,
        ) {
            let mut set = RowSet::empty(scores.len());
            let mut rows: Vec<usize> = (0..scores.len()).filter(|row| row % 7 != 3).collect();
            rows.iter().for_each(|row| set.insert(*row));
            let weight = |row: usize| weights.as_ref().map_or(0, |weights| weights[row]);
            rows.sort_by_key(|row| std::cmp::Reverse((scores[*row], weight(*row))));
            let mut found = vec![99];
            let given: Option<&dyn Fn(usize) -> u16> = weights.as_ref().map(|_| &weight as _);
            let skipped = window(&set, |row| scores[row], given, skip, limit, &mut found);
            let expected = rows.iter().skip(skip as usize).take(limit).map(|row| *row as u32);
            prop_assert_eq!(found[1..].to_vec(), expected.collect::<Vec<u32>>());
            prop_assert_eq!(skipped, skip.min(rows.len() as u64));
        }
    }

    #[test]
    fn thousands_of_equal_scores_stay_in_table_order() {
        let rows = WEIGHED_MAX as usize + 1;
        let first = |rows: usize| {
            let mut found = Vec::new();
            let weight = |row: usize| u16::from(row == 9);
            window(&RowSet::full(rows), |_| 1, Some(&weight), 0, 2, &mut found);
            found
        };
        assert_eq!(first(rows - 1), [9, 0]);
        assert_eq!(first(rows), [0, 1]);
    }
}
