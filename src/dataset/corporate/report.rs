//! The report of a build.

use std::sync::Arc;

use serde_json::{Value, json};

use super::CorporateData;
use super::compile::{CorporateReport, OtherPrefectures};
use crate::dataset::report::{BuildReport, SnapshotReport, differences_line};
use crate::snapshot::{Dataset, OpenError};
use crate::text::amounts::counted;

impl BuildReport for CorporateReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let mut text = format!(
            "{}: {}, {} of them closed, in {}; {} bytes, {} per corporation\n",
            file.path().display(),
            counted(counts.corporations as u64, "corporation"),
            counts.closed,
            counted(counts.places as u64, "place"),
            file.length(),
            file.length() / counts.corporations.max(1) as u64
        );
        text.push_str(&differences_line(self.days, self.changed, self.withdrawn));
        text.push_str(&left_out_line(self.others));
        let provenance = self.data.provenance()?;
        let prefectures: Vec<Value> =
            provenance.root().prefectures.iter().map(|code| format!("{code:02}").into()).collect();
        let counts = json!({
            "corporations": counts.corporations,
            "closed": counts.closed,
            "places": counts.places,
            // An empty set means all prefectures.
            "prefectures": if prefectures.is_empty() { Value::Null } else { prefectures.into() },
            "days": self.days,
            "changed": self.changed,
            "withdrawn": self.withdrawn,
            "left_out_rows": self.others.rows,
            "left_out_corporations": self.others.corporations,
            "moved_away": self.others.moved_away,
        });
        Ok(SnapshotReport { dataset: CorporateData::KIND, file, log: &self.log, text, counts })
    }
}

/// The line of the report about rows of other prefectures; empty if none were left out.
fn left_out_line(others: OtherPrefectures) -> String {
    let OtherPrefectures { rows, corporations, moved_away } = others;
    if rows == 0 {
        return String::new();
    }
    let (rows, corporations) =
        (counted(rows as u64, "row"), counted(corporations as u64, "corporation"));
    format!(
        "left out: {rows} of {corporations} in other prefectures; {moved_away} of these moved away\n"
    )
}
