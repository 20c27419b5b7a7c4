//! What a build of a dataset reports about the snapshot that it made, and texts for people that several datasets
//! share. And the census of a dataset: its numbers of records by kind, which a build compares with the previous
//! version.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::compile::BuildLog;
use crate::snapshot::{Dataset, DatasetKind, Result, SnapshotFile};
use crate::text::codes::DataVersion;
use crate::text::numerals::counted;

pub trait BuildReport {
    fn describe(&self) -> Result<SnapshotReport<'_>>;
}

pub struct SnapshotReport<'r> {
    pub dataset: DatasetKind,
    pub file: &'r SnapshotFile,
    pub log: &'r BuildLog,
    pub text: String,
    /// Additional members for this dataset, as an object.
    pub counts: Value,
}

/// The line of the report about the applied differences; empty without any.
pub(super) fn differences_line(days: usize, changed: usize, withdrawn: usize) -> String {
    if days == 0 {
        return String::new();
    }
    let (days, changed) = (counted(days as u64, "day"), counted(changed as u64, "number"));
    format!("differences of {days}; {changed} changed, {withdrawn} withdrawn\n")
}

/// The postal data with which the addresses of a snapshot are normalised, for people; version 0 means none.
pub(super) fn normalized_with(postal_version: u32) -> String {
    match DataVersion::from_number(postal_version) {
        Some(version) => format!("normalised with the postal data of {version}"),
        None => "not normalised: built without postal data (--postal)".to_owned(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// In the plural.
    pub kind: String,
    pub records: u64,
    /// Whether the kind is a part of another one, such as the schools of a prefecture.
    pub is_part: bool,
}

/// A part of another kind is compared if it had at least this many records: a prefecture's few may close.
const PART_MIN: u64 = 100;

pub trait Census: Dataset {
    /// The numbers of records, each kind once.
    fn census(&self) -> Result<Vec<Count>>;
}

/// A kind of which many records are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub kind: String,
    pub before: u64,
    pub now: u64,
}

/// The kinds for which `now` has less than four fifths of `before`. Parts that were small before are not compared.
pub fn losses(before: Vec<Count>, now: &[Count]) -> impl Iterator<Item = Loss> {
    let compared = |count: &Count| !count.is_part || count.records >= PART_MIN;
    before.into_iter().filter(compared).filter_map(|Count { kind, records: before, .. }| {
        let now = now.iter().find(|count| count.kind == kind).map_or(0, |count| count.records);
        (now * 5 < before * 4).then_some(Loss { kind, before, now })
    })
}

pub fn count(kind: &str, records: usize) -> Count {
    Count { kind: kind.to_owned(), records: records as u64, is_part: false }
}

/// A whole and its parts, whose records are added up by kind.
pub fn with_parts(whole: Count, records: impl Iterator<Item = (String, u64)>) -> Vec<Count> {
    let mut by_kind: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, records) in records {
        *by_kind.entry(kind).or_default() += records;
    }
    let part = |(kind, records)| Count { kind, records, is_part: true };
    [whole].into_iter().chain(by_kind.into_iter().map(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_of_a_fifth_of_any_kind_is_reported() {
        let counts = |counts: &[(&str, usize)]| -> Vec<Count> {
            counts.iter().map(|(kind, records)| count(kind, *records)).collect()
        };
        let loss = |kind: &str, before, now| Loss { kind: kind.to_owned(), before, now };
        let before = counts(&[("areas", 100), ("businesses", 10), ("boxes", 0)]);
        for (now, expected) in [
            (counts(&[("areas", 100), ("businesses", 10)]), vec![]),
            (counts(&[("areas", 80), ("businesses", 8)]), vec![]),
            (counts(&[("areas", 79), ("businesses", 20)]), vec![loss("areas", 100, 79)]),
            (counts(&[("areas", 120)]), vec![loss("businesses", 10, 0)]),
            (counts(&[]), vec![loss("areas", 100, 0), loss("businesses", 10, 0)]),
        ] {
            let found: Vec<Loss> = losses(before.clone(), &now).collect();
            assert_eq!(found, expected, "{now:?}");
        }
    }

    #[test]
    fn a_part_is_compared_if_it_was_large_before() {
        for (before, now, is_lost) in [
            (100, Some(99), false),
            (100, Some(80), false),
            (110, Some(88), false),
            (110, Some(80), true),
            (100, None, true),
            (99, Some(1), false),
            (99, None, false),
        ] {
            let part = |records| Count { kind: "schools of 31".to_owned(), records, is_part: true };
            let now_counts: Vec<Count> = now.into_iter().map(part).collect();
            let found = losses(vec![part(before)], &now_counts).count();
            assert_eq!(found, usize::from(is_lost), "{before} {now:?}");
        }
    }
}
