//! The register of qualified invoice issuers: whole (`h_all_…`, `j_all_…`, `k_all_…`) and in daily differences,
//! 24 columns in UTF-8.
//!
//! A registration number is `T` and thirteen digits: of a corporation its corporate number, of an individual
//! a number that the tax agency gave. Which of several rows of a number counts: see `daicho build invoice`.

mod row;

use self::row::COLUMNS;
use crate::archive::file_name;
use crate::corporate::column::{Columns, date_of_name};
use crate::corporate::lines::{self, Line};
use crate::corporate::number::Date;
use crate::csv::{Fault, Rejects, split};
use crate::error::{Reject, SourceError, excerpt};
use crate::{kind::Kind, stream::Input};

pub use row::{DELETED, Holder, InvoiceRow, RowAddress};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceFile {
    pub name: String,
    pub rows: u64,
    pub rejects: Vec<Reject>,
    /// The latest `update_date`.
    pub date: Date,
    /// The date in the file's name; where there is none, the latest `update_date`.
    pub published: Date,
}

/// Reads every file below `input`, and gives each row to `sink` in the file's order.
pub fn read_invoice(
    input: Input<'_>,
    kind: Kind,
    sink: &mut dyn FnMut(InvoiceRow<'_>),
    progress: crate::Progress<'_>,
) -> Result<Vec<InvoiceFile>, SourceError> {
    let mut files = Vec::new();
    input.each_text(kind, progress, &mut |name, stream| {
        check_name(name, kind)?;
        let mut reading = Reading::begin(name, kind);
        lines::each_line(name, stream, &mut |line| reading.take(line, sink))?;
        files.push(reading.finish()?);
        Ok(())
    })?;
    Ok(files)
}

/// Full files and differences look alike: their names tell them apart.
fn check_name(name: &str, expected: Kind) -> Result<(), SourceError> {
    let found = match expected {
        Kind::InvoiceFull => Kind::InvoiceDifference,
        Kind::InvoiceDifference => Kind::InvoiceFull,
        _ => return Ok(()),
    };
    if found.fits(file_name(name)) {
        return Err(SourceError::WrongKind { name: name.to_owned(), expected, found });
    }
    Ok(())
}

struct Reading {
    file: InvoiceFile,
    kind: Kind,
    /// Whose registrations the file holds, as its name says.
    holders: Option<Holder>,
    rejects: Rejects,
    rejected: u64,
    /// A last line that is too short is no reject but a cut file; known at the end only.
    short: Option<String>,
}

impl Reading {
    fn begin(name: &str, kind: Kind) -> Reading {
        let dates = ["_all_", "diff_"].map(|mark| date_of_name(name, mark));
        let published = dates.into_iter().find(|date| *date != 0).unwrap_or_default();
        Reading {
            file: InvoiceFile {
                name: name.to_owned(),
                rows: 0,
                rejects: Vec::new(),
                date: 0,
                published,
            },
            kind,
            holders: holders(name),
            rejects: Rejects::new(name),
            rejected: 0,
            short: None,
        }
    }

    fn take(
        &mut self,
        line: Line<'_>,
        sink: &mut dyn FnMut(InvoiceRow<'_>),
    ) -> Result<(), SourceError> {
        self.short = None;
        match line.text.and_then(|text| self.parse(text)) {
            Ok(row) => {
                self.file.rows += 1;
                self.file.date = self.file.date.max(row.update_date);
                sink(row);
                Ok(())
            }
            Err(fault) if !line.ended => {
                let found = format!("it ends within line {}, {}", line.number, fault.found);
                Err(SourceError::Truncated { name: self.file.name.clone(), found })
            }
            Err(fault) if self.file.rows == 0 && self.rejected == 0 => {
                let found = format!("a first line with {}", fault.found);
                let (name, expected) = (self.file.name.clone(), self.kind);
                Err(SourceError::Unrecognised { name, expected, found })
            }
            Err(fault) => {
                self.rejected += 1;
                self.rejects.push(line.number, fault)
            }
        }
    }

    fn parse<'t>(&mut self, text: &'t str) -> Result<InvoiceRow<'t>, Fault> {
        let mut fields = Vec::with_capacity(COLUMNS);
        split(text, &mut fields)?;
        if fields.len() != COLUMNS {
            if fields.len() < COLUMNS {
                self.short = Some(excerpt(text));
            }
            return Err(Fault::columns(COLUMNS, fields.len()));
        }
        row::parse(&Columns(&fields), self.holders, self.file.published)
    }

    fn finish(mut self) -> Result<InvoiceFile, SourceError> {
        let name = || self.file.name.clone();
        if let Some(short) = self.short {
            let found = format!("the last line is not complete, {short}");
            return Err(SourceError::Truncated { name: name(), found });
        }
        if self.file.rows == 0 && self.rejected == 0 {
            return Err(SourceError::Empty { name: name(), expected: self.kind });
        }
        if self.file.published == 0 {
            self.file.published = self.file.date;
        }
        self.file.rejects = self.rejects.into_list();
        Ok(self.file)
    }
}

/// Whose registrations a full file of this name holds; `None` for a difference, which has all.
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
