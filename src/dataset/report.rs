//! What a build of a dataset reports about the snapshot that it made, and texts for people that several datasets share.

use std::sync::Arc;

use serde_json::Value;

use crate::compile::BuildLog;
use crate::snapshot::{DatasetKind, OpenError, SnapshotFile};
use crate::text::amounts::counted;
use crate::text::codes::DataVersion;

/// The report of one build.
pub trait BuildReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>>;
}

/// What a build prints about one snapshot.
pub struct SnapshotReport<'r> {
    pub dataset: DatasetKind,
    pub file: &'r SnapshotFile,
    pub log: &'r BuildLog,
    /// The report as text.
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
