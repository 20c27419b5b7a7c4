//! What the store needs of a database, so that one set of statements serves every kind.
//!
//! Statements are in the part of SQL that SQLite and PostgreSQL share: parameters are `$1`, `$2`
//! and so on; an insert returns its number with `RETURNING id`; a sum is
//! `CAST(sum(x) AS BIGINT)`; a list of numbers is [`Value::Integers`] read through
//! [`Database::each`]. Truth is 0 or 1.

use std::fmt;

use super::error::StoreFault;
use super::value::{Row, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads as of one moment.
    Read,
    /// Writes; after the commit it is on the disk.
    Write,
    /// Writes without waiting for the disk: only a power cut loses the last seconds.
    Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Creates it: for a server's start, and for the first account.
    Create,
    /// Fails: a command that only reads or changes has named the wrong store.
    Refuse,
}

/// A database: one connection, which reconnects by itself outside a transaction. Its functions block.
pub trait Database: Send + fmt::Debug {
    /// Runs a statement that returns no rows; how many rows it changed.
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault>;

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault>;

    /// Begins a transaction. Fails where the store is gone or was replaced by another one.
    fn begin(&mut self, access: Access) -> Result<(), StoreFault>;

    fn commit(&mut self) -> Result<(), StoreFault>;

    /// Undoes the transaction. What fails here fails in the next `begin`.
    fn rollback(&mut self);

    /// Reconnects to a store that exists; never creates one.
    fn reopen(&mut self) -> Result<(), StoreFault>;

    /// Overwrites what deleted and changed rows have left in a file. A database server does that itself, in time.
    fn scrub(&mut self) -> Result<(), StoreFault> {
        Ok(())
    }

    /// A subquery of the numbers in a parameter of [`Value::Integers`], as the column `value`.
    fn each(&self, parameter: &str) -> String;

    /// Locks the rows of a subquery and skips those locked by others; empty where writers never run together.
    fn skip_locked(&self) -> &'static str;
}
