//! Qualified invoice issuers: all parts of the tax agency's register once, then the difference of each working
//! day on top of the newest snapshot.
//!
//! Individuals are kept if the newest snapshot has them or the options ask for them; otherwise the build leaves
//! them out of the differences too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::InvoiceData;
use super::compile::{self, InvoiceSources};
use crate::compile::open_verified;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::update::address::{Address, Site};
use crate::update::context::Context;
use crate::update::dataset::daily::{
    self, DIFFERENCE_PAGE, DailySource, FULL_PAGE, Plan, compare_full, inputs,
};
use crate::update::dataset_source::{DatasetSource, NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::editions::{SourceFile, built_editions};
use crate::update::error::{Result, UpdateError};
use crate::update::file_spec::{
    DatedName, ExpectedName, FileFormat, FileSpec, INVOICE_DIFFERENCE, InvoicePart,
};
use crate::update::http::Request;
use crate::update::page::Page;
use crate::update::page::nta::FileNumber;
use crate::update::page::nta_invoice::{self, CSV, IssuerKind};

const FULL_FILE: &str = "full-file";
const DIFFERENCE_FILE: &str = "difference-file";

/// A part had at most 21 MB in 2026-08, a difference has up to 125 KB.
const PART_BYTES_MAX: u64 = 200 << 20;
const DIFFERENCE_BYTES_MAX: u64 = 32 << 20;

const SITE_IS_CHANGING: &str = "the site may be replacing its files: try again later";

pub struct Invoice;

impl DailySource for Invoice {
    const SITE: Site = Site::Invoice;
    const DIFFERENCE: DatedName = INVOICE_DIFFERENCE;
    const FULL_EXAMPLE: &str = "h_all_YYYYMMDD_csv_NNN.zip";

    fn full_name(date: DataVersion) -> String {
        format!("h_all_{0}_csv_NNN.zip and j_all_{0}_csv.zip", date.number())
    }

    fn date_of_full(name: &str) -> Option<DataVersion> {
        InvoicePart::parse(name).map(|part| part.date)
    }

    fn read_full_date(page: &Page) -> Result<DataVersion> {
        Ok(nta_invoice::read_full(page)?.date)
    }

    fn read_days(page: &Page) -> Result<BTreeSet<DataVersion>> {
        Ok(nta_invoice::read_differences(page)?.into_keys().collect())
    }
}

impl DatasetSource for Invoice {
    type Plan = Plan;

    fn check_source(context: &Context<'_>) -> Result<Offer<Plan>> {
        let installed = context.installed::<InvoiceData>()?;
        // Individuals are complete only in full files.
        let adds_individuals =
            context.options.individuals && !has_individuals(context.newest_data()?.as_deref())?;
        let offer =
            daily::check_source::<Invoice>(context, installed.filter(|_| !adds_individuals))?;
        let plan = offer.plan.filter(|plan| Some(plan.edition) >= installed);
        Ok(Offer { installed, plan, ..offer })
    }

    fn install(mut edition: EditionFiles<'_>, plan: Plan) -> Result<NewVersion> {
        let context = edition.context;
        let installed = context.newest_data::<InvoiceData>()?;
        let individuals = context.options.individuals || has_individuals(installed.as_deref())?;
        let full = match plan.full {
            Some(date) => {
                let full = fetch_full(&mut edition, date, individuals);
                edition.checked(full)?
            }
            None => Vec::new(),
        };
        let differences = fetch_differences(&mut edition, &plan.differences)?;
        let base = installed.filter(|_| full.is_empty());
        let sources = InvoiceSources {
            full: inputs(&full),
            base: base.map(|base| open_verified(base.file().path())).transpose()?,
            diff: inputs(&differences),
            postal: context.postal()?,
            individuals,
        };
        let report = compile::build(&context.target(plan.edition), sources, context.observer);
        let report = edition.checked(report)?;
        context.warn_of_build(&report.log);
        edition.finish()?;
        let (file, counts) = (report.data.file(), report.data.counts()?);
        let numbers = counts.others + counts.individuals;
        let summary =
            format!("{numbers} registration numbers, {} of them in force", counts.registered);
        Ok(NewVersion { path: file.path().to_owned(), summary })
    }
}

fn has_individuals(installed: Option<&InvoiceData>) -> Result<bool> {
    let Some(installed) = installed else { return Ok(false) };
    Ok(installed.provenance().map_err(Arc::new)?.root().individuals)
}

/// Downloads every listed part of the register.
fn fetch_full(
    edition: &mut EditionFiles<'_>,
    date: DataVersion,
    individuals: bool,
) -> Result<Vec<SourceFile>> {
    let is_wanted = |issuers: IssuerKind| individuals || issuers != IssuerKind::Individuals;
    let context = edition.context;
    let session = context.session();
    let mut files = Vec::new();
    let source = match context.local_folder {
        Some(folder) => {
            let parts =
                folder.names.iter().filter_map(|name| Some((name, InvoicePart::parse(name)?)));
            for (name, _) in parts.filter(|(_, it)| it.date == date && is_wanted(it.issuers)) {
                let request = Request::Get(context.address(Site::Invoice, FULL_FILE));
                let spec = part_spec(name, ExpectedName::Exact(name.clone()), request);
                files.push(edition.fetch(&session, spec)?);
            }
            folder.path.display().to_string()
        }
        None => {
            let page = session.page(&context.address(Site::Invoice, FULL_PAGE))?;
            let listed = nta_invoice::read_full(&page)?;
            if listed.date != date {
                let found = format!("those of {}", listed.date);
                return Err(page.error(format!("the files of {date}"), found));
            }
            for (issuers, number) in listed.files.into_iter().filter(|(it, _)| is_wanted(*it)) {
                let address = context.address(Site::Invoice, FULL_FILE);
                let request = Request::Get(file_address(&address, number, Some(issuers)));
                let name = ExpectedName::Part(InvoicePart::stem(issuers, date));
                let role = format!("{} {}", issuers.letter(), number.get());
                let fetched = edition.fetch(&session, part_spec(&role, name, request))?;
                if files.iter().any(|file: &SourceFile| file.name == fetched.name) {
                    let expected = "a part that no other number leads to";
                    return Err(UpdateError::wrong_file(
                        fetched.url,
                        expected,
                        fetched.name,
                        SITE_IS_CHANGING,
                    ));
                }
                files.push(fetched);
            }
            page.address.to_string()
        }
    };
    check_parts(&source, date, &files, individuals)?;
    compare_with_previous_full(context, date, &files)?;
    Ok(files)
}

/// Compares the rows with the newest earlier full files that are stored, without individuals.
fn compare_with_previous_full(
    context: &Context<'_>,
    date: DataVersion,
    files: &[SourceFile],
) -> Result<()> {
    fn without_individuals(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
        let is_other = |part: InvoicePart| part.issuers != IssuerKind::Individuals;
        files.iter().filter(move |file| InvoicePart::parse(&file.name).is_some_and(is_other))
    }
    let rows =
        |files: &[SourceFile]| without_individuals(files).filter_map(|file| file.rows).sum::<u64>();
    let editions = built_editions(&context.sources_folder())?;
    let earlier = editions.iter().rev().filter(|earlier| earlier.edition < date);
    let mut earlier = earlier.map(|earlier| (rows(&earlier.files), earlier.edition));
    match earlier.find(|(rows, _)| *rows > 0) {
        Some((expected, edition)) => compare_full(context, files, rows(files), expected, edition),
        None => Ok(()),
    }
}

/// Checks that every part is there once, from the first on; only the file name says which part a file is.
fn check_parts(
    source: &str,
    date: DataVersion,
    files: &[SourceFile],
    individuals: bool,
) -> Result<()> {
    let mut found: BTreeMap<IssuerKind, Vec<u32>> = BTreeMap::new();
    for part in files.iter().filter_map(|file| InvoicePart::parse(&file.name)) {
        found.entry(part.issuers).or_default().push(part.part);
    }
    let needed = if individuals { &IssuerKind::ALL[..] } else { &IssuerKind::ALL[..2] };
    for issuers in needed {
        let mut parts = found.remove(issuers).unwrap_or_default();
        parts.sort_unstable();
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        if parts != [0] && (parts.is_empty() || !parts.iter().copied().eq(1..=count)) {
            let stem = InvoicePart::stem(*issuers, date);
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            return Err(UpdateError::wrong_file(
                source,
                format!("every part of {stem} once, from _001 on, or one file"),
                names.join(", "),
                SITE_IS_CHANGING,
            ));
        }
    }
    Ok(())
}

/// Downloads the differences of these days, reading their page once.
fn fetch_differences(
    edition: &mut EditionFiles<'_>,
    days: &[DataVersion],
) -> Result<Vec<SourceFile>> {
    let context = edition.context;
    let session = context.session();
    let mut listed = None;
    if context.local_folder.is_none() && !days.is_empty() {
        let page = session.page(&context.address(Site::Invoice, DIFFERENCE_PAGE))?;
        listed = Some((nta_invoice::read_differences(&page)?, page));
    }
    let file = context.address(Site::Invoice, DIFFERENCE_FILE);
    let mut files = Vec::new();
    for date in days {
        let address = match &listed {
            Some((numbers, page)) => {
                let number = numbers.get(date);
                let no_row = || page.error(format!("a row of {date}"), "rows of other days");
                file_address(&file, *number.ok_or_else(no_row)?, None)
            }
            None => file.clone(),
        };
        let name = ExpectedName::Exact(INVOICE_DIFFERENCE.of(*date));
        let spec = part_spec(&format!("difference {date}"), name, Request::Get(address));
        files.push(edition.fetch(&session, FileSpec { bytes_max: DIFFERENCE_BYTES_MAX, ..spec })?);
    }
    Ok(files)
}

/// A part of the full file; a difference has another size limit.
fn part_spec(role: &str, name: ExpectedName, request: Request) -> FileSpec {
    FileSpec {
        role: role.to_owned(),
        request,
        name,
        format: FileFormat::ZipOfCsv { member: String::new() },
        is_full: false,
        may_be_unchanged: false,
        bytes_max: PART_BYTES_MAX,
    }
}

/// The address of a file by its number, and for a full file by the kind of issuers.
fn file_address(address: &Address, number: FileNumber, issuers: Option<IssuerKind>) -> Address {
    let number = number.get().to_string();
    let mut query = vec![("dlFilKanriNo", number.as_str())];
    query.extend(issuers.map(|issuers| ("jinkakukbn", issuers.argument())));
    query.push(("type", CSV));
    address.with_query(&query)
}
