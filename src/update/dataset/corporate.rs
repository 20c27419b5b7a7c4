//! Corporate numbers: the tax agency's full file of the country once, then the difference of each working day
//! on top of the newest snapshot.
//!
//! The site requires a token that belongs to one session and one page, so the page is read again for every file
//! and every attempt. A snapshot of some prefectures keeps its prefectures.

use std::sync::Arc;

use super::daily::{self, DailySource, DifferenceList, Plan, compare_full, inputs};
use crate::compile::corporate::{self, CorporateSources, Prefectures};
use crate::compile::open_verified;
use crate::query::CorporateData;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::Site;
use crate::update::context::Context;
use crate::update::dataset_source::{DatasetSource, NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::error::UpdateError;
use crate::update::file_spec::{ExpectedName, FileSpec};
use crate::update::http::Request;
use crate::update::manifest::SourceFile;
use crate::update::official_name::{
    corporate_difference, corporate_difference_date, corporate_full, corporate_full_date,
};
use crate::update::page::Page;
use crate::update::page::nta::FileNumber;
use crate::update::page::nta_corporate::{self, Form};
use crate::update::verify::FileFormat;

const FULL_PAGE: &str = "full-page";
const DIFFERENCE_PAGE: &str = "difference-page";

/// The full file had 266 MB in 2026-07, a difference has 120 to 200 KB.
const FULL_BYTES_MAX: u64 = 1 << 30;
const DIFFERENCE_BYTES_MAX: u64 = 32 << 20;

pub struct Corporate;

impl DailySource for Corporate {
    fn differences(context: &Context<'_>) -> Result<DifferenceList, UpdateError> {
        if let Some(folder) = context.local_folder() {
            let days = folder.names().iter().filter_map(|name| corporate_difference_date(name));
            return Ok(DifferenceList {
                source: folder.path().display().to_string(),
                days: days.collect(),
            });
        }
        let page = context.session().page(&context.address(Site::Nta, DIFFERENCE_PAGE))?;
        let days = nta_corporate::read_differences(&page)?.differences.into_keys().collect();
        Ok(DifferenceList { source: page.address.to_string(), days })
    }

    fn full_date(context: &Context<'_>) -> Result<DataVersion, UpdateError> {
        if let Some(folder) = context.local_folder() {
            return folder.newest_date(corporate_full_date, "00_zenkoku_all_YYYYMMDD.zip");
        }
        let page = context.session().page(&context.address(Site::Nta, FULL_PAGE))?;
        Ok(nta_corporate::read_full(&page)?.date)
    }

    fn full_name(date: DataVersion) -> String {
        corporate_full(date)
    }

    fn difference_name(date: DataVersion) -> String {
        corporate_difference(date)
    }
}

impl DatasetSource for Corporate {
    type Plan = Plan;

    fn check_source(context: &Context<'_>) -> Result<Offer<Plan>, UpdateError> {
        daily::check_source::<Corporate>(context, context.installed::<CorporateData>()?)
    }

    fn install(context: &Context<'_>, plan: Plan) -> Result<NewVersion, UpdateError> {
        let installed = context.newest_data::<CorporateData>()?;
        let mut edition = EditionFiles::open(context, plan.edition)?;
        let full = plan.full.map(|date| fetch_full(context, &mut edition, date)).transpose()?;
        let full: Vec<SourceFile> = full.into_iter().collect();
        let mut differences = Vec::new();
        for date in &plan.differences {
            differences.push(fetch_difference(context, &mut edition, *date)?);
        }
        let sources = sources(context, installed.as_deref(), &full, &differences);
        let sources = sources.map_err(|error| edition.remove_if_cause(error))?;
        let report = corporate::build(&context.target(plan.edition), sources, context.observer);
        let report = report.map_err(|error| edition.remove_if_cause(error))?;
        context.warn_of_build(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let summary =
            format!("{} corporations, {} of them closed", counts.corporations, counts.closed);
        Ok(NewVersion { edition: plan.edition, path: file.path().to_owned(), summary })
    }
}

/// The sources of the build: the full file if there is one, otherwise the installed version.
fn sources<'a>(
    context: &Context<'_>,
    installed: Option<&CorporateData>,
    full: &'a [SourceFile],
    differences: &'a [SourceFile],
) -> Result<CorporateSources<'a>, UpdateError> {
    let mut prefectures = Prefectures::Covered;
    if let Some(installed) = installed.filter(|_| !full.is_empty()) {
        let provenance = installed.provenance().map_err(Arc::new)?;
        let provenance = provenance.root();
        if provenance.prefectures.is_empty() {
            let rows = installed.counts()?.corporations as u64;
            compare_full(context, full, rows, installed.version())?;
        } else {
            prefectures = Prefectures::Only(provenance.prefectures.iter().copied().collect());
        }
        if provenance.issuers_date != 0 {
            context.warn(
                "rebuilt from a new full file, which does not have the invoice registers of the previous \
                 snapshot; build it again with --invoice",
            );
        }
    }
    let base = installed.filter(|_| full.is_empty());
    let base = base.map(|base| open_verified(base.file().path())).transpose()?;
    let (full, diff, postal) = (inputs(full), inputs(differences), context.postal()?);
    Ok(CorporateSources { full, base, diff, invoice: Vec::new(), postal, prefectures })
}

