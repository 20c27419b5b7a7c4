//! How many records a search shows, and the line that counts them.

use crate::cli::print::counted;
use crate::text::codes::DataVersion;

/// Records shown as text where no limit is given.
const LIMIT_TEXT: u8 = 10;

/// Records shown as JSON where no limit is given, as in the API.
const LIMIT_JSON: u8 = 100;

pub fn limit(given: Option<u8>, json: bool) -> u8 {
    given.unwrap_or(if json { LIMIT_JSON } else { LIMIT_TEXT })
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
