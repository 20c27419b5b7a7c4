//! Banks: the newest tagged edition of the repository of bank codes.
//!
//! The repository keeps old files if it cannot get new ones, so an edition without a successor for a long time
//! causes a warning.

use build_tools::bank::read_bank;
use build_tools::{Files, Kind};

use crate::compile::bank::{self, BankReport};
use crate::query::BankData;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::Site;
use crate::update::check::{self, Form};
use crate::update::error::UpdateError;
use crate::update::http::Request;
use crate::update::keep::Edition;
use crate::update::manifest::Kept;
use crate::update::page::zengin;
use crate::update::release::{Look, Published, Release};
use crate::update::run::Run;
use crate::update::wanted::{Name, Wanted};

const UPDATED_AT: &str = "updated-at";
const ARCHIVE: &str = "archive";

/// The date has eight bytes; anything longer is not the expected file.
const UPDATED_AT_BYTES_MAX: u64 = 1 << 10;

/// The tree has 8 MB; its archive is much smaller.
const ARCHIVE_BYTES_MAX: u64 = 64 << 20;

/// The list changes one to six times a month.
const AGE_DAYS_MAX: i32 = 60;

pub struct Bank;

pub struct Plan {
    edition: DataVersion,
}

impl Release for Bank {
    type Plan = Plan;

    fn look(run: &Run<'_>) -> Result<Look<Plan>, UpdateError> {
        let installed = run.installed::<BankData>()?;
        let edition = offered(run)?;
        let age = run.today.since(edition.date()).map(|age| age.get_days()).unwrap_or_default();
        if age > AGE_DAYS_MAX {
            run.warn(format!(
                "the newest edition of the bank codes is of {edition}, {age} days ago; expected one within {AGE_DAYS_MAX} \
                 days: check whether the updates of https://github.com/zengin-code/source-data have stopped"
            ));
        }
        let is_new = installed.is_none_or(|installed| edition > installed);
        let files = is_new.then(|| archive_name(edition)).into_iter().collect();
        Ok(Look { edition, installed, plan: is_new.then_some(Plan { edition }), files })
    }

    fn bring(run: &Run<'_>, plan: Plan) -> Result<Published, UpdateError> {
        let mut edition = Edition::open(run, plan.edition)?;
        let address = run.address(Site::Zengin, ARCHIVE).with("edition", &plan.edition.to_string());
        let wanted = Wanted {
            role: "archive".to_owned(),
            request: Request::Get(address),
            name: Name::Exact(archive_name(plan.edition)),
            form: Form::TarGz,
            whole: true,
            may_repeat: false,
            bytes_max: ARCHIVE_BYTES_MAX,
        };
        let kept = edition.fetch(&run.session(), wanted)?;
        let built = build(run, &plan, &kept);
        let report = built.map_err(|error| edition.blame(error))?;
        run.warn_of(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let summary = format!("{} institutions, {} branches", counts.banks, counts.branches);
        Ok(Published { edition: plan.edition, path: file.path().to_owned(), summary })
    }
}

fn build(run: &Run<'_>, plan: &Plan, archive: &Kept) -> Result<BankReport, UpdateError> {
    let files = Files::open(&archive.path, Kind::Bank)?;
    if let Some(installed) = run.newest::<BankData>()?.filter(|_| !run.options.force) {
        let directory = read_bank(&files, &mut |_, _| {})?;
        let found = directory.banks.rows.len() + directory.branches.rows.len();
        let counts = installed.counts()?;
        let before = (counts.banks + counts.branches) as u64;
        check::compare_rows(&archive.url, found as u64, before, installed.version())?;
    }
    Ok(bank::build(&run.target(plan.edition), &files, run.watch)?)
}

fn offered(run: &Run<'_>) -> Result<DataVersion, UpdateError> {
    if let Some(folder) = run.folder() {
        return folder.newest(archive_date, "source-data-YYYY-MM-DD.tar.gz");
    }
    let address = run.address(Site::Zengin, UPDATED_AT);
    let text = run.session().text(&address, UPDATED_AT_BYTES_MAX)?;
    zengin::read_updated_at(&text).map_err(|found| {
        let expected = "a date of eight digits such as 20260525";
        UpdateError::not_the_file(address.to_string(), expected, found, REMEDY)
    })
}

const REMEDY: &str =
    "check it in a browser; if the repository has moved, name its address with --sources";

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
}
