//! The report of a build.

use std::sync::Arc;

use serde_json::json;

use super::InvoiceData;
use super::compile::InvoiceReport;
use crate::dataset::report::{BuildReport, SnapshotReport, differences_line};
use crate::snapshot::{Dataset, OpenError};
use crate::text::amounts::counted;

impl BuildReport for InvoiceReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let numbers = counts.others + counts.individuals;
        let mut text = format!(
            "{}: {}, {} of them in force; {} of individuals; {} bytes, {} per number\n",
            file.path().display(),
            counted(numbers as u64, "number"),
            counts.registered,
            counts.individuals,
            file.length(),
            file.length() / numbers.max(1) as u64
        );
        text.push_str(&differences_line(self.days, self.changed, self.withdrawn));
        if self.individuals > 0 {
            let left_out = counted(self.individuals as u64, "individual");
            text.push_str(&format!("left out: {left_out} (keep them with --individuals)\n"));
        }
        let counts = json!({
            "numbers": numbers,
            "in_force": counts.registered,
            "individuals": counts.individuals,
            "days": self.days,
            "changed": self.changed,
            "withdrawn": self.withdrawn,
            "left_out_individuals": self.individuals,
        });
        Ok(SnapshotReport { dataset: InvoiceData::KIND, file, log: &self.log, text, counts })
    }
}
