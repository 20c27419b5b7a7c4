//! Printing the results of commands.

use std::io::{self, Write};

use super::error::CommandError;
pub use crate::text::amounts::counted;

pub fn print(out: &mut dyn Write, text: &[u8]) -> Result<(), CommandError> {
    out.write_all(text).map_err(output_error)
}

/// Prints the JSON response of the API on one line.
pub fn print_json(
    out: &mut dyn Write,
    write: impl FnOnce(&mut Vec<u8>),
) -> Result<(), CommandError> {
    let mut json = Vec::new();
    write(&mut json);
    json.push(b'\n');
    print(out, &json)
}

pub fn output_error(error: io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write the output: {error}"))
}
