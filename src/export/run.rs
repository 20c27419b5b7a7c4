//! The pass over a source: passes a row for each record or change to a sink.

use super::change::{Change, TakeChange};
use super::error::ExportError;
use super::field::{Field, Source, push_all};
use super::row::{Row, Value};
use super::sink::{REPORTED, Sink};

/// Writes these fields of every record; returns the number of rows. `progress` is called now and then with that
/// number.
pub fn run<S: Source>(
    source: &S,
    fields: &[&Field<S>],
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, ExportError> {
    let (mut row, mut rows) = (Row::default(), 0);
    source.each(&mut |record| {
        row.clear();
        push_all(fields, record, &mut row);
        sink.write(&row)?;
        rows += 1;
        if rows % REPORTED == 0 {
            progress(rows);
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Writes the changes that `each` returns: [`CHANGE`](super::CHANGE), and these fields of the record.
pub fn run_changes<S: Source>(
    fields: &[&Field<S>],
    sink: &mut dyn Sink,
    each: impl FnOnce(TakeChange<'_, S>) -> Result<(), ExportError>,
) -> Result<u64, ExportError> {
    let (mut row, mut rows) = (Row::default(), 0);
    each(&mut |change: Change, record| {
        row.clear();
        row.push(Value::Text(change.name()));
        push_all(fields, record, &mut row);
        sink.write(&row)?;
        rows += 1;
        Ok(())
    })?;
    Ok(rows)
}
