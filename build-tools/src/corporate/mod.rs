//! The tax agency's files of corporations with their numbers: whole prefectures and daily differences.
//!
//! Columns that an older file lacks are empty. The whole country has more than a gigabyte of text, so rows are
//! passed on one at a time and borrow from their line. Which row of a number is effective: see `daicho build
//! corporate`.

pub(crate) mod column;
pub(crate) mod lines;
pub(crate) mod number;
mod prefectures;
pub(crate) mod reading;
mod row;

use self::{lines::Line, reading::Reading};
use crate::csv::Fault;
use crate::error::{Reject, SourceError};
use crate::kind::Kind;
use crate::stream::Input;

pub use lines::Encoding;
pub use number::{Date, check_digit};
pub use prefectures::PrefectureSet;
pub use row::{ABROAD, CorporateRow, WITHDRAWN};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Full,
    Difference,
}

impl Role {
    fn kind(self) -> Kind {
        match self {
            Role::Full => Kind::CorporateFull,
            Role::Difference => Kind::CorporateDifference,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorporateFile {
    pub name: String,
    /// Its columns: 23, 28, 29 or 30.
    pub columns: usize,
    /// Its encoding; `None` if it has only ASCII characters.
    pub encoding: Option<Encoding>,
    pub rows: u64,
    pub rejects: Vec<Reject>,
    /// The latest `update_date`; for a full file the date in its name if that is later.
    pub date: Date,
    /// The prefectures that it covers, by its name and its rows.
    pub prefectures: PrefectureSet,
    /// Sequence numbers that neither occur nor belong to a reject: lines that were lost.
    pub missing: u64,
}

/// Reads every file below `input`, and passes each row to `sink` in the file's order.
pub fn read_corporate(
    input: Input<'_>,
    role: Role,
    sink: &mut dyn FnMut(CorporateRow<'_>),
    progress: crate::Progress<'_>,
) -> Result<Vec<CorporateFile>, SourceError> {
    let mut files = Vec::new();
    input.each_text(role.kind(), progress, &mut |name, stream| {
        let mut reading = CorporateReading::begin(name, role);
        let encoding = lines::each_line(name, stream, &mut |line| reading.take(line, sink))?;
        files.push(reading.finish(encoding)?);
        Ok(())
    })?;
    Ok(files)
}

struct CorporateReading {
    file: Reading,
    role: Role,
    columns: usize,
    sequence: u32,
    number: u64,
    date: Date,
    prefectures: PrefectureSet,
    missing: u64,
    /// Rejects before the last row; their sequence numbers do not count as missing.
    rejected: u64,
    removals: u64,
}

impl CorporateReading {
    fn begin(name: &str, role: Role) -> CorporateReading {
        CorporateReading {
            file: Reading::begin(name, role.kind()),
            role,
            columns: 0,
            sequence: 0,
            number: 0,
            date: 0,
            prefectures: PrefectureSet::of_name(name),
            missing: 0,
            rejected: 0,
            removals: 0,
        }
    }

    fn take(
        &mut self,
        line: Line<'_>,
        sink: &mut dyn FnMut(CorporateRow<'_>),
    ) -> Result<(), SourceError> {
        // As many columns as the first line has.
        let known = &mut self.columns;
        let columns = self.file.columns(&line, |found| {
            if *known == 0 && column::COLUMNS.contains(&found) {
                *known = found;
            }
            if *known == 0 { column::COLUMNS_MAX } else { *known }
        });
        let row = columns.and_then(|columns| {
            let row = column::parse(&columns)?;
            self.check_order(&row)?;
            Ok(row)
        });
        match row {
            Ok(row) => {
                self.note(&row)?;
                sink(row);
                Ok(())
            }
            Err(fault) => self.file.reject(&line, fault, self.columns == 0),
        }
    }

    /// Checks that sequence numbers ascend, and that a full file has one row per corporation.
    fn check_order(&self, row: &CorporateRow<'_>) -> Result<(), Fault> {
        if row.sequence_number <= self.sequence {
            let expected = format!("a sequence number above {}", self.sequence);
            return Err(Fault::column(0, expected, &row.sequence_number.to_string()));
        }
        if self.role == Role::Full && row.number == self.number {
            let expected = "a different corporate number from the previous line";
            return Err(Fault::column(1, expected, &format!("{:013}", row.number)));
        }
        Ok(())
    }

    fn note(&mut self, row: &CorporateRow<'_>) -> Result<(), SourceError> {
        if self.role == Role::Difference && self.file.rows > 0 && row.update_date != self.date {
            let found = format!(
                "rows published on {} and {}, as a full file has them (--full)",
                self.date, row.update_date
            );
            return Err(self.file.unrecognised(found));
        }
        self.removals += u64::from(!row.latest);
        // The parts of a prefecture continue the count, so the first number may be any.
        let gap = u64::from(row.sequence_number - self.sequence - 1);
        let rejected =
            self.file.rejected - std::mem::replace(&mut self.rejected, self.file.rejected);
        if self.file.rows > 0 {
            self.missing += gap.saturating_sub(rejected);
        }
        self.sequence = row.sequence_number;
        self.number = row.number;
        if row.process != WITHDRAWN {
            self.prefectures.insert(row.file_prefecture());
        }
        self.date = self.date.max(row.update_date);
        self.file.rows += 1;
        if self.role == Role::Full && self.removals > 0 {
            let found = format!(
                "superseded or withdrawn entries ({:013}), as a difference has them (--diff)",
                row.number
            );
            return Err(self.file.unrecognised(found));
        }
        Ok(())
    }

    fn finish(self, encoding: Option<Encoding>) -> Result<CorporateFile, SourceError> {
        let rows = self.file.rows;
        let (name, rejects) = self.file.finish()?;
        let date = match self.role {
            Role::Full => self.date.max(column::date_of_name(&name, "_all_")),
            Role::Difference => self.date,
        };
        Ok(CorporateFile {
            name,
            columns: self.columns,
            encoding,
            rows,
            rejects,
            date,
            prefectures: self.prefectures,
            missing: self.missing,
        })
    }
}

#[cfg(test)]
mod tests;