fn fetch_full(
    context: &Context<'_>,
    edition: &mut EditionFiles<'_>,
    date: DataVersion,
) -> Result<SourceFile, UpdateError> {
    let name = corporate_full(date);
    fetch(
        context,
        edition,
        FULL_PAGE,
        file_spec("full".to_owned(), name, FULL_BYTES_MAX),
        &|page| {
            let full = nta_corporate::read_full(page)?;
            if full.date != date {
                return Err(
                    page.error(format!("the file of {date}"), format!("the file of {}", full.date))
                );
            }
            Ok((full.form, full.number))
        },
    )
}

fn fetch_difference(
    context: &Context<'_>,
    edition: &mut EditionFiles<'_>,
    date: DataVersion,
) -> Result<SourceFile, UpdateError> {
    let spec =
        file_spec(format!("difference {date}"), corporate_difference(date), DIFFERENCE_BYTES_MAX);
    fetch(context, edition, DIFFERENCE_PAGE, spec, &|page| {
        let listed = nta_corporate::read_differences(page)?;
        match listed.differences.get(&date) {
            Some(number) => Ok((listed.form, *number)),
            None => Err(page.error(format!("a row of {date}"), "rows of other days")),
        }
    })
}

/// Finds the form and the file number on a page.
type Find<'f> = &'f dyn Fn(&Page) -> Result<(Form, FileNumber), UpdateError>;

/// Downloads a file through the form of its page. If the site lost the session or the connection broke, reads
/// the page again in a new session.
fn fetch(
    context: &Context<'_>,
    edition: &mut EditionFiles<'_>,
    page: &str,
    spec: impl Fn(Request) -> FileSpec,
    find: Find<'_>,
) -> Result<SourceFile, UpdateError> {
    let address = context.address(Site::Nta, page);
    let mut attempt = 1;
    loop {
        let session = context.session();
        let request = match context.local_folder() {
            Some(_) => Request::Get(address.clone()),
            None => form_request(&session.page(&address)?, find)?,
        };
        match edition.fetch(&session, spec(request)) {
            Err(error) if error.is_temporary() && context.wait_before_retry(attempt) => {
                attempt += 1
            }
            done => return done,
        }
    }
}

fn form_request(page: &Page, find: Find<'_>) -> Result<Request, UpdateError> {
    let (form, number) = find(page)?;
    let fields = form.fields(number).map(|(name, value)| (name.to_owned(), value)).into();
    let referer = page.address.url().clone();
    Ok(Request::Post { address: form.address, form: fields, referer })
}

/// The specification of a file, without its request: that has a new token at each attempt.
fn file_spec(role: String, name: String, bytes_max: u64) -> impl Fn(Request) -> FileSpec {
    move |request| FileSpec {
        role: role.clone(),
        request,
        format: FileFormat::ZipOfCsv { member: name.replace(".zip", ".csv") },
        name: ExpectedName::Exact(name.clone()),
        is_full: false,
        may_be_unchanged: false,
        bytes_max,
    }
}
