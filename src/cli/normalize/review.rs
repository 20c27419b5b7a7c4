//! `--review FILE`: the rows that need a person, in a file of their own.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use super::output::{file_of, folder};
use crate::cli::error::CommandError;
use crate::cli::output::Output as Destination;
use crate::normalize::{ReviewForm, ReviewFormat, ReviewWriter};
use crate::system::identity::is_same_file;

pub struct Review {
    writer: ReviewWriter<BufWriter<File>>,
    destination: Destination,
}

/// The format, from the file name.
fn format_of(path: &Path) -> Result<ReviewFormat, CommandError> {
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

/// Refuses a name of another format, and a file that the command reads or writes as well.
pub fn check(
    review: &Path,
    file: Option<&Path>,
    output: Option<&Path>,
) -> Result<(), CommandError> {
    format_of(review)?;
    for (name, other) in [("the input", file), ("--output", output)] {
        // The file may not exist yet.
        if other.is_some_and(|other| other == review || is_same_file(review, other)) {
            let message = format!("--review: expected another file than {name}");
            return Err(CommandError::Usage(message));
        }
    }
    Ok(())
}

impl Review {
    pub fn create(path: &Path, form: ReviewForm) -> Result<Review, CommandError> {
        let format = format_of(path)?;
        let mut destination = Destination::open(Some(path))?;
        let output = file_of(&mut destination)?;
        let writer = ReviewWriter::new(form, format, &folder(&destination), output)?;
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
