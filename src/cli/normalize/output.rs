//! The output of the command: rows, or a file as workbook or Parquet.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{env, ops::ControlFlow};

use super::source::Workbook;
use crate::cli::error::CommandError;
use crate::cli::output::{Output as Destination, is_closed, write_error};
use crate::normalize::{
    AddedCells, EditedWorkbook, NormalizeError, ParquetWriter, Table, XlsxWriter,
};

pub struct Output {
    destination: Destination,
    rows: Rows,
    /// Line breaks that were written as they are.
    lines: u64,
}

enum Rows {
    /// Written as they are.
    Plain,
    Xlsx(Box<XlsxWriter>),
    /// A copy of the input's workbook.
    Edited(Box<EditedWorkbook>),
    Parquet(Box<ParquetWriter<BufWriter<File>>>),
}

/// The output format, from the file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Rows,
    Workbook,
    Parquet,
}

impl Format {
    pub fn from_extension(path: Option<&Path>) -> Result<Format, CommandError> {
        let extension = path.and_then(Path::extension).unwrap_or_default();
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "xlsx" => Ok(Format::Workbook),
            "parquet" => Ok(Format::Parquet),
            "xls" | "xlsm" | "xlsb" | "ods" | "gz" | "zst" | "xz" | "zip" => {
                Err(CommandError::Usage(format!(
                    "--output: expected a text such as .csv, .tsv or .jsonl, .xlsx or .parquet; found \
                     .{extension}; give it another ending"
                )))
            }
            _ => Ok(Format::Rows),
        }
    }
}

/// What an output needs to know about the table.
pub struct OutputTable<'a> {
    pub table: &'a Table,
    /// The rows above the table and the header.
    pub head: &'a [u8],
    /// The input's workbook.
    pub workbook: Option<Workbook>,
    pub prefix: &'a str,
}

impl Output {
    pub fn create(
        path: Option<&Path>,
        format: Format,
        about: OutputTable<'_>,
    ) -> Result<Output, CommandError> {
        let OutputTable { table, head, workbook, prefix } = about;
        let mut destination = Destination::open(path)?;
        let rows = match format {
            Format::Rows => Rows::Plain,
            Format::Parquet => {
                let (names, match_column) = (table.column_names(prefix), table.width);
                let output = file_of(&mut destination)?;
                let parquet =
                    ParquetWriter::new(table.output_shape(), names, match_column, output)?;
                Rows::Parquet(Box::new(parquet))
            }
            Format::Workbook => {
                let folder = folder(&destination);
                match workbook {
                    Some(Workbook { source, layout: Ok((part, _)), .. }) => {
                        let names = table.names.as_ref().map(|_| table.added_names(prefix));
                        let count = table.added_names(prefix).len();
                        // More rows than a sheet has are refused when it is read.
                        let first_row = u32::try_from(table.head_rows).unwrap_or(u32::MAX);
                        let cells = AddedCells { column: table.width, count, first_row };
                        let names = names.as_deref();
                        let edited = EditedWorkbook::new((source, part), cells, names, &folder)?;
                        Rows::Edited(Box::new(edited))
                    }
                    other => {
                        let mut xlsx = XlsxWriter::new(table.output_shape(), &folder)?;
                        if let Some(workbook) = other {
                            xlsx.set_name(&workbook.sheet);
                        }
                        xlsx.write(head)?;
                        Rows::Xlsx(Box::new(xlsx))
                    }
                }
            }
        };
        Ok(Output { destination, rows, lines: 0 })
    }

    /// Writes bytes; breaks if the reader has gone.
    pub fn write(&mut self, bytes: &[u8]) -> Result<ControlFlow<()>, CommandError> {
        let destination = &mut self.destination;
        match &mut self.rows {
            Rows::Xlsx(xlsx) => xlsx.write(bytes)?,
            Rows::Edited(edited) => edited.write(bytes)?,
            Rows::Parquet(parquet) => parquet.write(bytes)?,
            Rows::Plain => match destination.write_all(bytes).and_then(|()| destination.flush()) {
                Err(error) if is_closed(&error) => return Ok(ControlFlow::Break(())),
                written => {
                    written.map_err(|error| write_error(&destination.name(), &error))?;
                    self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
                }
            },
        }
        Ok(ControlFlow::Continue(()))
    }

    /// How many rows of the table were written; `None` for rows that are written as they are.
    pub fn rows(&self) -> Option<u64> {
        match &self.rows {
            Rows::Plain => None,
            Rows::Xlsx(xlsx) => Some(xlsx.rows()),
            Rows::Edited(edited) => Some(edited.rows()),
            Rows::Parquet(parquet) => Some(parquet.rows()),
        }
    }

    /// How many lines were written as they are.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    pub fn finish(mut self) -> Result<(), CommandError> {
        let name = self.destination.name();
        match self.rows {
            Rows::Plain => {}
            Rows::Xlsx(xlsx) => xlsx.finish(&mut self.destination)?,
            Rows::Parquet(parquet) => parquet.finish()?,
            Rows::Edited(edited) => {
                let written = write_edited(*edited, &mut self.destination);
                written.map_err(|cause| write_error(&name, &cause))??;
            }
        }
        self.destination.finish()
    }
}

/// The folder for temporary files: beside the output, or the system's for a device.
pub fn folder(destination: &Destination) -> PathBuf {
    match destination {
        Destination::File(file) => file.path().parent().unwrap_or(Path::new(".")).to_owned(),
        Destination::Standard(_) | Destination::Device(..) => env::temp_dir(),
    }
}

/// A zip is written with going back: a device gets it from a temporary file.
fn write_edited(
    edited: EditedWorkbook,
    destination: &mut Destination,
) -> io::Result<Result<(), NormalizeError>> {
    if let Destination::File(file) = destination {
        return Ok(edited.finish(BufWriter::new(file.file())));
    }
    let mut whole = tempfile::tempfile()?;
    let written = edited.finish(BufWriter::new(&mut whole));
    if written.is_ok() {
        whole.seek(SeekFrom::Start(0))?;
        io::copy(&mut whole, destination)?;
        destination.flush()?;
    }
    Ok(written)
}

/// The file of a destination, for a format that no device can hold.
pub fn file_of(destination: &mut Destination) -> Result<BufWriter<File>, CommandError> {
    let name = destination.name();
    let Destination::File(file) = destination else {
        let message = format!("{name}: expected a file; found a device or a pipe");
        return Err(CommandError::Usage(message));
    };
    let copy = file.file().try_clone().map_err(|cause| write_error(&name, &cause))?;
    Ok(BufWriter::new(copy))
}
