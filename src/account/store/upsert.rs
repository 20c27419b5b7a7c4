//! Inserts many rows in few statements, adding to existing rows.
//!
//! Rows whose owner was deleted are skipped. Callers pass rows in one order, so that two servers lock rows in
//! the same order.

use super::error::StoreError;
use super::transaction::Transaction;
use super::value::Value;

/// Rows per statement; remaining rows are written one by one, so that only two statements are prepared.
const ROWS_AT_ONCE: usize = 64;

/// A table that rows are added to.
pub(super) struct Addable<const N: usize> {
    pub table: &'static str,
    /// Columns and their types; the first is the owner's number.
    pub columns: [(&'static str, &'static str); N],
    /// The table of the owners.
    pub owners: &'static str,
    /// The key of a row, and the update of an existing one.
    pub on_conflict: &'static str,
}

pub(super) fn add_rows<const N: usize>(
    tx: &mut Transaction<'_>,
    into: &Addable<N>,
    rows: &[[Value; N]],
) -> Result<(), StoreError> {
    let mut chunks = rows.chunks_exact(ROWS_AT_ONCE);
    for chunk in &mut chunks {
        tx.execute(&statement(into, chunk.len()), chunk.as_flattened())?;
    }
    for row in chunks.remainder() {
        tx.execute(&statement(into, 1), row)?;
    }
    Ok(())
}

fn statement<const N: usize>(into: &Addable<N>, rows: usize) -> String {
    let Addable { table, columns, owners, on_conflict } = into;
    let row = |at: usize| {
        let cells = columns.iter().enumerate();
        let cells = cells.map(|(n, (_, of))| format!("CAST(${} AS {of})", at * N + n + 1));
        format!("({})", cells.collect::<Vec<_>>().join(", "))
    };
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let given: Vec<String> = (1..=N).map(|at| format!("column{at}")).collect();
    format!(
        "INSERT INTO {table} ({}) SELECT {} FROM (VALUES {}) AS given \
         WHERE EXISTS (SELECT 1 FROM {owners} WHERE id = column1) ON CONFLICT {on_conflict}",
        names.join(", "),
        given.join(", "),
        (0..rows).map(row).collect::<Vec<_>>().join(", ")
    )
}
