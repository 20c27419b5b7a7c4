//! The wanted rows of a set, best first, without sorting it: scores are small numbers, so counting
//! them says which of them the window needs.

use std::ops::ControlFlow;

use crate::index::row_set::RowSet;

/// Appends rows of `set` from the `skip`-th best on, `limit` at most, and says how many of `skip`
/// were skipped. Among equals the lower row comes first.
pub fn window(
    set: &RowSet,
    score: impl Fn(usize) -> u16,
    skip: u64,
    limit: usize,
    out: &mut Vec<u32>,
) -> u64 {
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
    let mut places = vec![0u64; best - least + 1];
    let mut place = before;
    for score in (least..=best).rev() {
        places[score - least] = place;
        place += counts[score];
    }
    let first = out.len();
    let wanted = usize::try_from(end - skip).unwrap_or(limit);
    out.resize(first + wanted, 0);
    let mut left = wanted;
    set.visit(|row| {
        let score = usize::from(score(row));
        if (least..=best).contains(&score) {
            let place = places[score - least];
            places[score - least] += 1;
            if (skip..end).contains(&place) {
                out[first + (place - skip) as usize] = row as u32;
                left -= 1;
                if left == 0 {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    });
    skip
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_window_of_the_sorted_rows(
            scores in prop::collection::vec(0u16..6, 0..300),
            skip in 0u64..320,
            limit in 0usize..120,
        ) {
            let mut set = RowSet::empty(scores.len());
            let mut rows: Vec<usize> = (0..scores.len()).filter(|row| row % 7 != 3).collect();
            rows.iter().for_each(|row| set.insert(*row));
            rows.sort_by_key(|row| std::cmp::Reverse(scores[*row]));
            let mut found = vec![99];
            let passed = window(&set, |row| scores[row], skip, limit, &mut found);
            let expected = rows.iter().skip(skip as usize).take(limit).map(|row| *row as u32);
            prop_assert_eq!(found[1..].to_vec(), expected.collect::<Vec<u32>>());
            prop_assert_eq!(passed, skip.min(rows.len() as u64));
        }
    }
}
