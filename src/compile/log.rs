//! The log of a build: rows read, rows rejected, and warnings; and the reasons to refuse a build, which become warnings
//! if it is forced.

use build_tools::{Batch, Reject};

use crate::text::codes::DataVersion;

#[derive(Debug, Default)]
pub struct BuildLog {
    pub rows: u64,
    pub rejects: Vec<Reject>,
    pub warnings: Vec<Warning>,
}

/// A sign that a source may be wrong. The snapshot is written all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A file truncated at the end of a line looks like a shorter file; only the previous version reveals it.
    #[error("{now} {what}, version {version} had {before}; is the source file complete?")]
    FewerRows { what: String, now: u64, before: u64, version: DataVersion },
    #[error("{file}: {missing} sequence numbers are missing; is the file complete?")]
    MissingRows { file: String, missing: u64 },
    #[error(
        "skipped {file}: it is empty, and its name does not say which kind of difference it is"
    )]
    EmptyUpdate { file: String },
    #[error(
        "the area file has no reading of {} towns that businesses name: {}",
        towns.len(),
        abbreviated_list(towns)
    )]
    TownsWithoutReading { towns: Vec<String> },
    #[error(
        "of {all} points in the towns file, {unplaced} belong to towns that this version does not have; do both \
         cover the same area?"
    )]
    UnplacedPoints { unplaced: usize, all: usize },
    #[error(
        "the towns file has {points} points in municipalities that this version does not have; they were skipped"
    )]
    UnknownCities { points: usize },
    #[error("version {version} has coordinates, but this one was built without --towns")]
    NoPoints { version: DataVersion },
    #[error(
        "version {version} orders suggestions by number of corporations, but this one was built without --corporate and \
         orders them by number of records"
    )]
    NoCorporations { version: DataVersion },
    /// Working days without a difference, between the base and the newest difference.
    #[error("the differences of these working days are missing: {}", abbreviated_list(.0))]
    MissingDays(Vec<DataVersion>),
    #[error("built because of --force: {0}")]
    Overridden(Refusal),
    /// School codes that were published with a wrong check digit; they are kept.
    #[error("{} with a wrong check digit, kept as published: {}", .0.len(), list_with_lines(.0))]
    WrongCheckDigits(Vec<Reject>),
}

/// A sign that these are the wrong files or the wrong version. If the build is forced, it goes on, and this becomes a
/// warning.
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

fn list_with_lines(codes: &[Reject]) -> String {
    let with_line = |code: &Reject| format!("{} ({}:{})", code.found, code.file, code.line);
    abbreviated_list(&codes.iter().map(with_line).collect::<Vec<_>>())
}

impl BuildLog {
    /// Adds the counts and rejects of a batch and returns its rows.
    pub(crate) fn add_batch<T>(&mut self, batch: Batch<T>) -> Vec<T> {
        self.add(batch.rows.len() as u64, batch.rejects);
        batch.rows
    }

    pub(crate) fn add(&mut self, rows: u64, rejects: Vec<Reject>) {
        self.rows += rows;
        self.rejects.extend(rejects);
    }

    /// Warns if a source has less than nine tenths of what it had in the previous version, `version`.
    pub(crate) fn warn_if_shrunk(
        &mut self,
        what: &str,
        now: usize,
        before: usize,
        version: DataVersion,
    ) {
        let (now, before) = (now as u64, before as u64);
        if now * 10 < before * 9 {
            self.warnings.push(Warning::FewerRows { what: what.to_owned(), now, before, version });
        }
    }

    /// The share of rejected rows, 0 to 1.
    pub fn rejects_share(&self) -> f64 {
        let rejects = self.rejects.len() as f64;
        if rejects == 0.0 { 0.0 } else { rejects / (self.rows as f64 + rejects) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_days_are_listed_up_to_a_limit() {
        let day = |number| DataVersion::from_number(number).expect("a date");
        let few = Warning::MissingDays(vec![day(20_260_803), day(20_260_805)]).to_string();
        assert!(few.ends_with(": 2026-08-03, 2026-08-05"), "{few}");
        let many = Warning::MissingDays(vec![day(20_260_803); 22]).to_string();
        assert!(many.ends_with("2026-08-03 and 2 more"), "{many}");
    }
}
