//! `/dashboard/data`, the operator's: the versions served, the files refused, and the button that reloads.
//!
//! Counting records loads a version into memory: without `?all=1` only the newest few of each dataset are counted.

use std::sync::Arc;

use crate::dashboard::prelude::*;
use crate::query::{BankData, CorporateData, InvoiceData, PostalData, SchoolData};
use crate::snapshot::{Dataset, OpenError, Versions};
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
    let body = html! {
        form.bar method="post" action=(paths::DATA) {
            (request.form_token())
            button { (words.reload) }
            span.hint { (words.reload_hint) }
        }
        @if let Some(old) = &served.old_postal {
            p.bad role="status" {
                (fill(words.postal_data_old, [old.version.to_string(), grouped(old.days.into())])) " "
                code { "daicho update" }
            }
        }
        (dataset(words, words.postal_codes, words.records, catalog.postal(), postal, all))
        (dataset(words, words.banks, words.branches, catalog.bank(), bank, all))
        (dataset(words, words.corporations, words.records, catalog.corporate(), corporate, all))
        (dataset(words, words.invoice_issuers, words.records, catalog.invoice(), invoice, all))
        (dataset(words, words.schools, words.records, catalog.school(), school, all))
    };
    Page { title: words.data, about: None, notice, body }.reply(request)
}

fn dataset<D: Dataset>(
    words: &Words,
    title: &str,
    counted: &str,
    versions: &Versions<D>,
    count: Count<D>,
    all: bool,
) -> Markup {
    let refused: Vec<&OpenError> = versions.refused().collect();
    html! {
        section {
            h2 { (title) }
            @if versions.is_empty() {
                p { (words.no_versions) " " code { "daicho build " (D::KIND.name()) } }
            } @else {
                (version_table(words, counted, versions, count, all))
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
    words: &Words,
    counted: &str,
    versions: &Versions<D>,
    count: Count<D>,
    all: bool,
) -> Markup {
    let headings = [words.version, counted, words.size, words.file_modified];
    let rows = html! {
        @for (at, (version, data)) in versions.iter().rev().enumerate() {
            tr {
                td {
                    (version)
                    @if at == 0 { " " span.badge { (words.latest) } }
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
