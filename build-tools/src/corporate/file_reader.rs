//! Reads a file of the tax agency: collects the faults of its lines, and finds the faults of the file as a whole.
//!
//! A line that is not a row is a reject, except the first line of a file and the last one of a truncated file.

use super::{column::COLUMNS_MAX, lines::Line};
use crate::csv::{Fault, Rejects, split};
use crate::error::{Reject, SourceError, excerpt};
use crate::kind::Kind;

/// What is known of a file while its lines are read.
pub(crate) struct FileReader {
    pub name: String,
    kind: Kind,
    pub rows: u64,
    rejects: Rejects,
    pub reject_count: u64,
    /// The previous line, if it was too short. If it turns out to be the last line, the file is truncated.
    short_line: Option<String>,
}

impl FileReader {
    pub fn new(name: &str, kind: Kind) -> FileReader {
        let (name, rejects) = (name.to_owned(), Rejects::new(name));
        FileReader { name, kind, rows: 0, rejects, reject_count: 0, short_line: None }
    }

    /// The columns of a line. `expected` gets their number and returns how many there must be.
    pub fn columns<'t>(
        &mut self,
        line: &Line<'t>,
        expected: impl FnOnce(usize) -> usize,
    ) -> Result<Vec<&'t str>, Fault> {
        self.short_line = None;
        let text = line.text.clone()?;
        let mut columns = Vec::with_capacity(COLUMNS_MAX);
        split(text, &mut columns)?;
        let (found, expected) = (columns.len(), expected(columns.len()));
        if found < expected {
            self.short_line = Some(excerpt(text));
        }
        match found == expected {
            true => Ok(columns),
            false => Err(Fault::line(format!("{expected} columns"), format!("{found} columns"))),
        }
    }

    /// Records a line that is not a row. It is an error of the file if the line has no end, or if `is_first`.
    pub fn reject(
        &mut self,
        line: &Line<'_>,
        fault: Fault,
        is_first: bool,
    ) -> Result<(), SourceError> {
        if !line.has_end {
            let found = format!("it ends within line {}, {}", line.number, fault.found);
            return Err(SourceError::Truncated { name: self.name.clone(), found });
        }
        if is_first {
            return Err(self.unrecognised(format!("a first line with {}", fault.found)));
        }
        self.reject_count += 1;
        self.rejects.push(line.number, fault)
    }

    /// The error for a file of another kind.
    pub fn unrecognised(&self, found: String) -> SourceError {
        SourceError::Unrecognised { name: self.name.clone(), expected: self.kind, found }
    }

    /// The name of the file and its rejects.
    pub fn finish(self) -> Result<(String, Vec<Reject>), SourceError> {
        let name = self.name;
        if let Some(line) = self.short_line {
            let found = format!("the last line is not complete, {line}");
            return Err(SourceError::Truncated { name, found });
        }
        if self.rows == 0 && self.reject_count == 0 {
            return Err(SourceError::Empty { name, expected: self.kind });
        }
        Ok((name, self.rejects.into_list()))
    }
}
