//! The tax agency's files: corporations with their numbers, whole prefectures and daily differences.
//!
//! Columns that an older file lacks are empty. The whole country has more than a gigabyte of text, so
//! rows are handed out one at a time and borrow from the line they came from. Which row of a number
//! counts: see `daicho build corporate`.

pub(crate) mod column;
pub(crate) mod lines;
pub(crate) mod number;
mod prefectures;
mod row;

use self::lines::Line;
use crate::csv::{Fault, Rejects, split};
use crate::error::{Reject, SourceError, excerpt};
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
    /// Its encoding; `None` where it has ASCII characters only.
    pub encoding: Option<Encoding>,
    pub rows: u64,
    pub rejects: Vec<Reject>,
    /// The latest `update_date`; of a full file the date in its name where that is later.
    pub date: Date,
    /// The prefectures that it covers, by its name and its rows.
    pub prefectures: PrefectureSet,
    /// Sequence numbers that do not occur and are no reject's: lines that were lost.
    pub missing: u64,
}

/// Reads every file below `input`, and gives each row to `sink` in the file's order.
pub fn read_corporate(
    input: Input<'_>,
    role: Role,
    sink: &mut dyn FnMut(CorporateRow<'_>),
    progress: crate::Progress<'_>,
) -> Result<Vec<CorporateFile>, SourceError> {
    let mut files = Vec::new();
    input.each_text(role.kind(), progress, &mut |name, stream| {
        let mut reading = Reading::begin(name, role);
        let encoding = lines::each_line(name, stream, &mut |line| reading.take(line, sink))?;
        files.push(reading.finish(encoding)?);
        Ok(())
    })?;
    Ok(files)
}

struct Reading {
    name: String,
    role: Role,
    columns: usize,
    rejects: Rejects,
    rejected: u64,
    rows: u64,
    sequence: u32,
    number: u64,
    date: Date,
    prefectures: PrefectureSet,
    missing: u64,
    /// Rejects since the last row: their sequence numbers are not missing.
    rejected_since: u64,
    /// A last line that is too short is no reject but a cut file; known at the end only.
    short: Option<String>,
    removals: u64,
}

impl Reading {
    fn begin(name: &str, role: Role) -> Reading {
        Reading {
            name: name.to_owned(),
            role,
            columns: 0,
            rejects: Rejects::new(name),
            rejected: 0,
            rows: 0,
            sequence: 0,
            number: 0,
            date: 0,
            prefectures: PrefectureSet::of_name(name),
            missing: 0,
            rejected_since: 0,
            short: None,
            removals: 0,
        }
    }

    fn take(
        &mut self,
        line: Line<'_>,
        sink: &mut dyn FnMut(CorporateRow<'_>),
    ) -> Result<(), SourceError> {
        self.short = None;
        let row = line.text.and_then(|text| {
            let row = column::parse(&self.fields(text)?)?;
            self.check_order(&row)?;
            Ok(row)
        });
        match row {
            Ok(row) => {
                self.note(&row)?;
                sink(row);
                Ok(())
            }
            Err(fault) if !line.ended => Err(SourceError::Truncated {
                name: self.name.clone(),
                found: format!("it ends within line {}, {}", line.number, fault.found),
            }),
            Err(fault) => {
                if self.columns == 0 {
                    let found = format!("a first line with {}", fault.found);
                    return Err(self.unrecognised(found));
                }
                self.rejected_since += 1;
                self.rejected += 1;
                self.rejects.push(line.number, fault)
            }
        }
    }

    /// The columns of a line: as many as the first line has.
    fn fields<'t>(&mut self, text: &'t str) -> Result<Vec<&'t str>, Fault> {
        let mut fields = Vec::with_capacity(column::COLUMNS_MAX);
        split(text, &mut fields)?;
        let count = fields.len();
        if self.columns == 0 && column::COLUMNS.contains(&count) {
            self.columns = count;
        }
        if count != self.columns {
            if count < self.columns {
                self.short = Some(excerpt(text));
            }
            let expected = if self.columns == 0 { column::COLUMNS_MAX } else { self.columns };
            return Err(Fault::line(format!("{expected} columns"), format!("{count} columns")));
        }
        Ok(fields)
    }

    /// Sequence numbers ascend, and a full file has one row of each corporation.
    fn check_order(&self, row: &CorporateRow<'_>) -> Result<(), Fault> {
        if row.sequence_number <= self.sequence {
            let expected = format!("a sequence number above {}", self.sequence);
            return Err(Fault::column(0, expected, &row.sequence_number.to_string()));
        }
        if self.role == Role::Full && row.number == self.number {
            let expected = "another corporate number than the line before";
            return Err(Fault::column(1, expected, &format!("{:013}", row.number)));
        }
        Ok(())
    }

    fn note(&mut self, row: &CorporateRow<'_>) -> Result<(), SourceError> {
        if self.role == Role::Difference && self.rows > 0 && row.update_date != self.date {
            let found = format!(
                "rows published on {} and {}, as a full file has them (--full)",
                self.date, row.update_date
            );
            return Err(self.unrecognised(found));
        }
        self.removals += u64::from(!row.latest);
        // The parts of a prefecture go on counting, so the first number may be any.
        let gap = u64::from(row.sequence_number - self.sequence - 1);
        if self.rows > 0 {
            self.missing += gap.saturating_sub(self.rejected_since);
        }
        self.rejected_since = 0;
        self.sequence = row.sequence_number;
        self.number = row.number;
        if row.process != WITHDRAWN {
            self.prefectures.insert(row.file_prefecture());
        }
        self.date = self.date.max(row.update_date);
        self.rows += 1;
        if self.role == Role::Full && self.removals > 0 {
            let found = format!(
                "superseded or withdrawn entries ({:013}), as a difference has them (--diff)",
                row.number
            );
            return Err(self.unrecognised(found));
        }
        Ok(())
    }

    fn finish(self, encoding: Option<Encoding>) -> Result<CorporateFile, SourceError> {
        if let Some(short) = self.short {
            let found = format!("the last line is not complete, {short}");
            return Err(SourceError::Truncated { name: self.name, found });
        }
        if self.rows == 0 && self.rejected == 0 {
            return Err(SourceError::Empty { name: self.name, expected: self.role.kind() });
        }
        let date = column::date_of_name(&self.name, "_all_");
        Ok(CorporateFile {
            name: self.name,
            columns: self.columns,
            encoding,
            rows: self.rows,
            rejects: self.rejects.into_list(),
            date: match self.role {
                Role::Full => self.date.max(date),
                Role::Difference => self.date,
            },
            prefectures: self.prefectures,
            missing: self.missing,
        })
    }

    fn unrecognised(&self, found: String) -> SourceError {
        let (name, expected) = (self.name.clone(), self.role.kind());
        SourceError::Unrecognised { name, expected, found }
    }
}

#[cfg(test)]
mod tests;
