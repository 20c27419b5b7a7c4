//! The interface of a database, so that one set of statements serves every kind.
//!
//! Statements use the common subset of SQLite and PostgreSQL: parameters are `$1`, `$2` and so on; an insert
//! returns its number with `RETURNING id`; a sum is `CAST(sum(x) AS BIGINT)`; a list of numbers is a parameter
//! [`Value::Integers`], made into rows by [`Database::unnest`]. Booleans are 0 or 1.
//!
//! Migrations are the numbered files in `migrations/`, in SQLite's dialect. All missing ones are applied in one
//! transaction; under its lock each process checks again. A released migration is never edited.

use std::fmt;

use super::error::StoreFault;
use super::value::{Row, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads a consistent snapshot.
    Read,
    /// Writes; durable after the commit.
    Write,
    /// Writes without waiting for the disk: a power cut may lose the last seconds.
    RelaxedWrite,
}

/// What to do if there is no store at a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Create one: for the start of a server, and for the first account.
    Create,
    /// Fail: a command that only reads or changes a store was given the wrong location.
    Refuse,
}

/// One connection to a database, which reconnects by itself outside a transaction. Its functions block.
pub trait Database: Send + fmt::Debug {
    /// Runs a statement that returns no rows; returns how many rows it changed.
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault>;

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault>;

    /// Begins a transaction. Fails if the store is gone or was replaced.
    fn begin(&mut self, access: Access) -> Result<(), StoreFault>;

    fn commit(&mut self) -> Result<(), StoreFault>;

    /// Rolls the transaction back. A failure here shows in the next `begin`.
    fn rollback(&mut self);

    /// Reconnects to a store that exists; never creates one.
    fn reopen(&mut self) -> Result<(), StoreFault>;

    /// Reads everything for damage. A database server does that itself.
    fn check(&mut self) -> Result<(), StoreFault> {
        Ok(())
    }

    /// Overwrites remains of deleted and changed rows in a file. A database server does that itself.
    fn scrub(&mut self) -> Result<(), StoreFault> {
        Ok(())
    }

    /// The largest number that a table has given to a row; 0 if none.
    fn last_number(&mut self, table: &str) -> Result<i64, StoreFault>;

    /// Gives later rows of a table larger numbers than this one.
    fn raise_last_number(&mut self, table: &str, number: i64) -> Result<(), StoreFault>;

    /// Keeps others from writing to these tables until the end of the transaction, where a write does not do so anyway.
    fn lock_tables(&mut self, tables: &[&str]) -> Result<(), StoreFault>;

    /// How many rows one statement should insert.
    fn insert_rows_max(&self) -> usize;

    /// A subquery with a row for each number of a [`Value::Integers`] parameter, in the column `value`.
    fn unnest(&self, parameter: &str) -> String;

    /// The clause that locks the rows of a query and skips rows locked by others; empty if writers never run in
    /// parallel.
    fn skip_locked(&self) -> &'static str;
}

/// In order; the first is schema 1.
pub(super) const MIGRATIONS: [&str; 8] = [
    include_str!("migrations/0001_accounts_and_keys.sql"),
    include_str!("migrations/0002_quotas_dashboard_radar.sql"),
    include_str!("migrations/0003_known_devices.sql"),
    include_str!("migrations/0004_webhook_allowances.sql"),
    include_str!("migrations/0005_labels_last_use_figures.sql"),
    include_str!("migrations/0006_disabled_keys.sql"),
    include_str!("migrations/0007_watched_issuers.sql"),
    include_str!("migrations/0008_expiry_sessions_operations.sql"),
];

/// The number of the schema that this program writes.
pub(super) const COUNT: usize = MIGRATIONS.len();

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// A new database without tables.
    Absent,
    /// This many migrations are applied.
    At(usize),
}

impl Schema {
    /// The schema with this number; rejects schemas of later program versions.
    pub fn numbered(number: i64) -> Result<Schema, StoreFault> {
        match usize::try_from(number) {
            Ok(applied @ 1..=COUNT) => Ok(Schema::At(applied)),
            Ok(1..) => Err(StoreFault::NewerSchema { expected: COUNT, found: number }),
            Ok(0) | Err(_) => Err(StoreFault::bad_value("a schema number from 1", number)),
        }
    }

    pub fn due(self) -> &'static [&'static str] {
        match self {
            Schema::Absent => &MIGRATIONS,
            Schema::At(applied) => &MIGRATIONS[applied..],
        }
    }
}

/// A migration in PostgreSQL's dialect. Texts compare by their bytes, as in SQLite, in any locale.
pub(super) fn in_postgres_sql(migration: &str) -> String {
    let lines = migration.lines().map(|line| line.split("--").next().unwrap_or_default());
    let statements = lines.collect::<Vec<_>>().join("\n");
    statements
        .replace(
            "INTEGER PRIMARY KEY AUTOINCREMENT",
            "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        )
        .replace("INTEGER", "BIGINT")
        .replace("BLOB", "BYTEA")
        .replace(" TEXT", " TEXT COLLATE \"C\"")
        .replace(") STRICT, WITHOUT ROWID;", ");")
        .replace(") STRICT;", ");")
}
