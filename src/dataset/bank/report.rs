//! The report of a build.

use std::sync::Arc;

use serde_json::json;

use super::BankData;
use super::compile::BankReport;
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::snapshot::{Dataset, OpenError};
use crate::text::amounts::counted;

impl BuildReport for BankReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let readings = &self.readings;
        let mut text = format!(
            "{}: {}, {}, {}; {} bytes\n",
            file.path().display(),
            counted(counts.banks as u64, "institution"),
            counted(counts.branches as u64, "branch"),
            counted(counts.codes as u64, "branch code"),
            file.length()
        );
        text.push_str(&match readings.given {
            0 => format!("readings: {} derived from katakana\n", readings.derived),
            given => format!(
                "readings: {given} given, {} of them as derived from katakana ({:.3}%); {} derived\n",
                readings.agreeing,
                f64::from(readings.agreeing) * 100.0 / f64::from(given),
                readings.derived
            ),
        });
        for (given, derived) in &readings.differences {
            text.push_str(&format!("  {given} (derived {derived})\n"));
        }
        let counts = json!({
            "institutions": counts.banks,
            "branches": counts.branches,
            "branch_codes": counts.codes,
            "readings_given": readings.given,
            "readings_agreeing": readings.agreeing,
            "readings_derived": readings.derived,
        });
        Ok(SnapshotReport { dataset: BankData::KIND, file, log: &self.log, text, counts })
    }
}
