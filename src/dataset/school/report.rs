//! The report of a build.

use std::sync::Arc;

use serde_json::json;

use super::SchoolData;
use super::compile::SchoolReport;
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::snapshot::{Dataset, OpenError};
use crate::text::amounts::counted;

impl BuildReport for SchoolReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let text = format!(
            "{}: {}, {} of them closed, {} without municipality; {} bytes, {} per school\n",
            file.path().display(),
            counted(counts.schools as u64, "school"),
            counts.closed,
            self.unplaced,
            file.length(),
            file.length() / counts.schools.max(1) as u64
        );
        let counts = json!({
            "schools": counts.schools,
            "closed": counts.closed,
            "unplaced": self.unplaced,
        });
        Ok(SnapshotReport { dataset: SchoolData::KIND, file, log: &self.log, text, counts })
    }
}
