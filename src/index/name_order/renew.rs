//! Makes the order of a table from that of the previous table: reads the kept rows in their previous order and inserts
//! the added rows.
//!
//! The result has the same bytes as an order that is built from all names, unless the rules of folding or splitting names
//! have changed since.

use std::borrow::Cow;

use super::build::{Built, finish};
use super::groups::Placed;
use super::{Bodies, Further, HIDDEN, NameOrder};
use crate::index::renumbering::{Renumbering, Run};
use crate::record::corporate::tag;
use crate::snapshot::Fault;

/// An added row. Sorts like a place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AddedRow {
    body: String,
    row: u32,
    form: u8,
}

/// Makes the order; `name` gives the name of an added row, `None` if it is hidden.
pub fn renew<'a>(
    earlier: NameOrder<'_>,
    rows: &Renumbering,
    name: impl Fn(u32) -> Option<&'a str>,
) -> Result<Built, Fault> {
    if earlier.rows != rows.before() as usize {
        return Err(malformed(format!("an order of {} rows", rows.before())));
    }
    let renumbered = earlier.directory.further.iter().filter_map(|it| {
        let row = rows.row(it.row.to_native())?;
        Some(Further { letters: it.letters.to_native(), row })
    });
    let mut further: Vec<Further> = renumbered.collect();
    let mut bodies = Bodies::default();
    let (mut added, mut added_forms) = (Vec::new(), Vec::new());
    for row in rows.added() {
        let split = name(*row).map(|name| bodies.split(name)).map(|(body, form)| {
            let (body, form) = (body.to_owned(), form.number());
            AddedRow { body, row: *row, form }
        });
        added_forms.push(split.as_ref().map_or(HIDDEN, |added| added.form));
        if let Some(split) = split {
            further.extend(bodies.further(*row));
            added.push(split);
        }
    }
    added.sort_unstable();
    let mut forms = Vec::with_capacity(rows.rows() as usize);
    for run in rows.runs(0..rows.rows()) {
        match run {
            Run::Added(at) => forms.push(added_forms[at]),
            Run::Kept(run) => {
                let before = run.before as usize..(run.before + run.rows) as usize;
                forms.extend_from_slice(earlier.forms(before)?);
            }
        }
    }
    finish(forms, further, &|each: &mut dyn FnMut(Placed, &[u8])| {
        merged(earlier, rows, &added, each)
    })
}

/// Calls `each` with every place of the new order.
fn merged(
    earlier: NameOrder<'_>,
    rows: &Renumbering,
    added: &[AddedRow],
    each: &mut dyn FnMut(Placed, &[u8]),
) -> Result<(), Fault> {
    let mut added = added.iter().peekable();
    for number in 0..earlier.directory.starts.len() {
        let group = earlier.group(number)?;
        let mut bodies = group.bodies();
        for (before, form) in group.placed(0..earlier.places_of(number)) {
            let body = bodies.next().ok_or_else(|| malformed("a name at each place"))?;
            let Some(row) = rows.row(before) else { continue };
            while let Some(it) = added.next_if(|it| (it.body.as_bytes(), it.row) < (body, row)) {
                each((it.row, it.form), it.body.as_bytes());
            }
            each((row, form), body);
        }
    }
    added.for_each(|it| each((it.row, it.form), it.body.as_bytes()));
    Ok(())
}

fn malformed(expected: impl Into<Cow<'static, str>>) -> Fault {
    let cause = format!("expected {}, found other bytes", expected.into());
    Fault::Malformed { section: tag::NAME_ORDER, cause }
}
