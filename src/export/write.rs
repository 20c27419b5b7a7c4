//! Writes the records or the changes of a source to a sink, one row for each.

use super::change::{Change, ChangeVisitor};
use super::error::ExportError;
use super::field::{Field, Source, push_fields};
use super::row::{Row, Value};
use super::sink::{PROGRESS_INTERVAL_ROWS, Sink};

/// Writes these fields of every record; returns the number of rows. `progress` is called now and then with that
/// number.
pub fn write_records<S: Source>(
    source: &S,
    fields: &[&Field<S>],
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, ExportError> {
    let (mut row, mut rows) = (Row::default(), 0);
    source.for_each(&mut |record| {
        row.clear();
        push_fields(fields, record, &mut row);
        sink.write(&row)?;
        rows += 1;
        if rows % PROGRESS_INTERVAL_ROWS == 0 {
            progress(rows);
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Writes each change that `for_each_change` visits: the column [`CHANGE`](super::CHANGE), then these fields of the record.
/// Returns the number of rows.
pub fn write_changes<S: Source>(
    fields: &[&Field<S>],
    sink: &mut dyn Sink,
    for_each_change: impl FnOnce(ChangeVisitor<'_, S>) -> Result<(), ExportError>,
) -> Result<u64, ExportError> {
    let (mut row, mut rows) = (Row::default(), 0);
    for_each_change(&mut |change: Change, record| {
        row.clear();
        row.push(Value::Text(change.name()));
        push_fields(fields, record, &mut row);
        sink.write(&row)?;
        rows += 1;
        Ok(())
    })?;
    Ok(rows)
}
