//! `SNAPSHOTS/update.json`: the last successful update of each source, and the last failure. For monitoring, and for
//! `daicho serve --update`, which decides by it when a source is due; an update itself does not read it.

use std::path::Path;
use std::{collections::BTreeMap, fs, io};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::options::Subject;
use crate::snapshot::unfinished;
use crate::text::codes::DataVersion;
use crate::text::printable::printable_start;

pub const FILE_NAME: &str = "update.json";

const FORMAT: u64 = 1;

/// Longest error in the file. Parts of it come from other sites.
const FAILURE_CHARS_MAX: usize = 2000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// By the name of the source: `postal`.
    pub sources: BTreeMap<String, SourceStatus>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceStatus {
    pub edition: Option<DataVersion>,
    pub last_checked: Option<Timestamp>,
    /// Time of the last check that left the folder up to date with the source.
    pub last_success: Option<Timestamp>,
    pub last_failure: Option<Timestamp>,
    /// The error of the last update; `None` if it succeeded.
    pub failure: Option<String>,
    pub failures_total: u64,
}

impl Status {
    /// Reads the file of a folder; empty if it is missing or unreadable.
    pub fn read(snapshots: &Path) -> Status {
        let text = fs::read_to_string(snapshots.join(FILE_NAME)).unwrap_or_default();
        Status::parse(&text).unwrap_or_default()
    }

    pub fn write(&self, snapshots: &Path) -> io::Result<()> {
        let text = format!("{:#}\n", self.as_json());
        unfinished::write_whole(&snapshots.join(FILE_NAME), |out| out.write_all(text.as_bytes()))
            .map(|_length| ())
    }

    /// Records the result of an update: the installed edition, or the error.
    pub fn record(
        &mut self,
        subject: Subject,
        now: Timestamp,
        result: Result<Option<DataVersion>, String>,
    ) {
        let source = self.sources.entry(subject.name().to_owned()).or_default();
        source.last_checked = Some(now);
        match result {
            Ok(edition) => {
                source.last_success = Some(now);
                source.failure = None;
                source.edition = edition.or(source.edition);
            }
            Err(failure) => {
                source.last_failure = Some(now);
                source.failure = Some(printable_start(&failure, FAILURE_CHARS_MAX));
                source.failures_total += 1;
            }
        }
    }

    fn as_json(&self) -> Value {
        let time = |time: Option<Timestamp>| time.map(|time| format!("{time:.0}"));
        let sources = self.sources.iter().map(|(name, source)| {
            let value = json!({
                "edition": source.edition.map(|edition| edition.to_string()),
                "last_checked": time(source.last_checked),
                "last_success": time(source.last_success),
                "last_failure": time(source.last_failure),
                "failure": source.failure,
                "failures_total": source.failures_total,
            });
            (name.clone(), value)
        });
        json!({ "format": FORMAT, "sources": sources.collect::<Map<_, _>>() })
    }

    fn parse(text: &str) -> Option<Status> {
        let value: Value = serde_json::from_str(text).ok()?;
        if value["format"].as_u64() != Some(FORMAT) {
            return None;
        }
        let sources = value["sources"].as_object()?.iter().map(|(name, source)| {
            let time = |key: &str| source[key].as_str().and_then(|text| text.parse().ok());
            let status = SourceStatus {
                edition: source["edition"].as_str().and_then(|text| DataVersion::parse(text).ok()),
                last_checked: time("last_checked"),
                last_success: time("last_success"),
                last_failure: time("last_failure"),
                failure: source["failure"].as_str().map(str::to_owned),
                failures_total: source["failures_total"].as_u64().unwrap_or_default(),
            };
            (name.clone(), status)
        });
        Some(Status { sources: sources.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTAL: Subject = Subject::without_snapshots("postal");
    const BANK: Subject = Subject::without_snapshots("bank");

    #[test]
    fn a_written_status_reads_back() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Status::read(folder.path()), Status::default(), "no file");
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let edition = DataVersion::parse("2026-05-29").expect("a date");
        let mut status = Status::default();
        status.record(POSTAL, at("2026-06-01T00:00:05Z"), Ok(Some(edition)));
        status.record(POSTAL, at("2026-06-02T00:00:05Z"), Err("status 503".to_owned()));
        status.record(BANK, at("2026-06-02T00:00:06Z"), Err("no answer".to_owned()));
        status.write(folder.path()).expect("written");
        let read = Status::read(folder.path());
        assert_eq!(read, status);
        let postal = &read.sources["postal"];
        assert_eq!(postal.last_success, Some(at("2026-06-01T00:00:05Z")));
        assert_eq!((postal.failures_total, postal.failure.as_deref()), (1, Some("status 503")));
        status.record(POSTAL, at("2026-06-03T00:00:05Z"), Ok(None));
        let postal = &status.sources["postal"];
        assert_eq!((postal.edition, postal.failure.as_deref()), (Some(edition), None));
        status.record(
            BANK,
            at("2026-06-03T00:00:06Z"),
            Err(format!("「\u{9b}2J{}", "a".repeat(3000))),
        );
        let failure = status.sources["bank"].failure.as_deref().expect("a failure");
        assert!(failure.starts_with("「\\u{9b}2Ja") && failure.len() < 2100, "{failure}");
        for text in ["", "{}", "[]", "{\"format\":2,\"sources\":{}}", "{\"format\":1}"] {
            fs::write(folder.path().join(FILE_NAME), text).expect("written");
            assert_eq!(Status::read(folder.path()), Status::default(), "{text:?}");
        }
    }
}
