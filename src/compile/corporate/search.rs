//! The sections of the search (n-grams of five fields, the order of names, attributes, postal codes) and of suggestions
//! (the order of readings, the prominence of each name).
//!
//! Corporations hidden from searches (検索対象除外) have no entry here.

use std::num::NonZero;
use std::thread;

use super::records::Records;
use super::rows::Previous;
use super::texts;
use crate::compile::error::CompileError;
use crate::index::attributes::{self, Values};
use crate::index::corporate_texts::{POST_CODES, TextField};
use crate::index::name_order::{self, Family};
use crate::index::post_codes::PostCodeIndex;
use crate::index::reading_order::ReadingRows;
use crate::index::{prominence, suggested_names};
use crate::record::corporate::{CorporateView, tag};
use crate::snapshot::SnapshotFileWriter;

/// The number of sections.
pub const SECTIONS: usize = 1 + 3 + 3 + 3 + 3 * TextField::ALL.len();

/// Appends the sections. Each is in the file before the next is made, except those of texts.
pub fn append(
    snapshot: &mut SnapshotFileWriter,
    records: &Records,
    previous: Option<&Previous<'_>>,
) -> Result<(), CompileError> {
    let facts = facts(records);
    let shown = || (0..).zip(&facts).filter_map(|(row, fact)| Some((row, fact.as_ref()?)));
    let codes = shown().filter_map(|(row, fact)| fact.post_code.map(|code| (row, code)));
    snapshot.archive(POST_CODES, &PostCodeIndex::build(codes))?;
    let names = names(records, previous);
    snapshot.archive(tag::NAME_DIRECTORY, &names.directory)?;
    snapshot.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS, &names.bytes)?;
    drop((names.directory, names.bytes));
    append_suggested(snapshot, records, previous, &facts, names.families)?;
    let values = facts.iter().map(|fact| fact.as_ref().map(|fact| fact.values));
    let (attributes, values) = attributes::build(values);
    drop(facts);
    snapshot.archive(tag::ATTRIBUTES, &attributes)?;
    snapshot.blocks(tag::VALUES, tag::VALUES_SUMS, &values)?;
    for (field, made) in TextField::ALL.into_iter().zip(texts::make(records, previous)?) {
        let sections = field.sections();
        snapshot.archive(sections.grams, &made.0)?;
        snapshot.blocks(sections.lists, sections.sums, &made.1)?;
    }
    Ok(())
}

/// The order of names: renewed from that of the previous version if most rows are kept, else built from all names. Both
/// ways give the same bytes.
fn names(records: &Records, previous: Option<&Previous<'_>>) -> name_order::Built {
    fn name(view: CorporateView<'_>) -> Option<&str> {
        (!view.hihyoji()).then(|| view.name().text)
    }
    // If it cannot be renewed, build it: the previous one may come from another release of the program.
    if let Some(previous) = previous
        && let Ok(order) = previous.data.name_order()
        && let Ok(renewed) =
            name_order::renew(order, &previous.order, |row| name(records.view_at_random(row)))
    {
        return renewed;
    }
    name_order::build(records.rows() as usize, |row| name(records.view(row)))
}

/// The order of readings, in the same way.
fn readings(records: &Records, previous: Option<&Previous<'_>>) -> ReadingRows {
    fn reading(view: CorporateView<'_>) -> Option<String> {
        (!view.hihyoji()).then(|| view.furigana().to_string())
    }
    if let Some(previous) = previous
        && let Ok(order) = previous.data.reading_order()
        && let Ok(renewed) =
            ReadingRows::renew(order, &previous.order, |row| reading(records.view_at_random(row)))
    {
        return renewed;
    }
    ReadingRows::build(records.rows(), |row| reading(records.view(row)))
}

/// The values of a row that small indexes need.
struct Fact {
    values: Values,
    post_code: Option<u32>,
    is_closed: bool,
    has_english_name: bool,
}

impl Fact {
    /// The facts of a record; `None` if it is hidden.
    fn of(view: CorporateView<'_>) -> Option<Fact> {
        let values = Values {
            kind: view.kind(),
            process: view.process(),
            close_cause: view.close_cause().unwrap_or_default(),
        };
        let has_english_name = !view.en_name().text.is_empty();
        let (post_code, is_closed) = (view.post_code(), view.is_closed());
        (!view.hihyoji()).then_some(Fact { values, post_code, is_closed, has_english_name })
    }
}

/// The facts of every row, from one pass over the records.
fn facts(records: &Records) -> Vec<Option<Fact>> {
    let rows = records.rows() as usize;
    let mut facts: Vec<Option<Fact>> = Vec::new();
    facts.resize_with(rows, || None);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let size = rows.div_ceil(threads).max(1);
    thread::scope(|scope| {
        for (first, share) in (0..rows).step_by(size).zip(facts.chunks_mut(size)) {
            scope.spawn(move || {
                for (row, fact) in (first as u32..).zip(share) {
                    *fact = Fact::of(records.view(row));
                }
            });
        }
    });
    facts
}

/// Appends the sections of suggestions: the prominence of names, and the order of readings.
fn append_suggested(
    snapshot: &mut SnapshotFileWriter,
    records: &Records,
    previous: Option<&Previous<'_>>,
    facts: &[Option<Fact>],
    names: Vec<(u32, Family)>,
) -> Result<(), CompileError> {
    let mut of_rows = vec![prominence::CLOSED; facts.len()];
    for (row, family) in &names {
        let fact = facts[*row as usize].as_ref().filter(|fact| !fact.is_closed);
        if let Some(Fact { has_english_name, .. }) = fact {
            of_rows[*row as usize] = prominence::weight(*family, *has_english_name);
        }
    }
    let weight = |row: u32| of_rows[row as usize];
    let of_names = names.iter().map(|(row, _)| weight(*row)).collect();
    drop(names);
    let (directory, bytes) = suggested_names::build(of_names, readings(records, previous), weight);
    snapshot.archive(tag::SUGGESTED_DIRECTORY, &directory)?;
    snapshot.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS, &bytes)?;
    Ok(())
}
