//! Schools: all lists of the newest edition on the ministry's page.

use build_tools::{Files, Kind};

use crate::compile::school::{self, SchoolSources};
use crate::query::SchoolData;
use crate::snapshot::Dataset;
use crate::update::address::Site;
use crate::update::check::Form;
use crate::update::error::UpdateError;
use crate::update::http::Request;
use crate::update::keep;
use crate::update::page::mext::{self, Edition};
use crate::update::release::{Look, Published, Release};
use crate::update::run::Run;
use crate::update::wanted::{Name, Wanted};

const PAGE: &str = "page";

/// The largest list had 4.3 MB in 2025.
const LIST_BYTES_MAX: u64 = 64 << 20;

pub struct School;

impl Release for School {
    type Plan = Edition;

    fn look(run: &Run<'_>) -> Result<Look<Edition>, UpdateError> {
        let installed = run.installed::<SchoolData>()?;
        let offered = offered(run)?;
        let edition = offered.date;
        let plan = Some(offered).filter(|_| installed.is_none_or(|installed| edition > installed));
        let lists = plan.iter().flat_map(|plan| &plan.lists);
        let files = lists.map(|list| list.address.file_name().to_owned()).collect();
        Ok(Look { edition, installed, plan, files })
    }

    fn bring(run: &Run<'_>, plan: Edition) -> Result<Published, UpdateError> {
        let version = plan.date;
        let mut edition = keep::Edition::open(run, version)?;
        let session = run.session();
        let mut lists = Vec::new();
        for list in plan.lists {
            let wanted = Wanted {
                // Without the date, so that it is compared with the same list of the previous edition.
                role: format!("list {}-{}", list.number, list.part),
                name: Name::Exact(list.address.file_name().to_owned()),
                request: Request::Get(list.address),
                form: Form::Csv,
                whole: true,
                // One list may stay unchanged when another one changes.
                may_repeat: true,
                bytes_max: LIST_BYTES_MAX,
            };
            let kept = edition.fetch(&session, wanted)?;
            let list = Files::open(&kept.path, Kind::School);
            lists.push(list.map_err(|error| edition.blame(error))?);
        }
        let sources = SchoolSources { lists, postal: run.postal()? };
        let report = school::build(&run.target(version), &sources, run.watch);
        let report = report.map_err(|error| edition.blame(error))?;
        run.warn_of(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let summary = format!("{} schools, {} of them closed", counts.schools, counts.closed);
        Ok(Published { edition: version, path: file.path().to_owned(), summary })
    }
}

fn offered(run: &Run<'_>) -> Result<Edition, UpdateError> {
    let address = run.address(Site::Mext, PAGE);
    let Some(folder) = run.folder() else {
        return mext::read(&run.session().page(&address)?);
    };
    let lists = folder.names().iter().filter_map(|name| mext::parse(address.join(name)?));
    let edition = Edition::newest(lists.collect());
    let edition = edition
        .ok_or_else(|| folder.lacks("a file such as 20260825-mxt_chousa01-000011635_2.csv"))?;
    match edition.lacks() {
        Some(expected) => Err(folder.lacks(&expected)),
        None => Ok(edition),
    }
}
