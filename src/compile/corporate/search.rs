//! The sections of the search: substrings of five fields, the order of names, attributes and postal codes.
//!
//! Corporations hidden from searches (検索対象除外) have no entry here.

use std::thread;

use crate::compile::error::CompileError;
use crate::index::attributes::{self, Values};
use crate::index::corporate_texts::{Letters, POST_CODES, TextField};
use crate::index::grams::{self, Dictionary, Listing};
use crate::index::{name_order, post_codes::PostCodeIndex};
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
    let (directory, order) = name_order::build(rows as usize, name);
    snapshot.archive(tag::NAME_DIRECTORY, &directory)?;
    snapshot.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS, order)?;
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
