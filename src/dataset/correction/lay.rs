//! Lays corrections over the newest version of a dataset.
//!
//! The days are cut where a row begins or ends; within such a span the data are the same every day. The data of a span
//! are compiled once, and kept over reloads while the published file and the rows are the same. For a server, of data whose
//! endpoints answer for any day every span is compiled, of others today's and the next one, so that nothing has to be
//! compiled when the day comes. A command answers once, so only the spans of the days that it needs are compiled.

use std::sync::Arc;

use super::folder::Corrections;
use super::row::{Correction, Rows, Standing, starts};
use crate::compile::CompileError;
use crate::dataset::declaration::Declaration;
use crate::snapshot::{DatasetKind, Edition, Versions};
use crate::text::codes::DataVersion;

/// The corrections that are laid over the newest versions.
#[derive(Debug, Default)]
pub struct LaidCorrections {
    pub by_dataset: Vec<Arc<Laid>>,
    pub today: Option<DataVersion>,
}

/// What the corrections are laid for, so that no more is compiled than that needs.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'e> {
    /// The datasets over which they are laid; others stay as they were published.
    pub kinds: &'e [DatasetKind],
    pub days: Days<'e>,
}

/// The days on which data with corrections have to answer.
#[derive(Debug, Clone, Copy)]
pub enum Days<'e> {
    /// Those of a server: any day if the endpoints of the data take one, else today and the days after it.
    Served,
    /// These only. Without any, it is known what the rows do, and the data answer as they were published.
    Named(&'e [DataVersion]),
}

/// The corrections of a dataset, and what they do to its newest version.
#[derive(Debug)]
pub struct Laid {
    pub kind: DatasetKind,
    /// The version that they are laid over.
    pub version: DataVersion,
    /// As they were read.
    files: Vec<Rows>,
    pub spans: Vec<Span>,
    /// Every row, in the order of the files.
    pub rows: Vec<(Arc<Correction>, Standing)>,
}

/// Days on which the same rows apply: from this one on, until the next span begins.
#[derive(Debug)]
pub struct Span {
    /// `None` for the days before all others.
    pub from: Option<DataVersion>,
    /// The rows that apply and change the data.
    pub rows: Vec<Arc<Correction>>,
}

impl Laid {
    /// The rows that change the data of a day.
    pub fn on(&self, day: DataVersion) -> &[Arc<Correction>] {
        let mut spans = self.spans.iter().rev();
        let span = spans.find(|span| span.from.is_none_or(|from| from <= day));
        span.map_or(&[], |span| &span.rows)
    }

    /// Whether the data of a span have to answer on one of the days. `answers_by_date`: endpoints of the data take a day.
    fn is_needed(
        &self,
        index: usize,
        days: Days<'_>,
        today: DataVersion,
        answers_by_date: bool,
    ) -> bool {
        let from = self.spans[index].from;
        let next = self.spans.get(index + 1).and_then(|next| next.from);
        let has_ended = |day| next.is_some_and(|next| next <= day);
        match days {
            Days::Served => {
                let to_come = self.spans[..=index].iter().filter(|it| it.from > Some(today));
                answers_by_date || !(has_ended(today) || to_come.count() > 1)
            }
            Days::Named(days) => {
                days.iter().any(|day| from.is_none_or(|from| from <= *day) && !has_ended(*day))
            }
        }
    }

    /// The rows that the published data have caught up with.
    pub fn caught_up(&self) -> impl Iterator<Item = &Correction> {
        self.of_standing(|standing| matches!(standing, Standing::CaughtUp { .. }))
    }

    /// The rows that contradict the published data.
    pub fn wrong(&self) -> impl Iterator<Item = &Correction> {
        self.of_standing(|standing| matches!(standing, Standing::Wrong { .. }))
    }

    fn of_standing(&self, is: fn(&Standing) -> bool) -> impl Iterator<Item = &Correction> {
        self.rows.iter().filter(move |(_, standing)| is(standing)).map(|(row, _)| &**row)
    }
}

impl LaidCorrections {
    pub fn of(&self, kind: DatasetKind) -> Option<&Arc<Laid>> {
        self.by_dataset.iter().find(|laid| laid.kind == kind)
    }

    /// The rows that change the newest data of a dataset on a day; by default of today.
    pub fn rows(&self, kind: DatasetKind, day: Option<DataVersion>) -> &[Arc<Correction>] {
        match (self.of(kind), day.or(self.today)) {
            (Some(laid), Some(day)) => laid.on(day),
            _ => &[],
        }
    }
}

