//! The interface of a database, so that one set of statements serves every kind.
//!
//! Statements use the common subset of SQLite and PostgreSQL: parameters are `$1`, `$2` and so on; an insert
//! returns its number with `RETURNING id`; a sum is `CAST(sum(x) AS BIGINT)`; a list of numbers is a parameter
//! [`Value::Integers`], made into rows by [`Database::unnest`]. Booleans are 0 or 1.

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

    /// Overwrites remains of deleted and changed rows in a file. A database server does that itself.
    fn scrub(&mut self) -> Result<(), StoreFault> {
        Ok(())
    }

    /// A subquery with a row for each number of a [`Value::Integers`] parameter, in the column `value`.
    fn unnest(&self, parameter: &str) -> String;

    /// The clause that locks the rows of a query and skips rows locked by others; empty if writers never run in
    /// parallel.
    fn skip_locked(&self) -> &'static str;
}
