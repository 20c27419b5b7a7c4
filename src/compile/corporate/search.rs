//! The sections of the search and of suggestions: substrings of five fields, the order of names, attributes and postal
//! codes; the order of readings, and how likely each name is meant.
//!
//! Corporations hidden from searches (検索対象除外) have no entry here.

use std::thread;

use crate::compile::error::CompileError;
use crate::index::attributes::{self, Values};
use crate::index::corporate_texts::{Letters, POST_CODES, TextField};
use crate::index::grams::{self, Dictionary, Listing};
use crate::index::name_order::{self, Family};
use crate::index::post_codes::PostCodeIndex;
use crate::index::reading_order::ReadingRows;
use crate::index::{prominence, suggested_names};
use crate::record::corporate::{CorporateView, tag};
use crate::snapshot::SnapshotWriter;

/// Appends the sections for so many rows; `view` gives the record of a row.
pub fn append<'s>(
    snapshot: &mut SnapshotWriter,
    rows: u32,
    view: impl Fn(u32) -> CorporateView<'s> + Sync,
) -> Result<(), CompileError> {
    let codes = (0..rows).filter_map(|row| {
        let view = view(row);
        view.post_code().filter(|_| !view.hihyoji()).map(|code| (row, code))
    });
    snapshot.archive(POST_CODES, &PostCodeIndex::build(codes))?;
    let name = |row| {
        let view = view(row);
        (!view.hihyoji()).then(|| view.name().text)
    };
    let names = name_order::build(rows as usize, name);
    snapshot.archive(tag::NAME_DIRECTORY, &names.directory)?;
    snapshot.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS, names.bytes)?;
    append_suggested(snapshot, rows, names.families, &view)?;
    let values = |row| {
        let view = view(row);
        (!view.hihyoji()).then(|| Values {
            kind: view.kind(),
            process: view.process(),
            close_cause: view.close_cause().unwrap_or_default(),
        })
    };
    let (attributes, values) = attributes::build((0..rows).map(values));
    snapshot.archive(tag::ATTRIBUTES, &attributes)?;
    snapshot.blocks(tag::VALUES, tag::VALUES_SUMS, values)?;
    for (field, made) in TextField::ALL.into_iter().zip(texts(rows, &view)?) {
        let sections = field.sections();
        snapshot.archive(sections.grams, &made.0)?;
        snapshot.blocks(sections.lists, sections.sums, made.1)?;
    }
    Ok(())
}

/// Appends what suggestions read: how likely each name is meant, and the order of readings.
fn append_suggested<'s>(
    snapshot: &mut SnapshotWriter,
    rows: u32,
    names: Vec<(u32, Family)>,
    view: &(impl Fn(u32) -> CorporateView<'s> + Sync),
) -> Result<(), CompileError> {
    let mut of_rows = vec![prominence::CLOSED; rows as usize];
    for (row, family) in &names {
        let view = view(*row);
        if !view.is_closed() {
            let has_english_name = !view.en_name().text.is_empty();
            of_rows[*row as usize] = prominence::weight(*family, has_english_name);
        }
    }
    let weight = |row: u32| of_rows[row as usize];
    let of_names = names.iter().map(|(row, _)| weight(*row)).collect();
    let readings = ReadingRows::build(rows, |row| {
        let view = view(row);
        (!view.hihyoji()).then(|| view.furigana().to_string())
    });
    let (directory, bytes) = suggested_names::build(of_names, readings, weight);
    snapshot.archive(tag::SUGGESTED_DIRECTORY, &directory)?;
    snapshot.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS, bytes)?;
    Ok(())
}

type Made = (Dictionary, Vec<u8>);

/// The fields of each of two threads, about equal in time; more threads need more memory than allowed.
const SHARES: [&[TextField]; 2] = [
    &[TextField::StreetNumber, TextField::EnName],
    &[TextField::Name, TextField::Furigana, TextField::AddressOutside],
];

fn texts<'s>(
    rows: u32,
    view: &(impl Fn(u32) -> CorporateView<'s> + Sync),
) -> Result<Vec<Made>, CompileError> {
    let make = |field: TextField| {
        let mut letters = Letters::default();
        let text = |row, out: &mut Vec<char>| letters.of_field(view(row), field, out);
        let listing = Listing::Rows { threshold: field.threshold() };
        let made = grams::build(rows, listing, text);
        made.map_err(|fault| CompileError::Index(fault.to_string()))
    };
    let mut made: Vec<(TextField, Made)> = thread::scope(|scope| {
        let share = |fields: &'static [TextField]| {
            scope.spawn(move || {
                fields
                    .iter()
                    .map(|field| Ok((*field, make(*field)?)))
                    .collect::<Result<Vec<_>, _>>()
            })
        };
        let shares = SHARES.map(share);
        let join = |share: thread::ScopedJoinHandle<'_, _>| {
            share.join().expect("a share of fields is indexed without panic")
        };
        shares.into_iter().map(join).collect::<Result<Vec<Vec<_>>, CompileError>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    made.sort_by_key(|(field, _)| *field as usize);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}
