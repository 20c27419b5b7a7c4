//! The pass over a source: a row for each record, given to a sink.

use super::error::ExportError;
use super::field::{Field, Source};
use super::row::Row;
use super::sink::Sink;

/// Rows between two reports of progress.
const REPORTED: u64 = 1 << 12;

/// Writes these fields of every record, and says how many rows there were. `progress` is told of them now and then.
pub fn run<S: Source>(
    source: &S,
    fields: &[&Field<S>],
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, ExportError> {
    let (mut row, mut rows) = (Row::default(), 0);
    source.each(&mut |record| {
        row.clear();
        fields.iter().for_each(|field| field.push(record, &mut row));
        sink.write(&row)?;
        rows += 1;
        if rows % REPORTED == 0 {
            progress(rows);
        }
        Ok(())
    })?;
    Ok(rows)
}
