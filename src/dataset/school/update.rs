//! Schools: all lists of the newest edition on the ministry's page.

use build_tools::{Files, Kind};

use super::SchoolData;
use super::compile::{self, SchoolSources};
use crate::snapshot::Dataset;
use crate::update::address::Site;
use crate::update::context::Context;
use crate::update::dataset_source::{DatasetSource, NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::error::Result;
use crate::update::file_spec::{ExpectedName, FileFormat, FileSpec};
use crate::update::http::Request;
use crate::update::page::mext::{self, Edition};

const PAGE: &str = "page";

/// The largest list had 4.3 MB in 2025.
const LIST_BYTES_MAX: u64 = 64 << 20;

pub struct School;

impl DatasetSource for School {
    type Plan = Edition;

    fn check_source(context: &Context<'_>) -> Result<Offer<Edition>> {
        let installed = context.installed::<SchoolData>()?;
        let offered = offered(context)?;
        let edition = offered.date;
        let plan = Some(offered).filter(|_| installed.is_none_or(|installed| edition > installed));
        let lists = plan.iter().flat_map(|plan| &plan.lists);
        let files = lists.map(|list| list.address.file_name().to_owned()).collect();
        Ok(Offer { edition, installed, plan, files })
    }

    fn install(mut edition: EditionFiles<'_>, plan: Edition) -> Result<NewVersion> {
        let context = edition.context;
        let session = context.session();
        let mut lists = Vec::new();
        for list in plan.lists {
            let spec = FileSpec {
                // Without the date, so that it is compared with the same list of the previous edition.
                role: format!("list {}-{}", list.number, list.part),
                name: ExpectedName::Exact(list.address.file_name().to_owned()),
                request: Request::Get(list.address),
                format: FileFormat::Csv,
                is_full: true,
                // One list may stay unchanged when another one changes.
                may_be_unchanged: true,
                bytes_max: LIST_BYTES_MAX,
            };
            let file = edition.fetch(&session, spec)?;
            lists.push(edition.checked(Files::open(&file.path, Kind::School))?);
        }
        let sources = SchoolSources { lists, postal: context.postal()? };
        let report = compile::build(&context.target(plan.date), &sources, context.observer);
        let report = edition.checked(report)?;
        context.warn_of_build(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let summary = format!("{} schools, {} of them closed", counts.schools, counts.closed);
        Ok(NewVersion { path: file.path().to_owned(), summary })
    }
}

fn offered(context: &Context<'_>) -> Result<Edition> {
    let address = context.address(Site::Mext, PAGE);
    let Some(folder) = context.local_folder else {
        return mext::read_page(&context.session().page(&address)?);
    };
    let lists = folder.names.iter().filter_map(|name| mext::parse_list(address.join(name)?));
    let edition = Edition::newest(lists.collect())
        .ok_or_else(|| folder.missing("a file such as 20260825-mxt_chousa01-000011635_2.csv"))?;
    match edition.missing_list() {
        Some(expected) => Err(folder.missing(&expected)),
        None => Ok(edition),
    }
}
