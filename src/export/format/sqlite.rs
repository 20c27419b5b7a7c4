//! A table in a new SQLite database: one transaction, and an index on the key.
//!
//! The database is written without a journal, so the caller must pass an unfinished file and rename it when it is
//! complete.

use std::io;
use std::path::Path;

use rusqlite::types::{Null, ToSql, ToSqlOutput};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::export::row::{Column, Kind, Row, Value};
use crate::export::sink::Sink;
use crate::json;

pub struct Sqlite {
    connection: Connection,
    insert: String,
    /// The statement that creates the index; empty if the key is not among the columns.
    index: String,
}

impl Sqlite {
    /// Begins the table in an empty file that nobody else has open.
    pub fn begin(path: &Path, table: &str, columns: &[Column], key: &[&str]) -> io::Result<Sqlite> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // SQLite's own locks could collide with that of the unfinished file, on file systems with one kind of
        // lock for both.
        let connection = Connection::open_with_flags_and_vfs(path, flags, c"unix-none");
        let connection = connection.map_err(failed)?;
        let defined: Vec<String> = columns.iter().map(defined).collect();
        let begin = format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; CREATE TABLE {table} ({});",
            defined.join(", ")
        );
        connection.execute_batch(&begin).map_err(failed)?;
        let places = vec!["?"; columns.len()].join(", ");
        let is_there = |name: &&str| columns.iter().any(|column| column.name == **name);
        let index = match key.iter().all(is_there) {
            true => format!("CREATE INDEX {table}_key ON {table} ({});", key.join(", ")),
            false => String::new(),
        };
        Ok(Sqlite { connection, insert: format!("INSERT INTO {table} VALUES ({places})"), index })
    }
}

impl Sink for Sqlite {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        let mut statement = self.connection.prepare_cached(&self.insert).map_err(failed)?;
        for (at, value) in row.values().enumerate() {
            statement.raw_bind_parameter(at + 1, Bound(value)).map_err(failed)?;
        }
        statement.raw_execute().map_err(failed)?;
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.connection.execute_batch(&format!("{} COMMIT;", self.index)).map_err(failed)?;
        self.connection.close().map_err(|(_still_open, error)| failed(error))
    }
}

/// The definition of a column. SQLite has neither flags nor dates: they are numbers and texts.
fn defined(column: &Column) -> String {
    let kind = match column.kind {
        Kind::Text | Kind::Date => "TEXT",
        Kind::Integer | Kind::Flag => "INTEGER",
    };
    let null = if column.nullable { "" } else { " NOT NULL" };
    format!("\"{}\" {kind}{null}", column.name.replace('"', "\"\""))
}

struct Bound<'r>(Value<'r>);

impl ToSql for Bound<'_> {
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

fn failed(error: rusqlite::Error) -> io::Error {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
