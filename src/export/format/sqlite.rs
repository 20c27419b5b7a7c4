//! A table in a new SQLite database: one transaction, and an index on the key. A second table names the sources, and a
//! third the operator's corrections, if there are any.
//!
//! The database is written without a journal, so the caller must pass an unfinished file and rename it when it is
//! complete.

use std::{io, path::Path};

use rusqlite::types::{Null, ToSql, ToSqlOutput};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::export::{Column, ColumnType, Provenance, Row, Sink, Value};
use crate::json;
use crate::text::codes::DataVersion;

pub struct Sqlite {
    connection: Connection,
    insert_statement: String,
    /// Creates the index on the key; empty if the exported columns lack a part of the key.
    index_statement: String,
}

impl Sqlite {
    /// Creates the table in an empty file that nobody else has open.
    pub fn create(
        path: &Path,
        table: &str,
        columns: &[Column],
        key: &[&str],
        provenance: &Provenance,
    ) -> io::Result<Sqlite> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // SQLite's own locks could collide with the lock of the unfinished file, on file systems with one kind of
        // lock for both.
        let connection = Connection::open_with_flags_and_vfs(path, flags, c"unix-none");
        let connection = connection.map_err(io_error)?;
        let definitions: Vec<String> = columns.iter().map(column_definition).collect();
        let create_table = format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; CREATE TABLE {table} ({});",
            definitions.join(", ")
        );
        connection.execute_batch(&create_table).map_err(io_error)?;
        write_sources(&connection, provenance).map_err(io_error)?;
        let placeholders = vec!["?"; columns.len()].join(", ");
        let is_exported = |name: &&str| columns.iter().any(|column| column.name == **name);
        let index_statement = match key.iter().all(is_exported) {
            true => format!("CREATE INDEX {table}_key ON {table} ({});", key.join(", ")),
            false => String::new(),
        };
        let insert_statement = format!("INSERT INTO {table} VALUES ({placeholders})");
        Ok(Sqlite { connection, insert_statement, index_statement })
    }
}

/// A table of what the data were built from, one row a publication.
fn write_sources(connection: &Connection, provenance: &Provenance) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE sources (dataset TEXT NOT NULL, version TEXT NOT NULL, name TEXT NOT NULL, \
         publisher TEXT NOT NULL, url TEXT NOT NULL, licence TEXT NOT NULL, credit TEXT NOT NULL);",
    )?;
    let version = provenance.version.to_string();
    for it in &provenance.publications {
        let row =
            [provenance.dataset, &version, it.name, it.publisher, it.url, it.licence, it.credit];
        connection.execute("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)", row)?;
    }
    if provenance.corrections.is_empty() {
        Ok(())
    } else {
        write_corrections(connection, provenance)
    }
}

fn write_corrections(connection: &Connection, provenance: &Provenance) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE corrections (file TEXT NOT NULL, line INTEGER NOT NULL, action TEXT NOT NULL, \
         record TEXT NOT NULL, valid_from TEXT, valid_to TEXT, reason TEXT NOT NULL, author TEXT NOT NULL);",
    )?;
    for row in &provenance.corrections {
        let day = |day: Option<DataVersion>| day.map(|day| day.to_string());
        let line = i64::try_from(row.line).unwrap_or(i64::MAX);
        connection.execute(
            "INSERT INTO corrections VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            rusqlite::params![
                row.file.file_name(),
                line,
                row.action.name(),
                row.key_text(),
                day(row.period.from),
                day(row.period.to),
                row.reason,
                row.author,
            ],
        )?;
    }
    Ok(())
}

impl Sink for Sqlite {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        let mut statement =
            self.connection.prepare_cached(&self.insert_statement).map_err(io_error)?;
        for (index, value) in row.values().enumerate() {
            statement.raw_bind_parameter(index + 1, SqlValue(value)).map_err(io_error)?;
        }
        statement.raw_execute().map_err(io_error)?;
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.connection
            .execute_batch(&format!("{} COMMIT;", self.index_statement))
            .map_err(io_error)?;
        self.connection.close().map_err(|(_still_open, error)| io_error(error))
    }
}

/// The definition of a column. SQLite has neither flags nor dates: they are numbers and texts.
fn column_definition(column: &Column) -> String {
    let kind = match column.kind {
        ColumnType::Text | ColumnType::Date => "TEXT",
        ColumnType::Integer | ColumnType::Flag => "INTEGER",
    };
    let null = if column.nullable { "" } else { " NOT NULL" };
    format!("\"{}\" {kind}{null}", column.name.replace('"', "\"\""))
}

struct SqlValue<'r>(Value<'r>);

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match &self.0 {
            Value::Null => Ok(ToSqlOutput::from(Null)),
            Value::Text(text) => Ok(ToSqlOutput::from(*text)),
            Value::Integer(number) => Ok(ToSqlOutput::from(*number)),
            Value::Flag(flag) => Ok(ToSqlOutput::from(*flag)),
            Value::Date(date) => {
                let mut text = Vec::new();
                json::push_date(&mut text, *date);
                Ok(ToSqlOutput::from(String::from_utf8(text).expect("digits and hyphens")))
            }
        }
    }
}

fn io_error(error: rusqlite::Error) -> io::Error {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
