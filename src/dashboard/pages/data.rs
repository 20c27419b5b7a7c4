//! `/dashboard/data`, for the operator: the served versions, the refused files, and the button that reloads.
//!
//! Counting the records of a version loads it into memory. So without `?all=1` only the newest few versions of each
//! dataset are counted.

use jiff::Timestamp;

use crate::api::age::{days, days_if_old};
use crate::calendar::day_in_japan;
use crate::dashboard::prelude::*;
use crate::dataset::AnyVersions;
use crate::dataset::correction::{Correction, Laid};
use crate::dataset::postal::PostalData;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;

/// How many versions of each dataset have their records counted by default.
const COUNTED_VERSIONS: usize = 4;

pub fn reload(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    request.dashboard.reload.notify_one();
    Ok(Notice::done(request.words.reload_started))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let served = request.dashboard.parts.api.data.load();
    let catalog = &served.catalog;
    let counts_all = request.query.get("all") == "1";
    let today = day_in_japan(request.now);
    let section = |versions: &dyn AnyVersions| {
        let mut age = age(versions, today);
        if let Some(age) = age.as_mut().filter(|_| versions.facts().kind == PostalData::KIND) {
            // The operator sets the age from which postal data are old.
            age.is_old = served.old.iter().any(|old| old.kind == PostalData::KIND);
        }
        let laid = catalog.laid.of(versions.facts().kind).map(|laid| &**laid);
        DatasetSection { words, versions, age, counts_all, laid, today }.markup()
    };
    let body = html! {
        form.bar method="post" action=(layout::DATA) {
            (request.token_field())
            button { (words.reload) }
            span.hint { (words.reload_hint) }
        }
        @if let Some(refused) = &served.corrections.refused {
            p.bad role="status" { (words.corrections_refused) " " span { (words.reason(refused)) } }
        }
        @for versions in catalog.datasets() { (section(versions)) }
    };
    Page { title: words.data, account: None, notice, body }.reply(request)
}

struct DatasetSection<'p> {
    words: &'p Words,
    versions: &'p dyn AnyVersions,
    age: Option<Age>,
    counts_all: bool,
    /// The operator's corrections, if there are any.
    laid: Option<&'p Laid>,
    today: Option<DataVersion>,
}

/// The age of the newest version of a dataset.
#[derive(Clone, Copy)]
struct Age {
    days: u32,
    /// Whether the source usually publishes newer data within this time.
    is_old: bool,
}

/// `None` if there is no version, or if its date is in the future.
fn age(versions: &dyn AnyVersions, today: Option<DataVersion>) -> Option<Age> {
    let (version, today) = (versions.newest()?.version(), today?);
    let is_old = days_if_old(&versions.facts(), version, today).is_some();
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
    fn markup(&self) -> Markup {
        let DatasetSection { words, versions, age, counts_all, .. } = *self;
        let (facts, refused) = (versions.facts(), versions.refused());
        let update = html! { code { "daicho update " (facts.kind.name()) } };
        html! {
            section {
                h2 { (words.text(facts.title)) }
                @if versions.newest().is_none() {
                    p { (words.no_versions) " " (update) }
                } @else {
                    @if age.is_some_and(|age| age.is_old) {
                        p.bad role="status" { (words.update_with) " " (update) }
                    }
                    @if versions.newest().is_some_and(|newest| newest.is_sample()) {
                        p.bad role="status" { (words.sample_data) }
                    }
                    @if let Some(laid) = self.laid { (self.corrections(laid)) }
                    (self.version_table())
                    @if versions.files().len() > COUNTED_VERSIONS && !counts_all {
                        p { a href={ (layout::DATA) "?all=1" } { (words.count_all) } }
                    }
                }
                @if !refused.is_empty() {
                    h3.bad { (words.refused_files) }
                    ul {
                        @for error in refused { li { (words.reason(error)) } }
                    }
                }
            }
        }
    }

    /// How many corrections are laid over the newest version, and which of them have no effect.
    fn corrections(&self, laid: &Laid) -> Markup {
        let words = self.words;
        let in_effect = self.today.map_or(0, |today| laid.on(today).len());
        let list = |title: &str, rows: Vec<&Correction>| {
            html! {
                @if !rows.is_empty() {
                    p { (title) }
                    ul { @for row in rows { li { (row.place()) ": " (row.record()) } } }
                }
            }
        };
        html! {
            p {
                (count(words.corrections_laid, laid.rows.len() as u64)) " "
                (count(words.corrections_in_effect, in_effect as u64))
            }
            (list(words.corrections_caught_up, laid.caught_up().collect()))
            (list(words.corrections_wrong, laid.wrong().collect()))
        }
    }

    fn version_table(&self) -> Markup {
        let DatasetSection { words, versions, age, counts_all, .. } = *self;
        let records_name = words.text(versions.facts().records);
        let headings = [words.version, records_name, words.size, words.file_modified];
        let rows = html! {
            @for (index, file) in versions.files().into_iter().rev().enumerate() {
                @let is_counted = index < COUNTED_VERSIONS || counts_all;
                tr {
                    td {
                        (file.version())
                        @if index == 0 { " " (age_badge(words, age)) }
                    }
                    td.number {
                        @match is_counted.then(|| versions.count_records(file.version())).flatten() {
                            Some(Ok(records)) => (grouped(records as u64)),
                            Some(Err(_)) => { span.bad { (words.damaged) } },
                            None => (NO_VALUE),
                        }
                    }
                    td.number { (format_megabytes(file.length())) }
                    td { (modified(file.path()).unwrap_or_else(|| NO_VALUE.to_owned())) }
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
