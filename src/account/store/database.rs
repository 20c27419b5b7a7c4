//! The interface of a database, so that one set of statements serves every kind.
//!
//! Statements use the common subset of SQLite and PostgreSQL: parameters are `$1`, `$2` and so on; an insert
//! returns its number with `RETURNING id`; a sum is `CAST(sum(x) AS BIGINT)`; a list of numbers is a parameter
//! [`Value::Integers`], made into rows by [`Database::unnest`]. Booleans are 0 or 1.
//!
//! Migrations are the numbered files in `migrations/`, in SQLite's dialect. All missing ones are applied in one
//! transaction; under its lock each process checks again. A released migration is never edited.
//!
//! Servers of different versions share a store while a fleet is upgraded, and an upgrade may be taken back. So a migration
//! only adds tables and columns, which an older program does not name. One that does more says so in the table
//! `older_programs`: programs of an older schema than that refuse the store.

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
pub(super) const MIGRATIONS: [&str; 9] = [
    include_str!("migrations/0001_accounts_and_keys.sql"),
    include_str!("migrations/0002_quotas_dashboard_radar.sql"),
    include_str!("migrations/0003_known_devices.sql"),
    include_str!("migrations/0004_webhook_allowances.sql"),
    include_str!("migrations/0005_labels_last_use_figures.sql"),
    include_str!("migrations/0006_disabled_keys.sql"),
    include_str!("migrations/0007_watched_issuers.sql"),
    include_str!("migrations/0008_expiry_sessions_operations.sql"),
    include_str!("migrations/0009_older_programs.sql"),
];

/// The number of the schema that this program writes.
pub(super) const COUNT: usize = MIGRATIONS.len();

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// A new database without tables.
    Absent,
    /// This many migrations are applied: more than this program has if a newer one migrated the store.
    At(usize),
}

impl Schema {
    /// The schema with this number. `schema_min` is the oldest one whose programs can use it, if the store says so;
    /// rejects a store that is only for newer ones than this program.
    pub fn numbered(number: i64, schema_min: Option<i64>) -> Result<Schema, StoreFault> {
        let is_for_this = || {
            let schema_min = schema_min.and_then(|number| usize::try_from(number).ok());
            schema_min.is_some_and(|number| number <= COUNT)
        };
        match usize::try_from(number) {
            Ok(applied @ 1..=COUNT) => Ok(Schema::At(applied)),
            Ok(applied @ 1..) if is_for_this() => Ok(Schema::At(applied)),
            Ok(1..) => Err(StoreFault::NewerSchema { expected: COUNT, found: number }),
            Ok(0) | Err(_) => Err(StoreFault::bad_value("a schema number from 1", number)),
        }
    }

    pub fn due(self) -> &'static [&'static str] {
        match self {
            Schema::Absent => &MIGRATIONS,
            Schema::At(applied) => MIGRATIONS.get(applied..).unwrap_or_default(),
        }
    }
}

/// The table that says which older programs can use the store, and the statement that asks it.
pub(super) const OLDER_PROGRAMS: &str = "older_programs";
pub(super) const SCHEMA_MIN: &str = "SELECT schema_min FROM older_programs";

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

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema since which programs can use a newer store.
    const FIRST: usize = 9;

    /// Whether a program that does not know this migration can use the store after it: it adds tables, indexes of them, and
    /// columns that need no value.
    fn only_adds(migration: &str) -> bool {
        let lines = migration.lines().map(|line| line.split("--").next().unwrap_or_default());
        let text = lines.collect::<Vec<_>>().join(" ");
        let mut tables = Vec::new();
        text.split(';').map(str::trim).filter(|it| !it.is_empty()).all(|statement| {
            let words: Vec<&str> = statement.split_whitespace().collect();
            match words[..] {
                ["CREATE", "TABLE", table, ..] => {
                    tables.push(table.to_owned());
                    true
                }
                ["CREATE", "INDEX", ..] => true,
                ["CREATE", "UNIQUE", "INDEX", _, "ON", table, ..] => {
                    tables.iter().any(|known| known == table)
                }
                ["ALTER", "TABLE", _, "ADD", "COLUMN", ..] => {
                    !statement.contains("NOT NULL") || statement.contains("DEFAULT")
                }
                ["INSERT", "INTO", table, ..] => tables.iter().any(|known| known == table),
                _ => false,
            }
        })
    }

    #[test]
    fn a_migration_that_older_programs_cannot_live_with_says_so() {
        for (number, migration) in (1..).zip(MIGRATIONS).skip(FIRST) {
            let says_so = format!("UPDATE {OLDER_PROGRAMS} SET schema_min = {number};");
            assert!(
                only_adds(migration) || migration.contains(&says_so),
                "migration {number}: expected only new tables and columns without a value, or {says_so}"
            );
        }
        for (migration, expected) in [
            ("CREATE TABLE a (id INTEGER) STRICT; CREATE UNIQUE INDEX b ON a (id);", true),
            ("ALTER TABLE api_key ADD COLUMN more TEXT; -- NULL: none", true),
            ("ALTER TABLE api_key ADD COLUMN more TEXT NOT NULL DEFAULT 'x';", true),
            ("CREATE INDEX api_key_by_more ON api_key (more);", true),
            ("ALTER TABLE api_key ADD COLUMN more TEXT NOT NULL;", false),
            ("ALTER TABLE api_key RENAME COLUMN label TO beginning;", false),
            ("ALTER TABLE api_key DROP COLUMN label;", false),
            ("DROP TABLE api_key;", false),
            ("DROP INDEX api_key_by_label;", false),
            ("CREATE UNIQUE INDEX once ON api_key (label);", false),
            ("UPDATE account SET plan = 'premium';", false),
            ("INSERT INTO account VALUES (1);", false),
        ] {
            assert_eq!(only_adds(migration), expected, "{migration}");
        }
    }

    #[test]
    fn a_schema_of_a_newer_program_is_used_if_it_says_that_older_ones_can() {
        let (own, newer) = (COUNT as i64, COUNT as i64 + 1);
        for (number, schema_min, expected) in [
            (1, None, Some(1)),
            (own, None, Some(COUNT)),
            (newer, None, None),
            (newer, Some(own), Some(COUNT + 1)),
            (newer, Some(9), Some(COUNT + 1)),
            (newer, Some(newer), None),
            (newer, Some(-1), None),
            (0, Some(1), None),
        ] {
            let found = Schema::numbered(number, schema_min).ok();
            assert_eq!(found, expected.map(Schema::At), "{number} {schema_min:?}");
            assert!(
                found.is_none_or(
                    |schema| schema.due().len() == COUNT.saturating_sub(number as usize)
                )
            );
        }
    }
}
