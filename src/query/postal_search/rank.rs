//! The wanted rows of a set, best first, without sorting it: scores are small numbers, so counting
//! them says which of them the window needs. Only rows that share a needed score are sorted, by weight.

use std::ops::ControlFlow;

use crate::index::row_set::RowSet;

/// More rows of one score than this stay in the order of the tables: nobody means one of thousands, and weighing them
/// would take as long as finding them.
const WEIGHED_MAX: u64 = 4_096;

/// Appends rows of `set` from the `skip`-th best on, `limit` at most, and says how many of `skip`
/// were skipped. Among equals the heavier row comes first where there is a weight, then the lower one.
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
    if skip >= end {
        return skip.min(total);
    }
    // The scores from `best` down to `least` meet the window; `before` rows are better than `best`.
    let mut rank = 0;
    let (mut best, mut least, mut before) = (None, 0, 0);
    for (score, count) in counts.iter().enumerate().rev().filter(|(_, count)| **count > 0) {
        if best.is_none() && rank + count > skip {
            (best, before) = (Some(score), rank);
        }
        rank += count;
        if rank >= end {
            least = score;
            break;
        }
    }
    let Some(best) = best else { return skip.min(total) };
    // By score from `least`: the place of the next row, and whether places go by weight.
    let mut places = vec![(0u64, false); best - least + 1];
    let (mut place, mut left) = (before, 0);
    for score in (least..=best).rev() {
        let count = counts[score];
        let weighed = weight.is_some() && count <= WEIGHED_MAX;
        places[score - least] = (place, weighed);
        let inside = (place + count).min(end).saturating_sub(place.max(skip));
        left += if weighed { count } else { inside };
        place += count;
    }
    let first = out.len();
    out.resize(first + usize::try_from(end - skip).unwrap_or(limit), 0);
    let mut put = |place: u64, row: u32| {
        let inside = (skip..end).contains(&place);
        if inside {
            out[first + (place - skip) as usize] = row;
        }
        inside
    };
    let mut weighed: Vec<u64> = Vec::new();
    set.visit(|row| {
        let score = usize::from(score(row));
        if (least..=best).contains(&score) {
            let (place, by_weight) = &mut places[score - least];
            if let Some(weight) = weight.filter(|_| *by_weight) {
                weighed.push(key(best - score, weight(row), row));
                left -= 1;
            } else {
                left -= u64::from(put(*place, row as u32));
                *place += 1;
            }
            if left == 0 {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    // Rows of better scores stand before those of a lesser one, so that no more than these have a place inside.
    let needed = usize::try_from(end - before).unwrap_or(usize::MAX);
    if needed < weighed.len() {
        weighed.select_nth_unstable(needed);
        weighed.truncate(needed);
    }
    weighed.sort_unstable();
    for key in weighed {
        let (below_best, row) = score_and_row(key);
        let (place, _) = &mut places[best - below_best - least];
        put(*place, row);
        *place += 1;
    }
    skip
}

/// How many rows have each score.
fn counts(set: &RowSet, score: impl Fn(usize) -> u16) -> Vec<u64> {
    // Points of one keyword are below 256; only sums of several are more.
    let mut counts: Vec<u64> = vec![0; 256];
    // Most rows have the score of the one before: a run is added at once.
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

/// Ascends with the order: the better score, then the heavier, then the lower row.
fn key(below_best: usize, weight: u16, row: usize) -> u64 {
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
        fn it_is_a_window_of_the_sorted_rows(
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
            let passed = window(&set, |row| scores[row], given, skip, limit, &mut found);
            let expected = rows.iter().skip(skip as usize).take(limit).map(|row| *row as u32);
            prop_assert_eq!(found[1..].to_vec(), expected.collect::<Vec<u32>>());
            prop_assert_eq!(passed, skip.min(rows.len() as u64));
        }
    }

    #[test]
    fn thousands_of_equals_stay_in_the_order_of_the_tables() {
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
