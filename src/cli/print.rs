//! Writing what a command found.

use std::io::{self, Write};

use super::error::CommandError;

/// Writes text or JSON that is whole.
pub fn print(out: &mut dyn Write, text: &[u8]) -> Result<(), CommandError> {
    out.write_all(text).map_err(unwritable)
}

/// The error of an output that cannot be written.
pub fn unwritable(error: io::Error) -> CommandError {
    CommandError::BadInput(format!("the output cannot be written: {error}"))
}

/// A number with its noun: `1 record`, `2 records`, `2 branches`.
pub fn counted(count: u64, one: &str) -> String {
    let ending = match count {
        1 => "",
        _ if one.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{count} {one}{ending}")
}
