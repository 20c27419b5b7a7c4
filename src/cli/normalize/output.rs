//! The output: standard output, whose reader may stop early, or a file that appears when it is whole: rows, a workbook,
//! or a Parquet file.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::cli::error::CommandError;
use crate::normalize::{Book, Parquet};
use crate::snapshot::unfinished::{BESIDE_OUTPUT, Unfinished, remove_left};

/// Where the rows go.
pub enum Output {
    Standard(io::Stdout),
    /// A file beside its place, until it is whole.
    File(Unfinished),
    /// The same for an .xlsx.
    Book(Unfinished, Box<Book>),
    /// The same for a .parquet.
    Parquet(Unfinished, Box<Parquet<BufWriter<File>>>),
    /// A path that exists and is no regular file, such as a pipe.
    Device(File, PathBuf),
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
        let Some(path) = path else { return Ok(Output::Standard(io::stdout())) };
        let unwritable = |cause| unwritable(&path.display().to_string(), &cause);
        match std::fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                let message =
                    format!("--output {}: expected a file; found a folder", path.display());
                return Err(CommandError::Usage(message));
            }
            Ok(there) if !there.is_file() => {
                let device = OpenOptions::new().write(true).open(path).map_err(unwritable)?;
                return Ok(Output::Device(device, path.to_owned()));
            }
            _ => {}
        }
        // A symbolic link stays: the file that it points to is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut file = Unfinished::begin(&path, BESIDE_OUTPUT).map_err(unwritable)?;
        // What a killed run left; that it cannot be removed is no reason not to write.
        let _ = file.path().parent().map(|folder| remove_left(folder, BESIDE_OUTPUT));
        match format {
            Format::Rows => return Ok(Output::File(file)),
            Format::Parquet => {
                let to = file.file().try_clone().map_err(unwritable)?;
                let parquet = Parquet::begin(delimiter, names, BufWriter::new(to))?;
                return Ok(Output::Parquet(file, Box::new(parquet)));
            }
            Format::Workbook => {}
        }
        let folder = file.path().parent().unwrap_or(Path::new("."));
        let book = Book::begin(delimiter, folder)?;
        Ok(Output::Book(file, Box::new(book)))
    }

    /// Writes; breaks where nobody reads any more.
    pub fn write(&mut self, bytes: &[u8]) -> Result<ControlFlow<()>, CommandError> {
        let written = match self {
            Output::Standard(stdout) => stdout.write_all(bytes).and_then(|()| stdout.flush()),
            Output::File(file) => file.file().write_all(bytes),
            Output::Device(file, _) => file.write_all(bytes),
            Output::Book(_, book) => {
                book.write(bytes)?;
                Ok(())
            }
            Output::Parquet(_, parquet) => {
                parquet.write(bytes)?;
                Ok(())
            }
        };
        match written {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Err(error) => Err(unwritable(&self.name(), &error)),
        }
    }

    /// Renames the whole file into its place.
    pub fn finish(self) -> Result<(), CommandError> {
        let name = self.name();
        let file = match self {
            Output::Standard(_) | Output::Device(..) => return Ok(()),
            Output::File(file) => file,
            Output::Book(mut file, book) => {
                book.finish(file.file())?;
                file
            }
            Output::Parquet(file, parquet) => {
                parquet.finish()?;
                file
            }
        };
        file.finish().map_err(|cause| unwritable(&name, &cause))
    }

    fn name(&self) -> String {
        match self {
            Output::Standard(_) => "standard output".to_owned(),
            Output::File(file) | Output::Book(file, _) | Output::Parquet(file, _) => {
                file.place().display().to_string()
            }
            Output::Device(_, path) => path.display().to_string(),
        }
    }
}

fn unwritable(name: &str, cause: &io::Error) -> CommandError {
    CommandError::BadInput(format!("cannot write {name}: {cause}"))
}
