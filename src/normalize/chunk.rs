//! A part of the input on its way through the pipeline, with the counts of its rows.

use super::doubt::Doubt;
use super::encoding::Unmappable;
use super::located::Located;
use super::placement::{CodeCheck, Match};
use super::review_file::ReviewRow;
use crate::address::CorrectionKind;
use crate::dataset::corporate::matching::rules::MatchLevel;

#[derive(Debug, Default)]
pub struct Chunk {
    /// Its index in the input, from 0.
    pub index: u64,
    /// The number of its first line in the file, from 1.
    pub first_line: u64,
    pub input: Vec<u8>,
    pub output: Vec<u8>,
    /// The rows that need a person, if they are listed; each has its number in the chunk, from 0.
    pub review: Vec<ReviewRow>,
    pub tally: Tally,
}

/// The counts of rows for the summary.
#[derive(Debug, Default)]
pub struct Tally {
    pub rows: u64,
    /// Empty lines of a table, which are no rows.
    pub blank_lines: u64,
    /// Line breaks in fields.
    pub inner_breaks: u64,
    /// Rows of each [`Match`], in the order of [`Match::ALL`].
    pub matched: [u64; Match::ALL.len()],
    /// Rows for which no postal code was found.
    pub without_code: u64,
    /// Corrections of each [`CorrectionKind`].
    pub corrected: [u64; CorrectionKind::ALL.len()],
    /// Rows of each [`CodeCheck`]; zero if no code is checked.
    pub checked: [u64; CodeCheck::ALL.len()],
    /// Rows of each [`Doubt`].
    pub doubtful: [u64; Doubt::ALL.len()],
    /// Rows with any doubt.
    pub to_review: u64,
    /// Quotes that are left open, and the line of the first.
    pub open_quotes: u64,
    pub first_open_quote: Option<u64>,
    /// The first row that is not valid in the input's encoding, from 1.
    pub first_unreadable: Option<u64>,
    /// Rows with fewer fields than the first; empty fields were added.
    pub short: u64,
    /// Rows with more fields than the first.
    pub long: u64,
    /// Rows by the level of their match.
    pub levels: [u64; MatchLevel::ALL.len()],
    /// Rows with coordinates by what became of them.
    pub located: [u64; Located::ALL.len()],
    /// Characters that the output's encoding lacks.
    pub unmappable: Unmappable,
}

impl Tally {
    /// Adds the counts of `other`, whose rows come after these, and resets `other`.
    pub fn append(&mut self, other: &mut Tally) {
        if self.first_unreadable.is_none() {
            self.first_unreadable = other.first_unreadable.map(|row| self.rows + row);
        }
        self.first_open_quote = self.first_open_quote.or(other.first_open_quote);
        self.rows += other.rows;
        self.blank_lines += other.blank_lines;
        self.inner_breaks += other.inner_breaks;
        self.to_review += other.to_review;
        self.open_quotes += other.open_quotes;
        let add = |sums: &mut [u64], counts: &[u64]| {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        };
        add(&mut self.matched, &other.matched);
        add(&mut self.levels, &other.levels);
        add(&mut self.located, &other.located);
        add(&mut self.corrected, &other.corrected);
        add(&mut self.checked, &other.checked);
        add(&mut self.doubtful, &other.doubtful);
        self.without_code += other.without_code;
        self.short += other.short;
        self.long += other.long;
        self.unmappable.append(&mut other.unmappable);
        *other = Tally::default();
    }

    /// Rows and empty lines: what a spreadsheet numbers.
    pub fn numbered(&self) -> u64 {
        self.rows + self.blank_lines
    }

    /// How many lines of the input these rows are.
    pub fn lines(&self) -> u64 {
        self.numbered() + self.inner_breaks
    }
}
