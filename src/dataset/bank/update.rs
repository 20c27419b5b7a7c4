//! Banks: the newest tagged edition of the repository of bank codes.
//!
//! The repository keeps old files if it cannot get new ones, so an edition without a successor for a long time
//! causes a warning.

use build_tools::bank::read_bank;
use build_tools::{Files, Kind};

use super::BankData;
use super::compile::{self, BankReport};
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::Site;
use crate::update::context::Context;
use crate::update::dataset_source::{DatasetSource, NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::editions::SourceFile;
use crate::update::error::{Result, UpdateError};
use crate::update::file_spec::{ExpectedName, FileFormat, FileSpec, date_of};
use crate::update::http::Request;
use crate::update::verify;

const UPDATED_AT: &str = "updated-at";
const ARCHIVE: &str = "archive";

/// The date has eight bytes; anything longer is not the expected file.
const UPDATED_AT_BYTES_MAX: u64 = 1 << 10;

/// The tree has 8 MB; its archive is much smaller.
const ARCHIVE_BYTES_MAX: u64 = 64 << 20;

/// The list changes one to six times a month.
const AGE_DAYS_MAX: i32 = 60;

const REMEDY: &str =
    "check it in a browser; if the repository has moved, name its address with --sources";

/// Maximum length of the text in an error.
const EXCERPT_CHARS: usize = 40;

pub struct Bank;

impl DatasetSource for Bank {
    type Plan = ();

    fn check_source(context: &Context<'_>) -> Result<Offer<()>> {
        let installed = context.installed::<BankData>()?;
        let edition = offered(context)?;
        let age = context.today.since(edition.date()).map(|age| age.get_days()).unwrap_or_default();
        if age > AGE_DAYS_MAX {
            context.warn(format!(
                "the newest edition of the bank codes is of {edition}, {age} days ago; expected one within {AGE_DAYS_MAX} \
                 days: check whether the updates of https://github.com/zengin-code/source-data have stopped"
            ));
        }
        let is_new = installed.is_none_or(|installed| edition > installed);
        let files = is_new.then(|| archive_name(edition)).into_iter().collect();
        Ok(Offer { edition, installed, plan: is_new.then_some(()), files })
    }

    fn install(mut edition: EditionFiles<'_>, (): ()) -> Result<NewVersion> {
        let context = edition.context;
        let version = edition.version();
        let address = context.address(Site::Zengin, ARCHIVE);
        let address = address.with_value("edition", &version.to_string());
        let spec = FileSpec {
            role: "archive".to_owned(),
            request: Request::Get(address),
            name: ExpectedName::Exact(archive_name(version)),
            format: FileFormat::TarGz,
            is_full: true,
            may_be_unchanged: false,
            bytes_max: ARCHIVE_BYTES_MAX,
        };
        let archive = edition.fetch(&context.session(), spec)?;
        let report = edition.checked(build(context, version, &archive))?;
        context.warn_of_build(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let summary = format!("{} institutions, {} branches", counts.banks, counts.branches);
        Ok(NewVersion { path: file.path().to_owned(), summary })
    }
}

fn build(context: &Context<'_>, version: DataVersion, archive: &SourceFile) -> Result<BankReport> {
    let files = Files::open(&archive.path, Kind::Bank)?;
    if let Some(installed) = context.newest_data::<BankData>()?.filter(|_| !context.options.force) {
        let directory = read_bank(&files, &mut |_, _| {})?;
        let found = (directory.banks.rows.len() + directory.branches.rows.len()) as u64;
        let counts = installed.counts()?;
        let expected = (counts.banks + counts.branches) as u64;
        verify::compare_rows(&archive.url, found, expected, installed.version())?;
    }
    Ok(compile::build(&context.target(version), &files, context.observer)?)
}

fn offered(context: &Context<'_>) -> Result<DataVersion> {
    if let Some(folder) = context.local_folder {
        return folder.newest_date(archive_date, "source-data-YYYY-MM-DD.tar.gz");
    }
    let address = context.address(Site::Zengin, UPDATED_AT);
    let text = context.session().text(&address, UPDATED_AT_BYTES_MAX)?;
    read_updated_at(&text).map_err(|found| {
        let expected = "a date of eight digits such as 20260525";
        UpdateError::wrong_file(address.to_string(), expected, found, REMEDY)
    })
}

/// Parses `data/updated_at`, a date of eight digits; the error is the beginning of the text.
fn read_updated_at(text: &str) -> Result<DataVersion, String> {
    date_of(text.trim()).ok_or_else(|| match text.trim() {
        "" => "nothing".to_owned(),
        found => format!("{:?}", found.chars().take(EXCERPT_CHARS).collect::<String>()),
    })
}

fn archive_name(edition: DataVersion) -> String {
    format!("source-data-{edition}.tar.gz")
}

fn archive_date(name: &str) -> Option<DataVersion> {
    let date = name.strip_prefix("source-data-")?.strip_suffix(".tar.gz")?;
    DataVersion::parse(date).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_recognised_by_name() {
        for (name, expected) in [
            ("source-data-2026-05-25.tar.gz", Some(20_260_525)),
            ("source-data-2026-02-30.tar.gz", None),
            ("source-data-20260525.tar.gz", None),
            ("source-data-2026-05-25.zip", None),
            ("2026-05-25.tar.gz", None),
        ] {
            let found = archive_date(name).map(DataVersion::number);
            assert_eq!(found, expected, "{name}");
        }
        let edition = DataVersion::from_number(20_260_525).expect("a date");
        assert_eq!(archive_date(&archive_name(edition)), Some(edition));
    }

    #[test]
    fn editions_are_dates_of_eight_digits() {
        #[track_caller]
        fn check(text: &str, expected: Result<u32, &str>) {
            let found = read_updated_at(text).map(DataVersion::number);
            assert_eq!(found, expected.map_err(str::to_owned), "{text:?}");
        }
        check("20260525", Ok(20_260_525));
        check("20260525\n", Ok(20_260_525));
        check("20260231", Err("\"20260231\""));
        check("2026-05-25", Err("\"2026-05-25\""));
        check("２０２６０５２５", Err("\"２０２６０５２５\""));
        check("+2026052", Err("\"+2026052\""));
        check("", Err("nothing"));
        check("404: Not Found", Err("\"404: Not Found\""));
    }
}
