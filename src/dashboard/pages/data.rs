//! `/dashboard/data`, the operator's: the versions served, the files refused, and the button that reloads.
//!
//! Counting records loads a version into memory: without `?all=1` only the newest few of each dataset are counted.

use std::sync::Arc;

use crate::api::age::{days, days_if_old};
use crate::calendar::day_in_japan;
use crate::dashboard::prelude::*;
use crate::query::{BankData, CorporateData, InvoiceData, PostalData, SchoolData};
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::DataVersion;
use jiff::Timestamp;

/// Versions of each dataset that are counted by default.
const COUNTED: usize = 4;

/// Counts the records of a version; reading them may reveal damage.
type Count<D> = fn(&D) -> Result<usize, Arc<OpenError>>;

pub fn reload(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    request.dashboard.reload.notify_one();
    Ok(Notice::done(request.words.reload_asked))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let served = request.dashboard.api.data.load();
    let catalog = &served.catalog;
    let all = request.query.get("all") == "1";
    let postal: Count<PostalData> = |data| Ok(data.records()?.len());
    let bank: Count<BankData> = |data| Ok(data.counts()?.branches);
    let corporate: Count<CorporateData> = |data| Ok(data.counts()?.corporations);
    let invoice: Count<InvoiceData> = |data| {
        let counts = data.counts()?;
        Ok(counts.others + counts.individuals)
    };
    let school: Count<SchoolData> = |data| Ok(data.counts()?.schools);
    let shown = |title, counted| Shown { words, title, counted, all };
    let today = day_in_japan(request.now);
    // The operator sets the age from which postal data are old.
    let is_old = served.old_postal.is_some();
    let postal_age = age(catalog.postal(), today).map(|age| Age { is_old, ..age });
    let body = html! {
        form.bar method="post" action=(paths::DATA) {
            (request.form_token())
            button { (words.reload) }
            span.hint { (words.reload_hint) }
        }
        (dataset(&shown(words.postal_codes, words.records), catalog.postal(), postal_age, postal))
        (dataset(&shown(words.banks, words.branches), catalog.bank(), age(catalog.bank(), today), bank))
        (dataset(&shown(words.corporations, words.records), catalog.corporate(), age(catalog.corporate(), today), corporate))
        (dataset(&shown(words.invoice_issuers, words.records), catalog.invoice(), age(catalog.invoice(), today), invoice))
        (dataset(&shown(words.schools, words.records), catalog.school(), age(catalog.school(), today), school))
    };
    Page { title: words.data, about: None, notice, body }.reply(request)
}

/// Display settings of a dataset.
struct Shown<'w> {
    words: &'w Words,
    title: &'w str,
    /// The name of its records.
    counted: &'w str,
    /// Whether all versions are counted.
    all: bool,
}

/// Age of the newest version of a dataset.
#[derive(Clone, Copy)]
struct Age {
    days: u32,
    /// Whether it exceeds the source's usual interval.
    is_old: bool,
}

/// `None` without a version, and for a version in the future.
fn age<D: Dataset>(versions: &Versions<D>, today: Option<DataVersion>) -> Option<Age> {
    let (version, today) = (versions.latest()?.file().version(), today?);
    let is_old = days_if_old(D::KIND, version, today).is_some();
    Some(Age { days: days(version, today)?, is_old })
}

fn age_badge(words: &Words, age: Option<Age>) -> Markup {
    let text = |days: u32| match days {
        0 => words.of_today.to_owned(),
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

fn dataset<D: Dataset>(
    shown: &Shown<'_>,
    versions: &Versions<D>,
    age: Option<Age>,
    count: Count<D>,
) -> Markup {
    let Shown { words, title, all, .. } = *shown;
    let refused: Vec<&OpenError> = versions.refused().collect();
    html! {
        section {
            h2 { (title) }
            @if versions.is_empty() {
                p { (words.no_versions) " " code { "daicho update " (D::KIND.name()) } }
            } @else {
                @if age.is_some_and(|age| age.is_old) {
                    p.bad role="status" {
                        (words.update_with) " " code { "daicho update " (D::KIND.name()) }
                    }
                }
                (version_table(shown, versions, age, count))
                @if versions.len() > COUNTED && !all {
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
    shown: &Shown<'_>,
    versions: &Versions<D>,
    age: Option<Age>,
    count: Count<D>,
) -> Markup {
    let Shown { words, counted, all, .. } = *shown;
    let headings = [words.version, counted, words.size, words.file_modified];
    let rows = html! {
        @for (at, (version, data)) in versions.iter().rev().enumerate() {
            tr {
                td {
                    (version)
                    @if at == 0 { " " (age_badge(words, age)) }
                }
                td.number {
                    @match (at < COUNTED || all).then(|| count(data)) {
                        Some(Ok(records)) => (grouped(records as u64)),
                        Some(Err(_)) => { span.bad { (words.damaged) } },
                        None => (NOTHING),
                    }
                }
                td.number { (megabytes(data.file().length())) }
                td { (modified(data.file().path()).unwrap_or_else(|| NOTHING.to_owned())) }
            }
        }
    };
    table(Some("lines"), &headings, &[1, 2], &rows)
}

fn modified(path: &std::path::Path) -> Option<String> {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()?;
    Some(minute(Timestamp::try_from(modified).ok()?))
}
