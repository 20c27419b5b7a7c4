//! `--review FILE`: the rows that need a person, in a file of their own.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use super::output::{folder, no_place};
use crate::cli::error::CommandError;
use crate::cli::output::{Output as Destination, write_error};
use crate::normalize::{ReviewFormat, ReviewWriter};

pub struct Review {
    writer: ReviewWriter<BufWriter<File>>,
    destination: Destination,
}

/// The format, from the file name.
pub fn format_of(path: &Path) -> Result<ReviewFormat, CommandError> {
    let extension = path.extension().unwrap_or_default();
    match extension.to_string_lossy().to_ascii_lowercase().as_str() {
        "csv" => Ok(ReviewFormat::Csv),
        "xlsx" => Ok(ReviewFormat::Workbook),
        "parquet" => Ok(ReviewFormat::Parquet),
        "json" => Ok(ReviewFormat::Json),
        "jsonl" => Ok(ReviewFormat::JsonLines),
        _ => Err(CommandError::Usage(format!(
            "--review: expected a name ending in .csv, .xlsx, .parquet, .json or .jsonl; found {}",
            path.display()
        ))),
    }
}

impl Review {
    pub fn create(path: &Path) -> Result<Review, CommandError> {
        let format = format_of(path)?;
        let mut destination = Destination::open(Some(path))?;
        let Destination::File(file) = &mut destination else {
            return Err(no_place(&destination));
        };
        let copy = file.file().try_clone();
        let copy = copy.map_err(|cause| write_error(&destination.name(), &cause))?;
        let writer = ReviewWriter::new(format, &folder(&destination), BufWriter::new(copy))?;
        Ok(Review { writer, destination })
    }

    pub fn writer(&mut self) -> &mut ReviewWriter<BufWriter<File>> {
        &mut self.writer
    }

    pub fn finish(self) -> Result<(), CommandError> {
        self.writer.finish()?;
        self.destination.finish()
    }
}
