//! The whole content of a store, for backups: reads every row of every table as of one moment, and replaces all rows in
//! one transaction.
//!
//! Both work on SQLite and on PostgreSQL, so the content of one may be put into the other. Rows are read and deleted in
//! batches, because a database server limits how long a statement may take. Knows no file format.

use jiff::Timestamp;

use super::error::{StoreFault, StoreResult, TransactionError};
use super::tables::{Table, tables};
use super::value::Value;
use super::{Access, Store, Transaction};

/// Rows that are read at once: some megabytes.
pub const ROWS_READ_MAX: usize = 10_000;

/// Rows that one statement deletes.
const ROWS_DELETED_MAX: usize = 20_000;

/// The values of a row, in the order of the columns.
pub type Values = Vec<Value>;

/// Where in a table the next batch begins.
enum Position {
    Start,
    /// After the row with this key.
    After(Values),
    /// After this many rows, in a table without a key.
    Offset(usize),
}

/// A store of which one moment is read.
pub struct ContentReader<'t, 's> {
    tx: &'t mut Transaction<'s>,
}

impl Store {
    /// Runs `work` on the content of this moment, whatever is written meanwhile.
    pub fn read_content<T, E: TransactionError>(
        &mut self,
        work: impl FnOnce(&mut ContentReader<'_, '_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.read(|tx| work(&mut ContentReader { tx }))
    }

    /// Deletes all content and lets `fill` write the new one. Nobody sees a part of it, and an error restores what was
    /// there. Every server then reads its keys again.
    pub fn replace_content<T, E: TransactionError>(
        &mut self,
        now: Timestamp,
        fill: impl FnOnce(&mut ContentWriter<'_, '_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction(Access::Write, |tx| {
            let tables = tables().map_err(|fault| tx.unusable(fault))?;
            // Differs from what any server has seen, also if this is another file than before.
            let generation = Value::from(now.as_millisecond());
            tx.execute("UPDATE rights SET generation = $1", &[generation])?;
            tx.lock_tables(&tables)?;
            for table in tables.iter().rev() {
                delete_all(tx, table)?;
            }
            fill(&mut ContentWriter { tx })
        })
    }
}

impl ContentReader<'_, '_> {
    /// The tables, in an order in which they can be filled.
    pub fn tables(&self) -> StoreResult<Vec<Table>> {
        tables().map_err(|fault| self.tx.unusable(fault))
    }

    /// The largest number that the database has given to a row of the table; 0 if none.
    pub fn last_number(&mut self, table: &Table) -> StoreResult<i64> {
        match table.is_numbered {
            true => {
                let found = self.tx.database.last_number(&table.name);
                found.map_err(|fault| self.tx.unusable(fault))
            }
            false => Ok(0),
        }
    }

    /// Passes all rows of the table, in batches.
    pub fn rows<E: TransactionError>(
        &mut self,
        table: &Table,
        mut batch: impl FnMut(Vec<Values>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut position = Position::Start;
        loop {
            let (sql, parameters) = select(table, &position);
            let rows = self.tx.rows(&sql, &parameters, |row| Ok(row.0.clone()))?;
            let count = rows.len();
            position = position.after(table, &rows);
            if count > 0 {
                batch(rows)?;
            }
            if count < ROWS_READ_MAX {
                return Ok(());
            }
        }
    }
}

impl Position {
    fn after(self, table: &Table, rows: &[Values]) -> Position {
        match (self, rows.last()) {
            (Position::Offset(offset), _) => Position::Offset(offset + rows.len()),
            (Position::Start, _) if table.key.is_empty() => Position::Offset(rows.len()),
            (position, None) => position,
            (_, Some(last)) => {
                let value = |name: &String| {
                    let index = table.columns.iter().position(|column| column.name == *name);
                    index.map_or(Value::Null, |index| last[index].clone())
                };
                Position::After(table.key.iter().map(value).collect())
            }
        }
    }
}

/// The statement for the rows from a position.
fn select(table: &Table, position: &Position) -> (String, Values) {
    let (columns, name) = (table.column_list(), &table.name);
    let key = if table.key.is_empty() { columns.clone() } else { table.key.join(", ") };
    let (condition, offset, parameters) = match position {
        Position::Start => (String::new(), String::new(), Vec::new()),
        Position::After(values) => {
            let places: Vec<String> = (1..=values.len()).map(|it| format!("${it}")).collect();
            (format!("WHERE ({key}) > ({})", places.join(", ")), String::new(), values.clone())
        }
        Position::Offset(offset) => (String::new(), format!("OFFSET {offset}"), Vec::new()),
    };
    let sql = format!(
        "SELECT {columns} FROM {name} {condition} ORDER BY {key} LIMIT {ROWS_READ_MAX} {offset}"
    );
    (sql, parameters)
}

fn delete_all(tx: &mut Transaction<'_>, table: &Table) -> StoreResult {
    let name = &table.name;
    if table.key.is_empty() {
        return tx.execute(&format!("DELETE FROM {name}"), &[]).map(drop);
    }
    let key = table.key.join(", ");
    let sql = format!(
        "DELETE FROM {name} WHERE ({key}) IN (SELECT {key} FROM {name} LIMIT {ROWS_DELETED_MAX})"
    );
    while tx.execute(&sql, &[])? > 0 {}
    Ok(())
}

/// A store whose content is being replaced.
pub struct ContentWriter<'t, 's> {
    tx: &'t mut Transaction<'s>,
}

impl ContentWriter<'_, '_> {
    /// Inserts rows with these columns of the table; the other columns get their defaults.
    pub fn insert(&mut self, table: &str, columns: &[&str], rows: &[Values]) -> StoreResult {
        let rows_max = self.tx.database.insert_rows_max().max(1);
        let full = insert(table, columns, rows_max);
        let mut chunks = rows.chunks_exact(rows_max);
        for rows in &mut chunks {
            match rows {
                [row] => self.tx.execute(&full, row)?,
                rows => self.tx.execute(&full, &rows.concat())?,
            };
        }
        match chunks.remainder() {
            [] => Ok(()),
            rest => self.tx.execute(&insert(table, columns, rest.len()), &rest.concat()).map(drop),
        }
    }

    /// Lets the database number rows after this number.
    pub fn raise_last_number(&mut self, table: &str, number: i64) -> StoreResult {
        let raised = match number {
            1.. => self.tx.database.raise_last_number(table, number),
            _ => Ok(()),
        };
        raised.map_err(|fault: StoreFault| self.tx.unusable(fault))
    }
}

fn insert(table: &str, columns: &[&str], rows: usize) -> String {
    let row = |index: usize| {
        let first = index * columns.len() + 1;
        let places: Vec<String> =
            (first..first + columns.len()).map(|place| format!("${place}")).collect();
        format!("({})", places.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("INSERT INTO {table} ({}) VALUES {}", columns.join(", "), rows.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_read_by_key_or_by_offset() {
        let tables = tables().expect("a schema");
        let named = |name: &str| tables.iter().find(|table| table.name == name).expect(name);
        let origin = named("key_origin");
        let (sql, parameters) = select(origin, &Position::Start);
        assert!(sql.contains("FROM key_origin  ORDER BY key_id, origin LIMIT 10000"), "{sql}");
        assert!(parameters.is_empty());
        let rows = vec![vec![Value::Integer(7), Value::from("https://a")]];
        let (sql, parameters) = select(origin, &Position::Start.after(origin, &rows));
        assert!(sql.contains("WHERE (key_id, origin) > ($1, $2) ORDER BY"), "{sql}");
        assert_eq!(parameters, rows[0]);
        let device = named("known_device");
        let rows = vec![Vec::new(); 3];
        let position = Position::Start.after(device, &rows).after(device, &rows);
        let (sql, _none) = select(device, &position);
        assert!(sql.ends_with("OFFSET 6"), "{sql}");
        assert_eq!(insert("t", &["a", "b"], 2), "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)");
    }
}
