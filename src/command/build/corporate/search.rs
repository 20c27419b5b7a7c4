//! The sections of the search: substrings of five fields, the order of names, attributes and postal codes.
//!
//! Corporations that are left out of searches have no text here.

use crate::command::CommandError;
use crate::command::build::unwritten;
use crate::index::attributes::{self, Values};
use crate::index::corporate_texts::{Letters, POST_CODES, TextField};
use crate::index::name_order;
use crate::index::post_codes::PostCodeIndex;
use crate::index::substring;
use crate::record::corporate::{CorporateView, tag};
use crate::snapshot::SnapshotWriter;

/// Appends the sections for so many rows; `view` gives the record of a row.
pub fn append<'s>(
    snapshot: &mut SnapshotWriter,
    rows: u32,
    view: impl Fn(u32) -> CorporateView<'s> + Sync,
) -> Result<(), CommandError> {
    let codes = (0..rows).filter_map(|row| {
        let view = view(row);
        view.post_code().filter(|_| !view.hihyoji()).map(|code| (row, code))
    });
    snapshot.archive(POST_CODES, &PostCodeIndex::build(codes)).map_err(unwritten)?;
    let name = |row| {
        let view = view(row);
        (!view.hihyoji()).then(|| view.name().text)
    };
    let (directory, order) = name_order::build(rows as usize, name);
    snapshot.archive(tag::NAME_DIRECTORY, &directory).map_err(unwritten)?;
    snapshot.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS, order).map_err(unwritten)?;
    let values = |row| {
        let view = view(row);
        (!view.hihyoji()).then(|| Values {
            kind: view.kind(),
            process: view.process(),
            close_cause: view.close_cause().unwrap_or_default(),
        })
    };
    let (attributes, values) = attributes::build((0..rows).map(values));
    snapshot.archive(tag::ATTRIBUTES, &attributes).map_err(unwritten)?;
    snapshot.blocks(tag::VALUES, tag::VALUES_SUMS, values).map_err(unwritten)?;
    let mut letters = Letters::default();
    for field in TextField::ALL {
        let text = |row, out: &mut Vec<char>| letters.of_field(view(row), field, out);
        let (grams, lists) = substring::build(rows, field.threshold(), text)
            .map_err(|fault| CommandError::BadInput(fault.to_string()))?;
        let sections = field.sections();
        snapshot.archive(sections.grams, &grams).map_err(unwritten)?;
        snapshot.blocks(sections.lists, sections.sums, lists).map_err(unwritten)?;
    }
    Ok(())
}