/// The versions of a dataset with the corrections laid over the newest one. What was made before stays in use.
pub fn lay<D: Declaration>(
    versions: Versions<D>,
    corrections: &Corrections,
    days: Days<'_>,
    today: DataVersion,
    before: Option<(&Versions<D>, &LaidCorrections)>,
) -> Result<(Versions<D>, Option<Arc<Laid>>), CompileError> {
    let files = corrections.of(D::CORRECTED_FILES);
    let rows: Vec<Arc<Correction>> = files.iter().flat_map(|rows| rows.iter().cloned()).collect();
    let Some(published) = versions.published().filter(|_| !rows.is_empty()).cloned() else {
        return Ok((versions, None));
    };
    let known = before.and_then(|(before, laid)| {
        let laid = laid.of(D::KIND)?;
        let is_same = before.published().is_some_and(|then| Arc::ptr_eq(then, &published))
            && laid.files.len() == files.len()
            && laid.files.iter().zip(&files).all(|(then, now)| Arc::ptr_eq(then, now));
        is_same.then_some((before, laid))
    });
    let laid = match known {
        Some((_, laid)) => Arc::clone(laid),
        None => Arc::new(make::<D>(&published, files, &rows)?),
    };
    let mut editions = Vec::new();
    for (index, span) in laid.spans.iter().enumerate() {
        if !laid.is_needed(index, days, today, D::ANSWERS_BY_DATE) {
            continue;
        }
        let made = known.and_then(|(before, _)| {
            before.editions().iter().find(|edition| edition.from == span.from)
        });
        let data = match made {
            Some(edition) => Arc::clone(&edition.data),
            None if span.rows.is_empty() => Arc::clone(&published),
            None => match published.edited(&span.rows)?.compile {
                Some(compile) => {
                    let data = compile()?;
                    if let Days::Served = days {
                        // So that no request checks it first.
                        data.prepare()?;
                        data.check_search_sections();
                    }
                    Arc::new(data)
                }
                None => Arc::clone(&published),
            },
        };
        editions.push(Edition { from: span.from, data });
    }
    Ok((versions.with_editions(editions, today), Some(laid)))
}

/// What the corrections of a dataset do to its newest version; `None` if there are none, or no version.
pub fn compare<D: Declaration>(
    versions: &Versions<D>,
    corrections: &Corrections,
) -> Result<Option<Laid>, CompileError> {
    let files = corrections.of(D::CORRECTED_FILES);
    let rows: Vec<Arc<Correction>> = files.iter().flat_map(|rows| rows.iter().cloned()).collect();
    match versions.published().filter(|_| !rows.is_empty()) {
        Some(published) => Ok(Some(make::<D>(published, files, &rows)?)),
        None => Ok(None),
    }
}

/// Cuts the days into spans, and finds what each row does.
fn make<D: Declaration>(
    published: &D,
    files: Vec<Rows>,
    rows: &[Arc<Correction>],
) -> Result<Laid, CompileError> {
    let mut standings: Vec<Option<Standing>> = vec![None; rows.len()];
    let mut spans = Vec::new();
    for from in starts(rows.iter().map(Arc::as_ref)) {
        let applies = |index: &usize| rows[*index].period.includes(from);
        let indexes: Vec<usize> = (0..rows.len()).filter(applies).collect();
        let applying: Vec<_> = indexes.iter().map(|index| Arc::clone(&rows[*index])).collect();
        let found = published.edited(&applying)?.standings;
        let mut effective = Vec::new();
        for ((index, row), found) in indexes.into_iter().zip(applying).zip(found) {
            if found == Standing::Needed {
                effective.push(row);
            }
            let standing = &mut standings[index];
            *standing = Some(match standing.take() {
                Some(earlier) => worse(earlier, found),
                None => found,
            });
        }
        spans.push(Span { from, rows: effective });
    }
    let standing = |standing: Option<Standing>| standing.expect("a row applies on some day");
    let rows = rows.iter().cloned().zip(standings.into_iter().map(standing)).collect();
    Ok(Laid { kind: D::KIND, version: published.file().version(), files, spans, rows })
}

/// Of the standings of a row on different days: it is wrong if it is on one, and needed if it is on one.
fn worse(one: Standing, other: Standing) -> Standing {
    match (&one, &other) {
        (Standing::Wrong { .. }, _) => one,
        (_, Standing::Wrong { .. }) => other,
        (Standing::Needed, _) => one,
        _ => other,
    }
}
