//! A part of the input on its way through the pipeline, with the counts of its rows.

use super::encoding::Unmappable;
use super::placement::{CodeCheck, Match};
use crate::address::CorrectionKind;

#[derive(Debug, Default)]
pub struct Chunk {
    /// Its index in the input, from 0.
    pub index: u64,
    pub input: Vec<u8>,
    pub output: Vec<u8>,
    pub tally: Tally,
}

/// The counts of rows for the summary.
#[derive(Debug, Default)]
pub struct Tally {
    pub rows: u64,
    /// Rows of each [`Match`], in the order of [`Match::ALL`].
    pub matched: [u64; Match::ALL.len()],
    /// Rows for which no postal code was found.
    pub without_code: u64,
    /// Corrections of each [`CorrectionKind`].
    pub corrected: [u64; CorrectionKind::ALL.len()],
    /// Rows of each [`CodeCheck`]; zero if no code is checked.
    pub checked: [u64; CodeCheck::ALL.len()],
    /// The first row that is not valid in the input's encoding, from 1.
    pub first_unreadable: Option<u64>,
    /// Rows with fewer fields than the first; empty fields were added.
    pub short: u64,
    /// Rows with more fields than the first.
    pub long: u64,
    /// Characters that the output's encoding lacks.
    pub unmappable: Unmappable,
}

impl Tally {
    /// Adds the counts of `other`, whose rows come after these, and resets `other`.
    pub fn append(&mut self, other: &mut Tally) {
        if self.first_unreadable.is_none() {
            self.first_unreadable = other.first_unreadable.map(|row| self.rows + row);
        }
        self.rows += other.rows;
        let add = |sums: &mut [u64], counts: &[u64]| {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        };
        add(&mut self.matched, &other.matched);
        add(&mut self.corrected, &other.corrected);
        add(&mut self.checked, &other.checked);
        self.without_code += other.without_code;
        self.short += other.short;
        self.long += other.long;
        self.unmappable.append(&mut other.unmappable);
        *other = Tally::default();
    }
}
