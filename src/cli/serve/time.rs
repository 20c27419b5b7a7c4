//! Times on the command line: a number and its unit.

use std::time::Duration;

use jiff::SignedDuration;

/// Parses a time such as `5s` or `2m`; `None` if invalid or negative.
pub fn parse_time(text: &str) -> Option<Duration> {
    let time = text.parse::<SignedDuration>().ok()?;
    Duration::try_from(time).ok()
}
