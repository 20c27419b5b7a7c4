//! Railway stations: a dataset for tests only. It shows what a dataset needs: this folder, and its lines in the list.

mod build;
mod data;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use self::build::StationReport;
pub use self::data::StationData;
use super::declaration::{Declaration, Exports, OtherData};
use super::publication::Publication;
use super::report::{Census, Count, count};
use crate::compile::{CompileError, Progress, Target};
use crate::export::ExportError;
use crate::language::{Words, words};
use crate::snapshot::{Dataset, Result};
use build::StationUpdates;
use data::StationSource;

impl Census for StationData {
    fn census(&self) -> Result<Vec<Count>> {
        Ok(vec![count("stations", self.stations()?.len())])
    }
}

impl Declaration for StationData {
    type Source = StationUpdates;
    type Report = StationReport;
    type Export = StationSource;
    type ExportedWith = StationData;

    const TITLE: Words = words("Railway stations", "駅");
    const RECORDS: Words = words("Stations", "駅数");
    const AGE_DAYS_MAX: u32 = 200;
    const VERSIONS_PATH: Option<&'static str> = None;
    const EXPORTS: Exports =
        Exports { rows: "Railway stations", has_query: false, other: OtherData::Unused };

    fn count_records(&self) -> Result<usize> {
        Ok(self.stations()?.len())
    }

    fn verify(&self) -> Result<()> {
        self.prepare()
    }

    fn publications(&self) -> Result<Vec<&'static Publication>> {
        Ok(Vec::new())
    }

    fn describe(&self) -> Result<Value> {
        Ok(json!({ "stations": self.stations()?.len() }))
    }

    fn exported(
        data: Arc<StationData>,
        _other: Option<Arc<StationData>>,
        _q: Option<&str>,
    ) -> Result<StationSource, ExportError> {
        Ok(StationSource { data })
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<StationReport>, CompileError> {
        let text = "1,東京,東海道本線\n2,有楽町,東海道本線\n";
        Ok(vec![build::build(&Target::of_sample(folder, "2026-04-01"), "sample", text, progress)?])
    }
}
