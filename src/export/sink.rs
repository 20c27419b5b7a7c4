//! What every output format implements, and how the records or the changes of a source are written to it.

use std::io;

use super::change::{Change, ChangeVisitor};
use super::row::{Row, Value};
use super::selection::{ExportError, PROGRESS_INTERVAL_ROWS, Selection, Source};

/// Receives rows of the columns that it was created with.
pub trait Sink {
    /// Writes one row, whose values are in the order of the columns.
    fn write(&mut self, row: &Row) -> io::Result<()>;

    /// Writes what is still buffered and the end of the file. Without this call the output is incomplete.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A text format collects this many bytes before it writes.
pub const BUFFER_BYTES: usize = 1 << 16;

/// Writes these columns of every record; returns the number of rows. `progress` is called now and then with that
/// number.
pub fn write_records<S: Source>(
    source: &S,
    selection: &Selection<S>,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, ExportError> {
    let (mut row, mut rows) = (Row::default(), 0);
    source.for_each(&mut |record| {
        row.clear();
        selection.push(record, &mut row);
        sink.write(&row)?;
        rows += 1;
        if rows % PROGRESS_INTERVAL_ROWS == 0 {
            progress(rows);
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Writes each change that `for_each_change` visits: the column [`CHANGE`](super::CHANGE), then these columns of the record.
/// Returns the number of rows.
pub fn write_changes<S: Source>(
    selection: &Selection<S>,
    sink: &mut dyn Sink,
    for_each_change: impl FnOnce(ChangeVisitor<'_, S>) -> Result<(), ExportError>,
) -> Result<u64, ExportError> {
    let (mut row, mut rows) = (Row::default(), 0);
    for_each_change(&mut |change: Change, record| {
        row.clear();
        row.push(Value::Text(change.name()));
        selection.push(record, &mut row);
        sink.write(&row)?;
        rows += 1;
        Ok(())
    })?;
    Ok(rows)
}
