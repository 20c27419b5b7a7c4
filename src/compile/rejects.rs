//! Rejected rows: listed, counted, and past a share a reason to stop.

use std::io::Write as _;

use build_tools::{Batch, Reject};

use crate::cli::CommandError;

/// The share of rejected rows that a build bears where nothing else is said: 0.1%.
pub const SHARE_MAX: f64 = 0.001;

/// Lines listed on stderr before the list is cut; the counts are always whole.
const LISTED_MAX: usize = 1_000;

/// The rejects of every source of a build.
#[derive(Default)]
pub struct Tally {
    rows: usize,
    rejects: Vec<Reject>,
}

impl Tally {
    /// Takes the rejects of one source and gives its rows.
    pub fn take<T>(&mut self, batch: Batch<T>) -> Vec<T> {
        self.rows += batch.rows.len();
        self.rejects.extend(batch.rejects);
        batch.rows
    }

    /// Lists the rejects on stderr. An error where they are more than `share_max` of all rows.
    pub fn report(&self, share_max: f64) -> Result<(), CommandError> {
        if self.rejects.is_empty() {
            return Ok(());
        }
        let mut out = std::io::stderr().lock();
        for reject in self.rejects.iter().take(LISTED_MAX) {
            // A closed stderr must not end a build.
            let _ = writeln!(out, "rejected: {reject}");
        }
        let (count, all) = (self.rejects.len(), self.rows + self.rejects.len());
        let share = count as f64 / all as f64;
        let listed = if count > LISTED_MAX { ", the first 1,000 listed" } else { "" };
        let _ = writeln!(out, "{count} of {all} rows rejected ({:.3}%){listed}", share * 100.0);
        if share <= share_max {
            return Ok(());
        }
        Err(CommandError::BadInput(format!(
            "{count} of {all} rows were rejected, more than the {:.3}% allowed; nothing was written. \
             Check the sources, or allow more with --rejects-max",
            share_max * 100.0
        )))
    }
}

/// Reads a share between 0 and 1.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("expected a share from 0 to 1 such as 0.001; found {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(rows: usize, rejects: usize) -> Tally {
        let reject = Reject {
            file: "KEN_ALL.CSV".to_owned(),
            line: 7,
            column: Some(3),
            expected: "7 digits".to_owned(),
            found: "060".to_owned(),
        };
        let mut tally = Tally::default();
        tally.take(Batch { rows: vec![(); rows], rejects: vec![reject; rejects], lines: 0 });
        tally
    }

    #[test]
    fn a_build_bears_rejects_up_to_the_share() {
        for (rows, rejects, share, bears) in [
            (0, 0, SHARE_MAX, true),
            (999, 1, SHARE_MAX, true),
            (998, 2, SHARE_MAX, false),
            (0, 1, SHARE_MAX, false),
            (1, 1, 0.5, true),
            (1, 1, 0.0, false),
            (0, 9, 1.0, true),
        ] {
            let found = tally(rows, rejects).report(share);
            assert_eq!(
                found.is_ok(),
                bears,
                "{rejects} rejects beside {rows} rows, {share} allowed"
            );
        }
    }

    #[test]
    fn shares_are_between_nothing_and_all() {
        assert_eq!(parse_share("0.001"), Ok(0.001));
        for text in ["-0.1", "1.1", "NaN", "", "1%"] {
            assert!(parse_share(text).is_err(), "{text:?}");
        }
    }
}
