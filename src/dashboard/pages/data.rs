//! `/dashboard/data`, for the operator: the served versions, the refused files, and the button that reloads.
//!
//! Counting the records of a version loads it into memory. So without `?all=1` only the newest few versions of each
//! dataset are counted.

use std::sync::Arc;

use crate::api::age::{days, days_if_old};
use crate::calendar::day_in_japan;
use crate::dashboard::prelude::*;
use crate::dataset::bank::BankData;
use crate::dataset::corporate::CorporateData;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::postal::PostalData;
use crate::dataset::school::SchoolData;
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::DataVersion;
use jiff::Timestamp;

/// How many versions of each dataset have their records counted by default.
const COUNTED_VERSIONS: usize = 4;

/// Counts the records of a version. Fails if it is damaged.
type CountRecords<D> = fn(&D) -> Result<usize, Arc<OpenError>>;

pub fn reload(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    request.dashboard.reload.notify_one();
    Ok(Notice::done(request.words.reload_started))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let served = request.dashboard.parts.api.data.load();
    let catalog = &served.catalog;
    let counts_all = request.query.get("all") == "1";
    let postal: CountRecords<PostalData> = |data| Ok(data.records()?.len());
    let bank: CountRecords<BankData> = |data| Ok(data.counts()?.branches);
    let corporate: CountRecords<CorporateData> = |data| Ok(data.counts()?.corporations);
    let invoice: CountRecords<InvoiceData> = |data| {
        let counts = data.counts()?;
        Ok(counts.others + counts.individuals)
    };
    let school: CountRecords<SchoolData> = |data| Ok(data.counts()?.schools);
    let section = |title, records_name| DatasetSection { words, title, records_name, counts_all };
    let today = day_in_japan(request.now);
    // The operator sets the age from which postal data are old.
    let is_old = served.old_postal.is_some();
    let postal_age = age(catalog.postal(), today).map(|age| Age { is_old, ..age });
    let body = html! {
        form.bar method="post" action=(paths::DATA) {
            (request.token_field())
            button { (words.reload) }
            span.hint { (words.reload_hint) }
        }
        (section(words.postal_codes, words.records).markup(catalog.postal(), postal_age, postal))
        (section(words.banks, words.branches)
            .markup(catalog.bank(), age(catalog.bank(), today), bank))
        (section(words.corporations, words.records)
            .markup(catalog.corporate(), age(catalog.corporate(), today), corporate))
        (section(words.invoice_issuers, words.records)
            .markup(catalog.invoice(), age(catalog.invoice(), today), invoice))
        (section(words.schools, words.records)
            .markup(catalog.school(), age(catalog.school(), today), school))
    };
    Page { title: words.data, account: None, notice, body }.reply(request)
}

struct DatasetSection<'w> {
    words: &'w Words,
    title: &'w str,
    records_name: &'w str,
    counts_all: bool,
}

/// The age of the newest version of a dataset.
#[derive(Clone, Copy)]
struct Age {
    days: u32,
    /// Whether the source usually publishes newer data within this time.
    is_old: bool,
}

/// `None` if there is no version, or if its date is in the future.
fn age<D: Dataset>(versions: &Versions<D>, today: Option<DataVersion>) -> Option<Age> {
    let (version, today) = (versions.latest()?.file().version(), today?);
    let is_old = days_if_old(D::KIND, version, today).is_some();
    Some(Age { days: days(version, today)?, is_old })
}

fn age_badge(words: &Words, age: Option<Age>) -> Markup {
    let text = |days: u32| match days {
        0 => words.from_today.to_owned(),
        days => count(words.days_old, days.into()),
    };
    html! {
        @match age {
            Some(Age { days, is_old: true }) => { span.badge.fault { (text(days)) } },
            Some(Age { days, is_old: false }) => {
                span.badge { (words.latest) } " " span.hint { (text(days)) }
            },
            None => { span.badge { (words.latest) } },
        }
    }
}

impl DatasetSection<'_> {
    fn markup<D: Dataset>(
        &self,
        versions: &Versions<D>,
        age: Option<Age>,
        count: CountRecords<D>,
    ) -> Markup {
        let words = self.words;
        let refused: Vec<&OpenError> = versions.refused().collect();
        html! {
            section {
                h2 { (self.title) }
                @if versions.is_empty() {
                    p { (words.no_versions) " " code { "daicho update " (D::KIND.name()) } }
                } @else {
                    @if age.is_some_and(|age| age.is_old) {
                        p.bad role="status" {
                            (words.update_with) " " code { "daicho update " (D::KIND.name()) }
                        }
                    }
                    (self.version_table(versions, age, count))
                    @if versions.len() > COUNTED_VERSIONS && !self.counts_all {
                        p { a href={ (paths::DATA) "?all=1" } { (words.count_all) } }
                    }
                }
                @if !refused.is_empty() {
                    h3.bad { (words.refused_files) }
                    ul lang="en" {
                        @for error in refused { li { (error) } }
                    }
                }
            }
        }
    }

    fn version_table<D: Dataset>(
        &self,
        versions: &Versions<D>,
        age: Option<Age>,
        count: CountRecords<D>,
    ) -> Markup {
        let words = self.words;
        let headings = [words.version, self.records_name, words.size, words.file_modified];
        let rows = html! {
            @for (index, (version, data)) in versions.iter().rev().enumerate() {
                tr {
                    td {
                        (version)
                        @if index == 0 { " " (age_badge(words, age)) }
                    }
                    td.number {
                        @match (index < COUNTED_VERSIONS || self.counts_all).then(|| count(data)) {
                            Some(Ok(records)) => (grouped(records as u64)),
                            Some(Err(_)) => { span.bad { (words.damaged) } },
                            None => (NO_VALUE),
                        }
                    }
                    td.number { (format_megabytes(data.file().length())) }
                    td { (modified(data.file().path()).unwrap_or_else(|| NO_VALUE.to_owned())) }
                }
            }
        };
        table(Some("lines"), &headings, &[1, 2], &rows)
    }
}

fn modified(path: &std::path::Path) -> Option<String> {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()?;
    Some(format_minute(Timestamp::try_from(modified).ok()?))
}
