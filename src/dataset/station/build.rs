//! Compiles a list of stations, `code,name,line`, to a snapshot.

use std::sync::Arc;

use build_tools::{Batch, Reject};
use serde_json::json;

use super::data::{STATIONS, Station, StationData};
use crate::compile::{Build, BuildLog, CompileError, Progress, Target};
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::snapshot::{Dataset, OpenError, SnapshotWriter};

pub struct StationReport {
    pub data: StationData,
    pub log: BuildLog,
}

/// Builds a version from the text of a file of this name.
pub fn build(
    target: &Target<'_>,
    name: &str,
    text: &str,
    progress: &dyn Progress,
) -> Result<StationReport, CompileError> {
    let mut build = Build::start::<StationData>(target, progress)?;
    let mut stations = build.log.add_batch(read(name, text));
    build.check_rejects()?;
    stations.sort_by_key(|station| station.code);
    let mut snapshot = SnapshotWriter::new(StationData::KIND, target.version);
    snapshot.archive(STATIONS, &stations)?;
    let data = build.publish(snapshot.stage(target.folder)?)?;
    Ok(StationReport { data, log: build.log })
}

fn read(name: &str, text: &str) -> Batch<Station> {
    let mut batch = Batch { rows: Vec::new(), rejects: Vec::new(), lines: 0 };
    for row in text.lines() {
        batch.lines += 1;
        match parse(row) {
            Some(station) => batch.rows.push(station),
            None => batch.rejects.push(Reject {
                file: name.to_owned(),
                line: batch.lines,
                column: None,
                expected: "code,name,line".to_owned(),
                found: row.to_owned(),
            }),
        }
    }
    batch
}

fn parse(row: &str) -> Option<Station> {
    let [code, name, line] = row.split(',').collect::<Vec<_>>().try_into().ok()?;
    Some(Station { code: code.parse().ok()?, name: name.to_owned(), line: line.to_owned() })
}

impl BuildReport for StationReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, stations) = (self.data.file(), self.data.stations()?.len());
        Ok(SnapshotReport {
            dataset: StationData::KIND,
            file,
            log: &self.log,
            text: format!("{}: {stations} stations\n", file.path().display()),
            counts: json!({ "stations": stations }),
        })
    }
}
