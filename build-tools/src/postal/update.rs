//! Monthly differences: what a month added to KEN_ALL and JIGYOSYO, and what it took away.
//!
//! Which of the four a file is, its rows say: additions have status 1 (JADD: amendment 1),
//! removals status 2 (JDEL: amendment 5). A month's file may have no content at all; only then
//! its name decides.

use crate::csv::{Fault, Rejects, Text};
use crate::error::{Reject, SourceError};
use crate::kind::Kind;
use crate::open::Source;
use crate::{Batch, Progress};

use super::recognise::recognise;
use super::{AreaRow, BusinessRow, business, ken_all};

/// One difference file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// ADD, utf_add: new rows, and the new form of amended ones.
    AreaAdded(Batch<AreaRow>),
    /// DEL, utf_del: abolished rows, and the old form of amended ones.
    AreaRemoved(Batch<AreaRow>),
    /// JADD.
    BusinessAdded(Batch<BusinessRow>),
    /// JDEL.
    BusinessRemoved(Batch<BusinessRow>),
    /// No content, and a name that does not say which it is: nothing to apply.
    Empty,
}

/// Reads a difference file of any of the four kinds.
pub fn read_update(source: Source, progress: Progress<'_>) -> Result<Update, SourceError> {
    let empty = empty_update(source.file_name());
    let text = Text::decode(source)?;
    if text.is_empty() {
        return Ok(empty);
    }
    match recognise(&text, Kind::Update)? {
        Kind::Area => {
            let batch = ken_all::read_rows(&text, progress)?;
            let change = |row: &AreaRow| match row.update_status {
                0 => (row.line, None),
                1 => (row.line, Some(Side::Added)),
                _ => (row.line, Some(Side::Removed)),
            };
            let expected = Fault::column(13, "1 or 2 (added, removed)", "0");
            Ok(match side(&text, Kind::Area, batch, change, expected)? {
                (Side::Added, batch) => Update::AreaAdded(batch),
                (Side::Removed, batch) => Update::AreaRemoved(batch),
            })
        }
        Kind::Business => {
            let batch = business::read_rows(&text, progress)?;
            let change = |row: &BusinessRow| match row.amendment {
                0 => (row.line, None),
                1 => (row.line, Some(Side::Added)),
                _ => (row.line, Some(Side::Removed)),
            };
            let expected = Fault::column(12, "1 or 5 (added, removed)", "0");
            Ok(match side(&text, Kind::Business, batch, change, expected)? {
                (Side::Added, batch) => Update::BusinessAdded(batch),
                (Side::Removed, batch) => Update::BusinessRemoved(batch),
            })
        }
        found => {
            let (name, expected) = (text.name, Kind::Update);
            Err(SourceError::WrongKind { name, expected, found })
        }
    }
}

/// Which way a difference goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Added,
    Removed,
}

/// Which side the rows are on; single rows that are on neither become rejects.
///
/// `change` answers with a row's line and what the row says of itself.
fn side<T>(
    text: &Text,
    full: Kind,
    batch: Batch<T>,
    change: impl Fn(&T) -> (u64, Option<Side>),
    unchanged: Fault,
) -> Result<(Side, Batch<T>), SourceError> {
    let count = |side| batch.rows.iter().filter(|row| change(row).1 == side).count();
    let (added, removed) = (count(Some(Side::Added)), count(Some(Side::Removed)));
    let name = text.name.clone();
    let side = match (added, removed) {
        (0, 0) if batch.rows.is_empty() => {
            let first = batch.rejects.first().map(ToString::to_string).unwrap_or_default();
            let (expected, found) = (Kind::Update, format!("no readable row; {first}"));
            return Err(SourceError::Unrecognised { name, expected, found });
        }
        _ if (added + removed) * 2 < batch.rows.len() => {
            return Err(SourceError::WrongKind { name, expected: Kind::Update, found: full });
        }
        (_, 0) => Side::Added,
        (0, _) => Side::Removed,
        _ => return Err(SourceError::MixedUpdate { name, added, removed }),
    };
    let mut rejects = Rejects::new(&text.name);
    let (rows, strays): (Vec<T>, Vec<T>) =
        batch.rows.into_iter().partition(|row| change(row).1.is_some());
    for row in &strays {
        rejects.push(change(row).0, unchanged.clone())?;
    }
    let mut rejects: Vec<Reject> = batch.rejects.into_iter().chain(rejects.into_list()).collect();
    rejects.sort_by_key(|reject| reject.line);
    Ok((side, Batch { rows, rejects, lines: batch.lines }))
}

/// What a file without content is, by its name.
fn empty_update(file_name: &str) -> Update {
    let name = file_name.to_ascii_lowercase();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if starts(&["add", "utf_add"]) {
        Update::AreaAdded(empty_batch())
    } else if starts(&["del", "utf_del"]) {
        Update::AreaRemoved(empty_batch())
    } else if starts(&["jadd"]) {
        Update::BusinessAdded(empty_batch())
    } else if starts(&["jdel"]) {
        Update::BusinessRemoved(empty_batch())
    } else {
        Update::Empty
    }
}

fn empty_batch<T>() -> Batch<T> {
    Batch { rows: Vec::new(), rejects: Vec::new(), lines: 0 }
}
