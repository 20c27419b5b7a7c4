//! Corporate numbers: the tax agency's full file of the country once, then the difference of each working day
//! on top of the newest snapshot.
//!
//! The site requires a token that belongs to one session and one page, so the page is read again for every file
//! and every attempt. A snapshot of some prefectures keeps its prefectures.

use std::collections::BTreeSet;
use std::{sync::Arc, thread};

use super::CorporateData;
use super::compile::{self, CorporateSources, Prefectures};
use crate::compile::open_verified;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::Site;
use crate::update::context::Context;
use crate::update::dataset::daily::{
    self, DIFFERENCE_PAGE, DailySource, FULL_PAGE, Plan, compare_full, inputs,
};
use crate::update::dataset_source::{DatasetSource, NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::editions::SourceFile;
use crate::update::error::{Result, UpdateError};
use crate::update::file_spec::{
    CORPORATE_DIFFERENCE, CORPORATE_FULL, DatedName, ExpectedName, FileFormat, FileSpec,
};
use crate::update::http::Request;
use crate::update::page::Page;
use crate::update::page::nta::FileNumber;
use crate::update::page::nta_corporate::{self, Form};

/// The full file had 266 MB in 2026-07, a difference has 120 to 200 KB.
const FULL_BYTES_MAX: u64 = 1 << 30;
const DIFFERENCE_BYTES_MAX: u64 = 32 << 20;

pub struct Corporate;

impl DailySource for Corporate {
    const SITE: Site = Site::Nta;
    const DIFFERENCE: DatedName = CORPORATE_DIFFERENCE;
    const FULL_EXAMPLE: &str = "00_zenkoku_all_YYYYMMDD.zip";

    fn full_name(date: DataVersion) -> String {
        CORPORATE_FULL.of(date)
    }

    fn date_of_full(name: &str) -> Option<DataVersion> {
        CORPORATE_FULL.date(name)
    }

    fn read_full_date(page: &Page) -> Result<DataVersion> {
        Ok(nta_corporate::read_full(page)?.date)
    }

    fn read_days(page: &Page) -> Result<BTreeSet<DataVersion>> {
        Ok(nta_corporate::read_differences(page)?.differences.into_keys().collect())
    }
}

impl DatasetSource for Corporate {
    type Plan = Plan;

    fn check_source(context: &Context<'_>) -> Result<Offer<Plan>> {
        daily::check_source::<Corporate>(context, context.installed::<CorporateData>()?)
    }

    fn install(mut edition: EditionFiles<'_>, plan: Plan) -> Result<NewVersion> {
        let context = edition.context;
        let installed = context.newest_data::<CorporateData>()?;
        let full = plan.full.map(|date| fetch_full(&mut edition, date)).transpose()?;
        let full: Vec<SourceFile> = full.into_iter().collect();
        let mut differences = Vec::new();
        for date in &plan.differences {
            differences.push(fetch_difference(&mut edition, *date)?);
        }
        let sources = sources(context, installed.as_deref(), &full, &differences);
        let target = context.target(plan.edition);
        let report = compile::build(&target, edition.checked(sources)?, context.observer);
        let report = edition.checked(report)?;
        context.warn_of_build(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let summary =
            format!("{} corporations, {} of them closed", counts.corporations, counts.closed);
        Ok(NewVersion { path: file.path().to_owned(), summary })
    }
}

/// The sources of the build: the full file if there is one, otherwise the installed version.
fn sources<'a>(
    context: &Context<'_>,
    installed: Option<&CorporateData>,
    full: &'a [SourceFile],
    differences: &'a [SourceFile],
) -> Result<CorporateSources<'a>> {
    let mut prefectures = Prefectures::Covered;
    if let Some(installed) = installed.filter(|_| !full.is_empty()) {
        let provenance = installed.provenance().map_err(Arc::new)?;
        let provenance = provenance.root();
        if provenance.prefectures.is_empty() {
            let rows = full.iter().filter_map(|file| file.rows).sum();
            let expected = installed.counts()?.corporations as u64;
            compare_full(context, full, rows, expected, installed.version())?;
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

fn fetch_full(edition: &mut EditionFiles<'_>, date: DataVersion) -> Result<SourceFile> {
    let spec = file_spec("full".to_owned(), CORPORATE_FULL.of(date), FULL_BYTES_MAX);
    fetch(edition, FULL_PAGE, spec, &|page| {
        let full = nta_corporate::read_full(page)?;
        if full.date != date {
            let found = format!("the file of {}", full.date);
            return Err(page.error(format!("the file of {date}"), found));
        }
        Ok((full.form, full.number))
    })
}

fn fetch_difference(edition: &mut EditionFiles<'_>, date: DataVersion) -> Result<SourceFile> {
    let spec = file_spec(
        format!("difference {date}"),
        CORPORATE_DIFFERENCE.of(date),
        DIFFERENCE_BYTES_MAX,
    );
    fetch(edition, DIFFERENCE_PAGE, spec, &|page| {
        let listed = nta_corporate::read_differences(page)?;
        match listed.differences.get(&date) {
            Some(number) => Ok((listed.form, *number)),
            None => Err(page.error(format!("a row of {date}"), "rows of other days")),
        }
    })
}

/// Finds the form and the file number on a page.
type Find<'f> = &'f dyn Fn(&Page) -> Result<(Form, FileNumber)>;

/// Downloads a file through the form of its page. If the site lost the session or the connection broke, reads
/// the page again in a new session.
fn fetch(
    edition: &mut EditionFiles<'_>,
    page: &str,
    spec: impl Fn(Request) -> FileSpec,
    find: Find<'_>,
) -> Result<SourceFile> {
    let context = edition.context;
    let address = context.address(Site::Nta, page);
    let mut attempt = 1;
    loop {
        let session = context.session();
        let request = match context.local_folder {
            Some(_) => Request::Get(address.clone()),
            None => form_request(&session.page(&address)?, find)?,
        };
        let fetched = edition.fetch(&session, spec(request));
        let may_retry = attempt < context.options.settings.limits.attempts;
        if !may_retry || !fetched.as_ref().is_err_and(UpdateError::is_temporary) {
            return fetched;
        }
        thread::sleep(context.client.retry_delay(attempt));
        attempt += 1;
    }
}

fn form_request(page: &Page, find: Find<'_>) -> Result<Request> {
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
