//! The order of a table that was made from an earlier one: the places of rows that stay are read in the order of that one, and
//! those of rows that came stand among them.
//!
//! It has the bytes of an order that is built of all names, as long as names are folded and split as they were.

use std::borrow::Cow;

use super::build::{Built, made};
use super::groups::Placed;
use super::{Bodies, Further, HIDDEN, NameOrder};
use crate::index::renumbering::{Renumbering, Run};
use crate::record::corporate::tag;
use crate::snapshot::Fault;

/// A row that came. Ordered as places are.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Came {
    body: String,
    row: u32,
    form: u8,
}

/// The order and its directory; `name` gives the name of a row that came, `None` where hidden.
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
    let (mut came, mut came_forms) = (Vec::new(), Vec::new());
    for row in rows.came() {
        let split = name(*row).map(|name| bodies.split(name)).map(|(body, form)| {
            let (body, form) = (body.to_owned(), form.number());
            Came { body, row: *row, form }
        });
        came_forms.push(split.as_ref().map_or(HIDDEN, |came| came.form));
        if let Some(split) = split {
            further.extend(bodies.further(*row));
            came.push(split);
        }
    }
    came.sort_unstable();
    let mut forms = Vec::with_capacity(rows.rows() as usize);
    for run in rows.runs(0..rows.rows()) {
        match run {
            Run::Came(at) => forms.push(came_forms[at]),
            Run::Stayed(run) => {
                let before = run.before as usize..(run.before + run.rows) as usize;
                forms.extend_from_slice(earlier.forms(before)?);
            }
        }
    }
    made(forms, further, &|each: &mut dyn FnMut(Placed, &[u8])| merged(earlier, rows, &came, each))
}

/// Calls `each` with every place of the present order.
fn merged(
    earlier: NameOrder<'_>,
    rows: &Renumbering,
    came: &[Came],
    each: &mut dyn FnMut(Placed, &[u8]),
) -> Result<(), Fault> {
    let mut came = came.iter().peekable();
    for number in 0..earlier.directory.starts.len() {
        let group = earlier.group(number)?;
        let mut bodies = group.bodies();
        for (before, form) in group.placed(0..earlier.places_of(number)) {
            let body = bodies.next().ok_or_else(|| malformed("a name at each place"))?;
            let Some(row) = rows.row(before) else { continue };
            while let Some(it) = came.next_if(|it| (it.body.as_bytes(), it.row) < (body, row)) {
                each((it.row, it.form), it.body.as_bytes());
            }
            each((row, form), body);
        }
    }
    came.for_each(|it| each((it.row, it.form), it.body.as_bytes()));
    Ok(())
}

fn malformed(expected: impl Into<Cow<'static, str>>) -> Fault {
    let cause = format!("expected {}, found other bytes", expected.into());
    Fault::Malformed { section: tag::NAME_ORDER, cause }
}
