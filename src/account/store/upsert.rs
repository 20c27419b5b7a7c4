//! Inserts many rows in few statements, or updates rows that exist.
//!
//! Rows whose owner was deleted are skipped. Callers sort the rows, so that two servers lock them in the same
//! order.

use super::error::StoreError;
use super::transaction::Transaction;
use super::value::Value;

/// Rows per statement; remaining rows are written one by one, so that only two statements are prepared.
const STATEMENT_ROWS: usize = 64;

/// A table that takes such rows.
pub(super) struct UpsertTable<const N: usize> {
    pub table: &'static str,
    /// Columns and their types; the first is the owner's number.
    pub columns: [(&'static str, &'static str); N],
    /// The table of the owners.
    pub owners: &'static str,
    /// The key of a row, and the update of an existing one.
    pub on_conflict: &'static str,
}

pub(super) fn upsert_rows<const N: usize>(
    tx: &mut Transaction<'_>,
    table: &UpsertTable<N>,
    rows: &[[Value; N]],
) -> Result<(), StoreError> {
    let mut chunks = rows.chunks_exact(STATEMENT_ROWS);
    for chunk in &mut chunks {
        tx.execute(&statement(table, chunk.len()), chunk.as_flattened())?;
    }
    for row in chunks.remainder() {
        tx.execute(&statement(table, 1), row)?;
    }
    Ok(())
}

fn statement<const N: usize>(into: &UpsertTable<N>, rows: usize) -> String {
    let UpsertTable { table, columns, owners, on_conflict } = into;
    let row = |row: usize| {
        let first = row * N + 1;
        let cells = (first..).zip(columns);
        let cells =
            cells.map(|(parameter, (_, sql_type))| format!("CAST(${parameter} AS {sql_type})"));
        format!("({})", cells.collect::<Vec<_>>().join(", "))
    };
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let values: Vec<String> = (1..=N).map(|column| format!("column{column}")).collect();
    format!(
        "INSERT INTO {table} ({}) SELECT {} FROM (VALUES {}) AS given \
         WHERE EXISTS (SELECT 1 FROM {owners} WHERE id = column1) ON CONFLICT {on_conflict}",
        names.join(", "),
        values.join(", "),
        (0..rows).map(row).collect::<Vec<_>>().join(", ")
    )
}
