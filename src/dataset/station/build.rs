//! Compiles a list of stations, `code,name,line`, to a snapshot, from a file given or from `stations-DATE.csv`. No
//! site publishes the list, so updates take it from a folder of the operator's.

use build_tools::{Batch, Reject};
use serde_json::json;
use url::Url;

use super::data::{STATIONS, Station, StationData};
use crate::compile::{Build, BuildLog, CompileError, Progress, Target};
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::snapshot::{Dataset, Result, SnapshotWriter};
use crate::text::codes::DataVersion;
use crate::update::address::Address;
use crate::update::context::Context;
use crate::update::dataset_source::{NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::file_spec::{ExpectedName, FileFormat, FileSpec};
use crate::update::http::Request;
use crate::update::{DatasetSource, UpdateError};

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
    let data = build.publish(snapshot.of_sample(target.is_sample).stage(target.folder)?)?;
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
    fn describe(&self) -> Result<SnapshotReport<'_>> {
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

pub struct StationUpdates;

impl DatasetSource for StationUpdates {
    type Plan = ();

    fn check_source(context: &Context<'_>) -> Result<Offer<()>, UpdateError> {
        let installed = context.installed::<StationData>()?;
        let folder = context.local_folder.expect("the tests give a folder");
        let edition = folder.newest_date(date_of, "stations-2026-04-01.csv")?;
        let plan = installed.is_none_or(|installed| edition > installed).then_some(());
        Ok(Offer { edition, installed, plan, files: vec![name_of(edition)] })
    }

    fn install(mut edition: EditionFiles<'_>, (): ()) -> Result<NewVersion, UpdateError> {
        let (context, version) = (edition.context, edition.version());
        let url = Url::parse("https://stations.example/").expect("a URL");
        let spec = FileSpec {
            role: "list".to_owned(),
            request: Request::Get(Address::new(url, false)),
            name: ExpectedName::Exact(name_of(version)),
            format: FileFormat::Csv,
            is_full: true,
            may_be_unchanged: false,
            bytes_max: 1 << 20,
        };
        let file = edition.fetch(&context.session(), spec)?;
        let text = std::fs::read_to_string(&file.path);
        let text = text.map_err(|cause| UpdateError::io(&file.path, cause))?;
        let report = build(&context.target(version), &file.name, &text, context.observer);
        let report = edition.checked(report)?;
        context.warn_of_build(&report.log);
        edition.finish()?;
        let summary = format!("{} stations", report.data.stations()?.len());
        Ok(NewVersion { path: report.data.file().path().to_owned(), summary })
    }
}

fn name_of(version: DataVersion) -> String {
    format!("stations-{version}.csv")
}

fn date_of(name: &str) -> Option<DataVersion> {
    DataVersion::parse(name.strip_prefix("stations-")?.strip_suffix(".csv")?).ok()
}
