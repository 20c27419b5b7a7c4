//! Writing what a command found.

use std::io::{self, Write};

use super::error::CommandError;

pub fn print(out: &mut dyn Write, text: &[u8]) -> Result<(), CommandError> {
    out.write_all(text).map_err(unwritable)
}

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
