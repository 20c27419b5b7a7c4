//! `/dashboard/data`, the operator's: the versions served, the files refused, and the button that reloads.
//!
//! Counting records loads a version into memory: without `?all=1` only the newest few of each dataset are counted.

use std::sync::Arc;

use crate::api::age::days_if_old;
use crate::calendar::day_in_japan;
use crate::dashboard::prelude::*;
use crate::query::{BankData, CorporateData, InvoiceData, PostalData, SchoolData};
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::DataVersion;
use jiff::Timestamp;

/// Versions of each dataset that are counted without being asked for.
const COUNTED: usize = 4;

/// How many records a version has; reading them may find it damaged.
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
    // The operator says from when on postal data are old.
    let old_postal = served.old_postal.as_ref().map(|old| old.days);
    let today = day_in_japan(request.now);
    let body = html! {
        form.bar method="post" action=(paths::DATA) {
            (request.form_token())
            button { (words.reload) }
            span.hint { (words.reload_hint) }
        }
        (dataset(&shown(words.postal_codes, words.records), catalog.postal(), old_postal, postal))
        (dataset(&shown(words.banks, words.branches), catalog.bank(), old(catalog.bank(), today), bank))
        (dataset(&shown(words.corporations, words.records), catalog.corporate(), old(catalog.corporate(), today), corporate))
        (dataset(&shown(words.invoice_issuers, words.records), catalog.invoice(), old(catalog.invoice(), today), invoice))
        (dataset(&shown(words.schools, words.records), catalog.school(), old(catalog.school(), today), school))
    };
    Page { title: words.data, about: None, notice, body }.reply(request)
}

/// What a dataset is shown with.
struct Shown<'w> {
    words: &'w Words,
    title: &'w str,
    /// The name of what its records are.
    counted: &'w str,
    /// Whether all versions are counted.
    all: bool,
}

/// The age in days of the newest version, where it is above what the source's rhythm explains.
fn old<D: Dataset>(versions: &Versions<D>, today: Option<DataVersion>) -> Option<u32> {
    days_if_old(D::KIND, versions.latest()?.file().version(), today?)
}

fn dataset<D: Dataset>(
    shown: &Shown<'_>,
    versions: &Versions<D>,
    old: Option<u32>,
    count: Count<D>,
) -> Markup {
    let Shown { words, title, all, .. } = *shown;
    let refused: Vec<&OpenError> = versions.refused().collect();
    html! {
        section {
            h2 { (title) }
            @if versions.is_empty() {
                p { (words.no_versions) " " code { "daicho build " (D::KIND.name()) } }
            } @else {
                @if old.is_some() {
                    p.bad role="status" {
                        (words.update_with) " " code { "daicho update " (D::KIND.name()) }
                    }
                }
                (version_table(shown, versions, old, count))
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
    old: Option<u32>,
    count: Count<D>,
) -> Markup {
    let Shown { words, counted, all, .. } = *shown;
    let headings = [words.version, counted, words.size, words.file_modified];
    let rows = html! {
        @for (at, (version, data)) in versions.iter().rev().enumerate() {
            tr {
                td {
                    (version)
                    @if at == 0 {
                        " "
                        @match old {
                            Some(days) => {
                                span.badge.fault { (fill(words.days_old, [grouped(days.into())])) }
                            },
                            None => { span.badge { (words.latest) } },
                        }
                    }
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
