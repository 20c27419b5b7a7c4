//! Makes the order of a table from that of the previous table: reads the kept rows in their previous order and inserts
//! the added rows.
//!
//! The result has the same bytes as an order that is built from all names, unless the rules of folding or splitting names
//! have changed since.

use std::borrow::Cow;

use super::build::{BuiltOrder, assemble};
use super::groups::PlacedRow;
use super::{BodySplitter, HIDDEN, NameOrder, ShortenedName};
use crate::index::renumbering::{Renumbering, RowRun};
use crate::record::corporate::tag;
use crate::snapshot::Fault;

/// An added row. Sorts like a place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AddedRow {
    body: String,
    row: u32,
    form: u8,
}

impl AddedRow {
    fn placed(&self) -> PlacedRow {
        PlacedRow { row: self.row, form: self.form }
    }
}

/// Makes the order; `name` gives the name of an added row, `None` if it is hidden.
pub fn renew<'a>(
    earlier: NameOrder<'_>,
    rows: &Renumbering,
    name: impl Fn(u32) -> Option<&'a str>,
) -> Result<BuiltOrder, Fault> {
    if earlier.rows != rows.earlier_rows() as usize {
        return Err(malformed(format!("an order of {} rows", rows.earlier_rows())));
    }
    let renumbered = earlier.directory.shortened.iter().filter_map(|it| {
        let row = rows.row(it.row.to_native())?;
        Some(ShortenedName { letters: it.letters.to_native(), row })
    });
    let mut shortened: Vec<ShortenedName> = renumbered.collect();
    let mut splitter = BodySplitter::default();
    let (mut added, mut added_forms) = (Vec::new(), Vec::new());
    for row in rows.added() {
        let split = name(*row).map(|name| splitter.split(name)).map(|(body, form)| {
            let (body, form) = (body.to_owned(), form.number());
            AddedRow { body, row: *row, form }
        });
        added_forms.push(split.as_ref().map_or(HIDDEN, |added| added.form));
        if let Some(split) = split {
            shortened.extend(splitter.shortened(*row));
            added.push(split);
        }
    }
    added.sort_unstable();
    let mut forms = Vec::with_capacity(rows.rows() as usize);
    for run in rows.runs(0..rows.rows()) {
        match run {
            RowRun::Added(index) => forms.push(added_forms[index]),
            RowRun::Kept(kept) => {
                let end = kept.earlier_row + kept.rows;
                let earlier_forms = earlier.forms(kept.earlier_row as usize..end as usize)?;
                forms.extend_from_slice(earlier_forms);
            }
        }
    }
    assemble(forms, shortened, &|each: &mut dyn FnMut(PlacedRow, &[u8])| {
        visit_merged(earlier, rows, &added, each)
    })
}

/// Calls `each` with every place of the new order, and the body at it.
fn visit_merged(
    earlier: NameOrder<'_>,
    rows: &Renumbering,
    added: &[AddedRow],
    each: &mut dyn FnMut(PlacedRow, &[u8]),
) -> Result<(), Fault> {
    let mut added = added.iter().peekable();
    for number in 0..earlier.directory.starts.len() {
        let group = earlier.group(number)?;
        let mut bodies = group.bodies();
        for placed in group.placed_rows(0..earlier.place_count(number)) {
            let body = bodies.next().ok_or_else(|| malformed("a name at each place"))?;
            let Some(row) = rows.row(placed.row) else { continue };
            while let Some(it) = added.next_if(|it| (it.body.as_bytes(), it.row) < (body, row)) {
                each(it.placed(), it.body.as_bytes());
            }
            each(PlacedRow { row, ..placed }, body);
        }
    }
    added.for_each(|it| each(it.placed(), it.body.as_bytes()));
    Ok(())
}

fn malformed(expected: impl Into<Cow<'static, str>>) -> Fault {
    let cause = format!("expected {}, found other bytes", expected.into());
    Fault::Malformed { section: tag::NAME_ORDER, cause }
}
