//! The output: rows, or in a file a workbook or Parquet.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;

use crate::cli::error::CommandError;
use crate::cli::output::{Output as Place, is_closed, unwritable};
use crate::normalize::{Book, Parquet};

/// Rows on their way to their place.
pub struct Output {
    place: Place,
    rows: Rows,
}

enum Rows {
    /// As they are.
    Plain,
    Book(Box<Book>),
    Parquet(Box<Parquet<BufWriter<File>>>),
}

/// What the name of an output asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Rows,
    Workbook,
    Parquet,
}

impl Format {
    pub fn of(path: Option<&Path>) -> Result<Format, CommandError> {
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
    /// `delimiter` is that of the rows that will be written, `names` are those of their fields.
    pub fn create(
        path: Option<&Path>,
        format: Format,
        delimiter: u8,
        names: Vec<String>,
    ) -> Result<Output, CommandError> {
        let mut place = Place::open(path)?;
        let rows = match (&mut place, format) {
            (Place::File(file), Format::Parquet) => {
                let to = file.file().try_clone();
                let to = to.map_err(|cause| unwritable(&place.name(), &cause))?;
                let parquet = Parquet::begin(delimiter, names, BufWriter::new(to))?;
                Rows::Parquet(Box::new(parquet))
            }
            (Place::File(file), Format::Workbook) => {
                let folder = file.path().parent().unwrap_or(Path::new("."));
                Rows::Book(Box::new(Book::begin(delimiter, folder)?))
            }
            _ => Rows::Plain,
        };
        Ok(Output { place, rows })
    }

    /// Writes; breaks where nobody reads any more.
    pub fn write(&mut self, bytes: &[u8]) -> Result<ControlFlow<()>, CommandError> {
        let place = &mut self.place;
        match &mut self.rows {
            Rows::Book(book) => book.write(bytes)?,
            Rows::Parquet(parquet) => parquet.write(bytes)?,
            Rows::Plain => match place.write_all(bytes).and_then(|()| place.flush()) {
                Err(error) if is_closed(&error) => return Ok(ControlFlow::Break(())),
                written => written.map_err(|error| unwritable(&place.name(), &error))?,
            },
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Puts the whole file into its place.
    pub fn finish(mut self) -> Result<(), CommandError> {
        match self.rows {
            Rows::Plain => {}
            Rows::Book(book) => book.finish(&mut self.place)?,
            Rows::Parquet(parquet) => parquet.finish()?,
        }
        self.place.finish()
    }
}
