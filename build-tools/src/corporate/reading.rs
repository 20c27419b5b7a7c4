//! Reading a file of the tax agency: faults of its lines, and of the file as a whole.
//!
//! A line that is not a row is a reject, except the first line of a file and the last one of a truncated file.

use super::{column::COLUMNS_MAX, lines::Line};
use crate::csv::{Fault, Rejects, split};
use crate::error::{Reject, SourceError, excerpt};
use crate::kind::Kind;

pub(crate) struct Reading {
    pub name: String,
    kind: Kind,
    pub rows: u64,
    rejects: Rejects,
    pub rejected: u64,
    /// A last line that is too short means a truncated file instead of a reject; known only at the end.
    short: Option<String>,
}

impl Reading {
    pub fn begin(name: &str, kind: Kind) -> Reading {
        let (name, rejects) = (name.to_owned(), Rejects::new(name));
        Reading { name, kind, rows: 0, rejects, rejected: 0, short: None }
    }

    /// The columns of a line; `expected` checks their number.
    pub fn columns<'t>(
        &mut self,
        line: &Line<'t>,
        expected: impl FnOnce(usize) -> usize,
    ) -> Result<Vec<&'t str>, Fault> {
        self.short = None;
        let text = line.text.clone()?;
        let mut columns = Vec::with_capacity(COLUMNS_MAX);
        split(text, &mut columns)?;
        let (found, expected) = (columns.len(), expected(columns.len()));
        if found < expected {
            self.short = Some(excerpt(text));
        }
        match found == expected {
            true => Ok(columns),
            false => Err(Fault::line(format!("{expected} columns"), format!("{found} columns"))),
        }
    }

    /// Takes a line that is not a row. An error if no row was read before it.
    pub fn reject(
        &mut self,
        line: &Line<'_>,
        fault: Fault,
        first: bool,
    ) -> Result<(), SourceError> {
        if !line.ended {
            let found = format!("it ends within line {}, {}", line.number, fault.found);
            return Err(SourceError::Truncated { name: self.name.clone(), found });
        }
        if first {
            return Err(self.unrecognised(format!("a first line with {}", fault.found)));
        }
        self.rejected += 1;
        self.rejects.push(line.number, fault)
    }

    pub fn unrecognised(&self, found: String) -> SourceError {
        SourceError::Unrecognised { name: self.name.clone(), expected: self.kind, found }
    }

    /// The name of the file and its rejects.
    pub fn finish(self) -> Result<(String, Vec<Reject>), SourceError> {
        let name = self.name;
        if let Some(short) = self.short {
            let found = format!("the last line is not complete, {short}");
            return Err(SourceError::Truncated { name, found });
        }
        if self.rows == 0 && self.rejected == 0 {
            return Err(SourceError::Empty { name, expected: self.kind });
        }
        Ok((name, self.rejects.into_list()))
    }
}
