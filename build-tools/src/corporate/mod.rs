//! The tax agency's files of corporations with their numbers: whole prefectures and daily differences.
//!
//! Columns that an older file lacks are empty. The whole country has more than a gigabyte of text, so rows are
//! passed on one at a time and borrow from their line. Which row of a number is effective: see `daicho build
//! corporate`.

pub(crate) mod column;
pub(crate) mod file_reader;
pub(crate) mod row;

use self::file_reader::FileReader;
use crate::csv::Fault;
use crate::error::{Reject, Result};
use crate::kind::Kind;
use crate::stream::Input;
use file_reader::Line;

pub use file_reader::Encoding;
pub use row::{ABROAD, CorporateRow, Date, PrefectureSet, WITHDRAWN};

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

/// Reads every file of `input` and calls `sink` with each row, in the order of the file.
pub fn read_corporate(
    input: Input<'_>,
    role: Role,
    sink: &mut dyn FnMut(CorporateRow<'_>),
    progress: crate::Progress<'_>,
) -> Result<Vec<CorporateFile>> {
    let mut files = Vec::new();
    input.for_each_text(role.kind(), progress, &mut |name, stream| {
        let mut reader = CorporateReader::new(name, role);
        let encoding =
            file_reader::for_each_line(name, stream, &mut |line| reader.read_line(line, sink))?;
        files.push(reader.finish(encoding)?);
        Ok(())
    })?;
    Ok(files)
}

/// Reads one file and checks the order of its rows.
struct CorporateReader {
    file: FileReader,
    role: Role,
    columns: usize,
    /// The sequence number and the corporate number of the last row.
    sequence_number: u32,
    number: u64,
    date: Date,
    prefectures: PrefectureSet,
    missing: u64,
    /// How many rejects came before the last row; their sequence numbers do not count as missing.
    rejects_before: u64,
    /// Rows that are not the newest entry of their number.
    superseded: u64,
}

impl CorporateReader {
    fn new(name: &str, role: Role) -> CorporateReader {
        CorporateReader {
            file: FileReader::new(name, role.kind()),
            role,
            columns: 0,
            sequence_number: 0,
            number: 0,
            date: 0,
            prefectures: PrefectureSet::from_file_name(name),
            missing: 0,
            rejects_before: 0,
            superseded: 0,
        }
    }

    fn read_line(&mut self, line: Line<'_>, sink: &mut dyn FnMut(CorporateRow<'_>)) -> Result<()> {
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
                self.record_row(&row)?;
                sink(row);
                Ok(())
            }
            Err(fault) => self.file.reject(&line, fault, self.columns == 0),
        }
    }

    /// Checks that sequence numbers ascend, and that a full file has one row per corporation.
    fn check_order(&self, row: &CorporateRow<'_>) -> Result<(), Fault> {
        if row.sequence_number <= self.sequence_number {
            let expected = format!("a sequence number above {}", self.sequence_number);
            return Err(Fault::column(0, expected, &row.sequence_number.to_string()));
        }
        if self.role == Role::Full && row.number == self.number {
            let expected = "a different corporate number from the previous line";
            return Err(Fault::column(1, expected, &format!("{:013}", row.number)));
        }
        Ok(())
    }

    /// Updates what is known of the file, and refuses a file whose rows show another role.
    fn record_row(&mut self, row: &CorporateRow<'_>) -> Result<()> {
        if self.role == Role::Difference && self.file.rows > 0 && row.update_date != self.date {
            let found = format!(
                "rows published on {} and {}, as a full file has them (--full); differences of several days need a \
                 file a day",
                self.date, row.update_date
            );
            return Err(self.file.unrecognised(found));
        }
        self.superseded += u64::from(!row.latest);
        // The parts of a prefecture continue the count, so the first number may be any.
        let gap = u64::from(row.sequence_number - self.sequence_number - 1);
        let reject_count = self.file.reject_count;
        let rejected = reject_count - std::mem::replace(&mut self.rejects_before, reject_count);
        if self.file.rows > 0 {
            self.missing += gap.saturating_sub(rejected);
        }
        self.sequence_number = row.sequence_number;
        self.number = row.number;
        if row.process != WITHDRAWN {
            self.prefectures.insert(row.file_prefecture());
        }
        self.date = self.date.max(row.update_date);
        self.file.rows += 1;
        if self.role == Role::Full && self.superseded > 0 {
            let found = format!(
                "superseded or withdrawn entries ({:013}), as a difference has them (--diff)",
                row.number
            );
            return Err(self.file.unrecognised(found));
        }
        Ok(())
    }

    fn finish(self, encoding: Option<Encoding>) -> Result<CorporateFile> {
        let rows = self.file.rows;
        let (name, rejects) = self.file.finish()?;
        let date = match self.role {
            Role::Full => self.date.max(column::date_in_file_name(&name, "_all_")),
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
