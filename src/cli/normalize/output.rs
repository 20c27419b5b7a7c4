//! The output of the command: rows, or a file as workbook or Parquet.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::{ops::ControlFlow, path::Path};

use crate::cli::error::CommandError;
use crate::cli::output::{Output as Destination, is_closed, write_error};
use crate::normalize::{ParquetWriter, XlsxWriter};

pub struct Output {
    destination: Destination,
    rows: Rows,
}

enum Rows {
    /// Written as they are.
    Plain,
    Xlsx(Box<XlsxWriter>),
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

impl Output {
    /// `delimiter` separates the fields of the rows to be written; `names` are the column names.
    pub fn create(
        path: Option<&Path>,
        format: Format,
        delimiter: u8,
        names: Vec<String>,
    ) -> Result<Output, CommandError> {
        let mut destination = Destination::open(path)?;
        let rows = match (&mut destination, format) {
            (Destination::File(file), Format::Parquet) => {
                let copy = file.file().try_clone();
                let copy = copy.map_err(|cause| write_error(&destination.name(), &cause))?;
                let parquet = ParquetWriter::new(delimiter, names, BufWriter::new(copy))?;
                Rows::Parquet(Box::new(parquet))
            }
            (Destination::File(file), Format::Workbook) => {
                let folder = file.path().parent().unwrap_or(Path::new("."));
                Rows::Xlsx(Box::new(XlsxWriter::new(delimiter, folder)?))
            }
            _ => Rows::Plain,
        };
        Ok(Output { destination, rows })
    }

    /// Writes bytes; breaks if the reader has gone.
    pub fn write(&mut self, bytes: &[u8]) -> Result<ControlFlow<()>, CommandError> {
        let destination = &mut self.destination;
        match &mut self.rows {
            Rows::Xlsx(xlsx) => xlsx.write(bytes)?,
            Rows::Parquet(parquet) => parquet.write(bytes)?,
            Rows::Plain => match destination.write_all(bytes).and_then(|()| destination.flush()) {
                Err(error) if is_closed(&error) => return Ok(ControlFlow::Break(())),
                written => written.map_err(|error| write_error(&destination.name(), &error))?,
            },
        }
        Ok(ControlFlow::Continue(()))
    }

    pub fn finish(mut self) -> Result<(), CommandError> {
        match self.rows {
            Rows::Plain => {}
            Rows::Xlsx(xlsx) => xlsx.finish(&mut self.destination)?,
            Rows::Parquet(parquet) => parquet.finish()?,
        }
        self.destination.finish()
    }
}
