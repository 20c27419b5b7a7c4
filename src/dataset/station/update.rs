//! Updates of the stations from `stations-DATE.csv`. No site publishes the list, so it comes from a folder of the
//! operator's.

use url::Url;

use super::{build::build, data::StationData};
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::Address;
use crate::update::context::Context;
use crate::update::dataset_source::{NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::file_spec::{ExpectedName, FileFormat, FileSpec};
use crate::update::http::Request;
use crate::update::{DatasetSource, UpdateError};

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
