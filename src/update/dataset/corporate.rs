//! Corporate numbers: the tax agency's full file of the country once, then the difference of each working day
//! on top of the newest snapshot.
//!
//! The site requires a token that belongs to one session and one page, so the page is read again for every file
//! and every attempt. A snapshot of some prefectures keeps its prefectures.

use std::sync::Arc;

use super::daily::{self, Daily, Listed, Plan, compare_full, inputs};
use crate::compile::corporate::{self, CorporateSources, Prefectures};
use crate::compile::open_verified;
use crate::query::CorporateData;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::Site;
use crate::update::check::Form;
use crate::update::error::UpdateError;
use crate::update::http::Request;
use crate::update::keep::Edition;
use crate::update::manifest::Kept;
use crate::update::official_name::{
    corporate_difference, corporate_difference_date, corporate_full, corporate_full_date,
};
use crate::update::page::Page;
use crate::update::page::nta::FileNumber;
use crate::update::page::nta_corporate::{self, Form as PageForm};
use crate::update::release::{Look, Published, Release};
use crate::update::run::Run;
use crate::update::wanted::{Name, Wanted};

const FULL_PAGE: &str = "full-page";
const DIFFERENCE_PAGE: &str = "difference-page";

/// The full file had 266 MB in 2026-07, a difference has 120 to 200 KB.
const FULL_BYTES_MAX: u64 = 1 << 30;
const DIFFERENCE_BYTES_MAX: u64 = 32 << 20;

pub struct Corporate;

impl Daily for Corporate {
    fn differences(run: &Run<'_>) -> Result<Listed, UpdateError> {
        if let Some(folder) = run.folder() {
            let days = folder.names().iter().filter_map(|name| corporate_difference_date(name));
            return Ok(Listed { place: folder.path().display().to_string(), days: days.collect() });
        }
        let page = run.session().page(&run.address(Site::Nta, DIFFERENCE_PAGE))?;
        let days = nta_corporate::read_differences(&page)?.differences.into_keys().collect();
        Ok(Listed { place: page.address.to_string(), days })
    }

    fn full(run: &Run<'_>) -> Result<DataVersion, UpdateError> {
        if let Some(folder) = run.folder() {
            return folder.newest(corporate_full_date, "00_zenkoku_all_YYYYMMDD.zip");
        }
        let page = run.session().page(&run.address(Site::Nta, FULL_PAGE))?;
        Ok(nta_corporate::read_full(&page)?.date)
    }

    fn full_name(date: DataVersion) -> String {
        corporate_full(date)
    }

    fn difference_name(date: DataVersion) -> String {
        corporate_difference(date)
    }
}

impl Release for Corporate {
    type Plan = Plan;

    fn look(run: &Run<'_>) -> Result<Look<Plan>, UpdateError> {
        daily::look::<Corporate>(run, run.installed::<CorporateData>()?)
    }

