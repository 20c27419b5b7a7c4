//! Qualified invoice issuers: all parts of the tax agency's register once, then the difference of each working
//! day on top of the newest snapshot.
//!
//! Individuals are kept if the newest snapshot has them or the options ask for them; otherwise the build leaves
//! them out of the differences too.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::daily::{self, Daily, Listed, Plan, inputs};
use crate::compile::invoice::{self, InvoiceSources};
use crate::compile::open_verified;
use crate::query::InvoiceData;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::{Address, Site};
use crate::update::check::{self, Form};
use crate::update::error::UpdateError;
use crate::update::http::Request;
use crate::update::keep::{self, Edition};
use crate::update::manifest::Kept;
use crate::update::official_name::{InvoicePart, invoice_difference, invoice_difference_date};
use crate::update::page::nta::FileNumber;
use crate::update::page::nta_invoice::{self, CSV, Holders};
use crate::update::release::{Look, Published, Release};
use crate::update::run::Run;
use crate::update::wanted::{Name, Wanted};

const FULL_PAGE: &str = "full-page";
const FULL_FILE: &str = "full-file";
const DIFFERENCE_PAGE: &str = "difference-page";
const DIFFERENCE_FILE: &str = "difference-file";

/// A part had at most 21 MB in 2026-08, a difference has up to 125 KB.
const PART_BYTES_MAX: u64 = 200 << 20;
const DIFFERENCE_BYTES_MAX: u64 = 32 << 20;

const CHANGING: &str = "the site may be replacing its files: try again later";

pub struct Invoice;

impl Daily for Invoice {
    fn differences(run: &Run<'_>) -> Result<Listed, UpdateError> {
        if let Some(folder) = run.folder() {
            let days = folder.names().iter().filter_map(|name| invoice_difference_date(name));
            return Ok(Listed { place: folder.path().display().to_string(), days: days.collect() });
        }
        let page = run.session().page(&run.address(Site::Invoice, DIFFERENCE_PAGE))?;
        let days = nta_invoice::read_differences(&page)?.differences.into_keys().collect();
        Ok(Listed { place: page.address.to_string(), days })
    }

    fn full(run: &Run<'_>) -> Result<DataVersion, UpdateError> {
        if let Some(folder) = run.folder() {
            let date = |name: &str| InvoicePart::parse(name).map(|part| part.date);
            return folder.newest(date, "h_all_YYYYMMDD_csv_NNN.zip");
        }
        let page = run.session().page(&run.address(Site::Invoice, FULL_PAGE))?;
        Ok(nta_invoice::read_full(&page)?.date)
    }

    fn full_name(date: DataVersion) -> String {
        format!("h_all_{0}_csv_NNN.zip and j_all_{0}_csv.zip", date.number())
    }

    fn difference_name(date: DataVersion) -> String {
        invoice_difference(date)
    }
}

impl Release for Invoice {
    type Plan = Plan;

    fn look(run: &Run<'_>) -> Result<Look<Plan>, UpdateError> {
        let installed = run.installed::<InvoiceData>()?;
        // Individuals are complete only in full files.
        let adds = run.options.individuals && !has_individuals(run.newest()?.as_deref())?;
        let look = daily::look::<Invoice>(run, installed.filter(|_| !adds))?;
        let plan = look.plan.filter(|plan| Some(plan.edition) >= installed);
        Ok(Look { installed, plan, ..look })
    }

