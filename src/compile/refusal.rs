//! Reasons to refuse a build, unless it is forced: signs that these are the wrong files or the wrong version.

use crate::text::codes::DataVersion;

/// Why the build looks wrong. If it is forced, it goes on, and this becomes a warning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error(
        "the version is in the future: expected {today} (today in Japan) or before, found {version}; \
         give the date of the newest file"
    )]
    FutureVersion { version: DataVersion, today: DataVersion },
    #[error(
        "{file}: expected a publication date no later than version {version}, found {found}; give a later version"
    )]
    PublishedLater { file: String, version: DataVersion, found: DataVersion },
    #[error(
        "records are missing: expected at least four fifths of the {before} {kind} of version {version}, \
         found {now}; give all files that the earlier version was built from"
    )]
    MissingRecords { kind: String, now: u64, before: u64, version: DataVersion },
    #[error(
        "{file}: expected a difference of {expected}, the month of the version, found one of {found}; \
         give the full file and the difference files of one month"
    )]
    OtherMonth { file: String, expected: String, found: String },
    #[error(
        "days are missing: expected a difference file for every working day, found none for {}; add \
         these",
        abbreviated_list(.0)
    )]
    MissingDays(Vec<DataVersion>),
}

/// Most names, days or rejected rows that a message lists; their count is always complete.
pub const LISTED_MAX: usize = 20;

/// A list of the first items, and how many more there are.
pub fn abbreviated_list(items: &[impl ToString]) -> String {
    let first: Vec<String> = items.iter().take(LISTED_MAX).map(ToString::to_string).collect();
    match items.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