    fn bring(run: &Run<'_>, plan: Plan) -> Result<Published, UpdateError> {
        let installed = run.newest::<CorporateData>()?;
        let mut edition = Edition::open(run, plan.edition)?;
        let full = plan.full.map(|date| full(run, &mut edition, date)).transpose()?;
        let full: Vec<Kept> = full.into_iter().collect();
        let mut differences = Vec::new();
        for date in &plan.differences {
            differences.push(difference(run, &mut edition, *date)?);
        }
        let sources = sources(run, installed.as_deref(), &full, &differences);
        let sources = sources.map_err(|error| edition.blame(error))?;
        let report = corporate::build(&run.target(plan.edition), sources, run.watch);
        let report = report.map_err(|error| edition.blame(error))?;
        run.warn_of(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let summary =
            format!("{} corporations, {} of them closed", counts.corporations, counts.closed);
        Ok(Published { edition: plan.edition, path: file.path().to_owned(), summary })
    }
}

/// The sources of the build: the full file if there is one, otherwise the installed version.
fn sources<'a>(
    run: &Run<'_>,
    installed: Option<&CorporateData>,
    full: &'a [Kept],
    differences: &'a [Kept],
) -> Result<CorporateSources<'a>, UpdateError> {
    let mut prefectures = Prefectures::Covered;
    if let Some(installed) = installed.filter(|_| !full.is_empty()) {
        let provenance = installed.provenance().map_err(Arc::new)?;
        let provenance = provenance.root();
        if provenance.prefectures.is_empty() {
            let known = installed.counts()?.corporations;
            compare_full(run, full, (known, installed.version()))?;
        } else {
            prefectures = Prefectures::Only(provenance.prefectures.iter().copied().collect());
        }
        if provenance.issuers_date != 0 {
            run.warn(
                "rebuilt from a new full file, which does not have the invoice registers of the previous \
                 snapshot; build it again with --invoice",
            );
        }
    }
    let base = installed.filter(|_| full.is_empty());
    let base = base.map(|base| open_verified(base.file().path())).transpose()?;
    let (full, diff, postal) = (inputs(full), inputs(differences), run.postal()?);
    Ok(CorporateSources { full, base, diff, invoice: Vec::new(), postal, prefectures })
}

fn full(run: &Run<'_>, edition: &mut Edition<'_>, date: DataVersion) -> Result<Kept, UpdateError> {
    let name = corporate_full(date);
    fetch(run, edition, FULL_PAGE, wanted("full".to_owned(), name, FULL_BYTES_MAX), &|page| {
        let full = nta_corporate::read_full(page)?;
        if full.date != date {
            return Err(
                page.lacks(format!("the file of {date}"), format!("the file of {}", full.date))
            );
        }
        Ok((full.form, full.number))
    })
}

fn difference(
    run: &Run<'_>,
    edition: &mut Edition<'_>,
    date: DataVersion,
) -> Result<Kept, UpdateError> {
    let wanted =
        wanted(format!("difference {date}"), corporate_difference(date), DIFFERENCE_BYTES_MAX);
    fetch(run, edition, DIFFERENCE_PAGE, wanted, &|page| {
        let listed = nta_corporate::read_differences(page)?;
        match listed.differences.get(&date) {
            Some(number) => Ok((listed.form, *number)),
            None => Err(page.lacks(format!("a row of {date}"), "rows of other days")),
        }
    })
}

type Find<'f> = &'f dyn Fn(&Page) -> Result<(PageForm, FileNumber), UpdateError>;

/// Downloads a file through the form of its page. If the site lost the session or the connection broke, reads
/// the page again in a new session.
fn fetch(
    run: &Run<'_>,
    edition: &mut Edition<'_>,
    page: &str,
    wanted: impl Fn(Request) -> Wanted,
    find: Find<'_>,
) -> Result<Kept, UpdateError> {
    let address = run.address(Site::Nta, page);
    let mut attempt = 1;
    loop {
        let session = run.session();
        let request = match run.folder() {
            Some(_) => Request::Get(address.clone()),
            None => request(&session.page(&address)?, find)?,
        };
        match edition.fetch(&session, wanted(request)) {
            Err(error) if error.is_passing() && run.wait_for_attempt(attempt) => attempt += 1,
            done => return done,
        }
    }
}

fn request(page: &Page, find: Find<'_>) -> Result<Request, UpdateError> {
    let (form, number) = find(page)?;
    let fields = form.fields(number).map(|(name, value)| (name.to_owned(), value)).into();
    let referer = page.address.url().clone();
    Ok(Request::Post { address: form.address, form: fields, referer })
}

fn wanted(role: String, name: String, bytes_max: u64) -> impl Fn(Request) -> Wanted {
    move |request| Wanted {
        role: role.clone(),
        request,
        form: Form::ZipOfCsv { member: name.replace(".zip", ".csv") },
        name: Name::Exact(name.clone()),
        whole: false,
        may_repeat: false,
        bytes_max,
    }
}
