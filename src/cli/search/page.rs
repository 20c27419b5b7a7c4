//! The output of searches: the number of records and the total.

use std::{io::Write, sync::Arc};

use crate::cli::error::CommandError;
use crate::cli::print::{counted, print};
use crate::snapshot::OpenError;
use crate::text::codes::DataVersion;

/// Default number of records as text.
const LIMIT_TEXT: u8 = 10;

/// Default number of records as JSON, as in the API.
const LIMIT_JSON: u8 = 100;

/// The given limit, or the default of the output format.
pub fn limit_or_default(given: Option<u8>, json: bool) -> u8 {
    given.unwrap_or(if json { LIMIT_JSON } else { LIMIT_TEXT })
}

/// The output of a search; an error if the data are damaged.
pub type RenderResult = Result<Vec<u8>, Arc<OpenError>>;

/// Prints the results; an empty result is an error.
pub fn print_found(
    stdout: &mut dyn Write,
    text: Vec<u8>,
    count: u64,
    version: DataVersion,
) -> Result<(), CommandError> {
    print(stdout, &text)?;
    match count {
        0 => Err(CommandError::Failed(format!("nothing found in version {version}"))),
        _ => Ok(()),
    }
}

/// Appends the number of records found, and how to see more of them.
pub fn push_total(out: &mut String, shown: u64, count: u64, noun: &str, version: DataVersion) {
    if count > 0 {
        let more = match shown < count {
            true => format!("; {shown} shown, --limit shows more"),
            false => String::new(),
        };
        out.push_str(&format!("{} in data version {version}{more}\n", counted(count, noun)));
    }
}