    fn bring(run: &Run<'_>, plan: Plan) -> Result<Published, UpdateError> {
        let installed = run.newest::<InvoiceData>()?;
        let individuals = run.options.individuals || has_individuals(installed.as_deref())?;
        let mut edition = Edition::open(run, plan.edition)?;
        let full = match plan.full {
            Some(date) => {
                full(run, &mut edition, date, individuals).map_err(|error| edition.blame(error))?
            }
            None => Vec::new(),
        };
        let differences = differences(run, &mut edition, &plan.differences)?;
        let base = installed.filter(|_| full.is_empty());
        let sources = InvoiceSources {
            full: inputs(&full),
            base: base.map(|base| open_verified(base.file().path())).transpose()?,
            diff: inputs(&differences),
            postal: run.postal()?,
            individuals,
        };
        let report = invoice::build(&run.target(plan.edition), sources, run.watch);
        let report = report.map_err(|error| edition.blame(error))?;
        run.warn_of(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let numbers = counts.others + counts.individuals;
        let summary =
            format!("{numbers} registration numbers, {} of them in force", counts.registered);
        Ok(Published { edition: plan.edition, path: file.path().to_owned(), summary })
    }
}

fn has_individuals(installed: Option<&InvoiceData>) -> Result<bool, UpdateError> {
    let Some(installed) = installed else { return Ok(false) };
    Ok(installed.provenance().map_err(Arc::new)?.root().individuals)
}

/// Downloads every listed part of the register.
fn full(
    run: &Run<'_>,
    edition: &mut Edition<'_>,
    date: DataVersion,
    individuals: bool,
) -> Result<Vec<Kept>, UpdateError> {
    let is_wanted = |holders: Holders| individuals || holders != Holders::Individuals;
    let session = run.session();
    let mut files = Vec::new();
    let place = match run.folder() {
        Some(folder) => {
            let parts =
                folder.names().iter().filter_map(|name| Some((name, InvoicePart::parse(name)?)));
            for (name, _) in parts.filter(|(_, it)| it.date == date && is_wanted(it.holders)) {
                let request = Request::Get(run.address(Site::Invoice, FULL_FILE));
                files
                    .push(edition.fetch(&session, part(name, Name::Exact(name.clone()), request))?);
            }
            folder.path().display().to_string()
        }
        None => {
            let page = session.page(&run.address(Site::Invoice, FULL_PAGE))?;
            let listed = nta_invoice::read_full(&page)?;
            if listed.date != date {
                let found = format!("those of {}", listed.date);
                return Err(page.lacks(format!("the files of {date}"), found));
            }
            for (holders, number) in listed.files.into_iter().filter(|(it, _)| is_wanted(*it)) {
                let address = run.address(Site::Invoice, FULL_FILE);
                let request = Request::Get(file_of(&address, number, Some(holders)));
                let name = Name::part(format!("{}_all_{}_csv", holders.letter(), date.number()));
                let role = format!("{} {}", holders.letter(), number.get());
                let kept = edition.fetch(&session, part(&role, name, request))?;
                if files.iter().any(|file: &Kept| file.name == kept.name) {
                    let expected = "a part that no other number leads to";
                    return Err(UpdateError::not_the_file(kept.url, expected, kept.name, CHANGING));
                }
                files.push(kept);
            }
            page.address.to_string()
        }
    };
    check_parts(&place, date, &files, individuals)?;
    compare_with_full_before(run, date, &files)?;
    Ok(files)
}

/// Compares the rows with those of the last kept full files, without individuals.
fn compare_with_full_before(
    run: &Run<'_>,
    date: DataVersion,
    files: &[Kept],
) -> Result<(), UpdateError> {
    fn of_others(files: &[Kept]) -> impl Iterator<Item = &Kept> {
        let is_other = |part: InvoicePart| part.holders != Holders::Individuals;
        files.iter().filter(move |file| InvoicePart::parse(&file.name).is_some_and(is_other))
    }
    let rows = |files: &[Kept]| of_others(files).filter_map(|file| file.rows).sum::<u64>();
    let editions = keep::built_editions(&keep::folder_of(&run.options.snapshots, run.subject))?;
    let before = editions.iter().rev().filter(|before| before.edition < date);
    let before =
        before.map(|before| (rows(&before.files), before.edition)).find(|(rows, _)| *rows > 0);
    match (before, files.first()) {
        (Some((known, edition)), Some(first)) if !run.options.force => {
            check::compare_rows(&first.url, rows(files), known, edition)
        }
        _ => Ok(()),
    }
}

/// Checks that every part is there once, from the first on; only the file name says which part a file is.
fn check_parts(
    place: &str,
    date: DataVersion,
    files: &[Kept],
    individuals: bool,
) -> Result<(), UpdateError> {
    let mut found: BTreeMap<Holders, Vec<u32>> = BTreeMap::new();
    for part in files.iter().filter_map(|file| InvoicePart::parse(&file.name)) {
        found.entry(part.holders).or_default().push(part.part);
    }
    let needed = if individuals { &Holders::ALL[..] } else { &Holders::ALL[..2] };
    for holders in needed {
        let mut parts = found.remove(holders).unwrap_or_default();
        parts.sort_unstable();
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        if parts != [0] && (parts.is_empty() || !parts.iter().copied().eq(1..=count)) {
            let stem = format!("{}_all_{}_csv", holders.letter(), date.number());
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            return Err(UpdateError::not_the_file(
                place,
                format!("every part of {stem} once, from _001 on, or one file"),
                names.join(", "),
                CHANGING,
            ));
        }
    }
    Ok(())
}

/// Downloads the differences of these days, reading their page once.
fn differences(
    run: &Run<'_>,
    edition: &mut Edition<'_>,
    days: &[DataVersion],
) -> Result<Vec<Kept>, UpdateError> {
    let session = run.session();
    let mut listed = None;
    if run.folder().is_none() && !days.is_empty() {
        let page = session.page(&run.address(Site::Invoice, DIFFERENCE_PAGE))?;
        listed = Some((nta_invoice::read_differences(&page)?.differences, page));
    }
    let file = run.address(Site::Invoice, DIFFERENCE_FILE);
    let mut files = Vec::new();
    for date in days {
        let address = match &listed {
            Some((numbers, page)) => {
                let number = numbers.get(date);
                let lacks = || page.lacks(format!("a row of {date}"), "rows of other days");
                file_of(&file, *number.ok_or_else(lacks)?, None)
            }
            None => file.clone(),
        };
        let name = Name::Exact(invoice_difference(*date));
        let part = part(&format!("difference {date}"), name, Request::Get(address));
        files.push(edition.fetch(&session, Wanted { bytes_max: DIFFERENCE_BYTES_MAX, ..part })?);
    }
    Ok(files)
}

/// A part of the full file; a difference has another size limit.
fn part(role: &str, name: Name, request: Request) -> Wanted {
    Wanted {
        role: role.to_owned(),
        request,
        name,
        form: Form::ZipOfCsv { member: String::new() },
        whole: false,
        may_repeat: false,
        bytes_max: PART_BYTES_MAX,
    }
}

/// The address of a file by its number, and for a full file by the kind of issuers.
fn file_of(address: &Address, number: FileNumber, holders: Option<Holders>) -> Address {
    let number = number.get().to_string();
    let mut query = vec![("dlFilKanriNo", number.as_str())];
    query.extend(holders.map(|holders| ("jinkakukbn", holders.argument())));
    query.push(("type", CSV));
    address.with_query(&query)
}
