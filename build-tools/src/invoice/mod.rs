//! The register of qualified invoice issuers: whole (`h_all_…`, `j_all_…`, `k_all_…`) and in daily differences, 24
//! columns in UTF-8.
//!
//! A registration number is `T` and thirteen digits: a corporation's corporate number, or a number that the tax
//! agency assigned to an individual. Which of several rows of a number is effective: see `daicho build invoice`.

mod row;

use self::row::COLUMNS;
use crate::archive::file_name;
use crate::corporate::column::{Columns, date_in_file_name};
use crate::corporate::file_reader::FileReader;
use crate::corporate::file_reader::{self, Line};
use crate::corporate::row::Date;
use crate::error::{Reject, Result, SourceError};
use crate::{kind::Kind, stream::Input};

pub use row::{DELETED, Holder, InvoiceRow, RowAddress};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceFile {
    pub name: String,
    pub rows: u64,
    pub rejects: Vec<Reject>,
    /// The latest `update_date`.
    pub date: Date,
    /// The date in the file's name; if there is none, the latest `update_date`.
    pub published: Date,
}

/// Reads every file of `input` and calls `sink` with each row, in the order of the file.
pub fn read_invoice(
    input: Input<'_>,
    kind: Kind,
    sink: &mut dyn FnMut(InvoiceRow<'_>),
    progress: crate::Progress<'_>,
) -> Result<Vec<InvoiceFile>> {
    let mut files = Vec::new();
    input.for_each_text(kind, progress, &mut |name, stream| {
        check_name(name, kind)?;
        let mut reader = InvoiceReader::new(name, kind);
        file_reader::for_each_line(name, stream, &mut |line| reader.read_line(line, sink))?;
        files.push(reader.finish()?);
        Ok(())
    })?;
    Ok(files)
}

/// Full files and differences have the same columns, so their names distinguish them.
fn check_name(name: &str, expected: Kind) -> Result<()> {
    let found = match expected {
        Kind::InvoiceFull => Kind::InvoiceDifference,
        Kind::InvoiceDifference => Kind::InvoiceFull,
        _ => return Ok(()),
    };
    if found.matches_name(file_name(name)) {
        return Err(SourceError::WrongKind { name: name.to_owned(), expected, found });
    }
    Ok(())
}

struct InvoiceReader {
    file: FileReader,
    /// The kind of holders in the file, by its name.
    holders: Option<Holder>,
    date: Date,
    published: Date,
}

impl InvoiceReader {
    fn new(name: &str, kind: Kind) -> InvoiceReader {
        let dates = ["_all_", "diff_"].map(|mark| date_in_file_name(name, mark));
        let published = dates.into_iter().find(|date| *date != 0).unwrap_or_default();
        let (file, holders) = (FileReader::new(name, kind), holders(name));
        InvoiceReader { file, holders, date: 0, published }
    }

    fn read_line(&mut self, line: Line<'_>, sink: &mut dyn FnMut(InvoiceRow<'_>)) -> Result<()> {
        let columns = self.file.columns(&line, |_found| COLUMNS);
        let row = columns
            .and_then(|columns| row::parse(&Columns(&columns), self.holders, self.published));
        match row {
            Ok(row) => {
                self.file.rows += 1;
                self.date = self.date.max(row.update_date);
                sink(row);
                Ok(())
            }
            Err(fault) => {
                let is_first = self.file.rows == 0 && self.file.reject_count == 0;
                self.file.reject(&line, fault, is_first)
            }
        }
    }

    fn finish(self) -> Result<InvoiceFile> {
        let (rows, date) = (self.file.rows, self.date);
        let published = if self.published == 0 { date } else { self.published };
        let (name, rejects) = self.file.finish()?;
        Ok(InvoiceFile { name, rows, rejects, date, published })
    }
}

/// The kind of holders in a full file with this name; `None` for a difference, which has all.
fn holders(name: &str) -> Option<Holder> {
    let name = file_name(name).to_ascii_lowercase();
    let (letter, _) = name.split_once("_all_")?;
    match letter {
        "k" => Some(Holder::Individual),
        "h" | "j" => Some(Holder::Other),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
