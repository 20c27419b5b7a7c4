//! The few things a store asks of a database, so that one set of statements serves every kind.
//!
//! [`Session`] is what store functions work with: it runs statements and transactions and says in
//! every error which store failed. [`Database`] is what a kind of database implements; [`Value`]
//! is what goes in, [`Row`] what comes out.
//!
//! Statements are in the part of SQL that SQLite and PostgreSQL share: parameters are `$1`, `$2`
//! and so on; an insert gives its number back with `RETURNING id`; a sum is
//! `CAST(sum(x) AS BIGINT)`; a list of numbers is [`Value::Integers`] read through
//! [`Session::each`]. Truth is 0 or 1.

use std::fmt;
use std::sync::Arc;

use super::error::{StoreError, StoreFault};
use super::health::Health;
use super::place::StatePlace;

/// A parameter of a statement, or a column of a row.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A number.
    Integer(i64),
    /// Text without NUL characters, which PostgreSQL cannot keep.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Numbers for [`Session::each`]; a parameter only.
    Integers(Vec<i64>),
}

/// What a value is, never what it says: it may be a hash or a secret.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("nothing"),
            Value::Integer(_) => f.write_str("a number"),
            Value::Text(_) => f.write_str("a text"),
            Value::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Value::Integers(numbers) => write!(f, "{} numbers", numbers.len()),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Integer(truth.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Value {
        Value::Bytes(bytes.to_vec())
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(bytes: &[u8; N]) -> Value {
        Value::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// A column's value as what the caller takes it for.
pub trait FromValue: Sized {
    /// The value, or what was expected of it.
    fn from_value(value: &Value) -> Result<Self, &'static str>;
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Result<i64, &'static str> {
        if let Value::Integer(number) = value { Ok(*number) } else { Err("a number") }
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Result<bool, &'static str> {
        match value {
            Value::Integer(0) => Ok(false),
            Value::Integer(1) => Ok(true),
            _ => Err("0 or 1"),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Result<String, &'static str> {
        if let Value::Text(text) = value { Ok(text.clone()) } else { Err("a text") }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Result<Vec<u8>, &'static str> {
        if let Value::Bytes(bytes) = value { Ok(bytes.clone()) } else { Err("bytes") }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: &Value) -> Result<[u8; N], &'static str> {
        let bytes = if let Value::Bytes(bytes) = value { bytes.as_slice() } else { &[] };
        bytes.try_into().map_err(|_length| "bytes of another number")
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Result<Option<T>, &'static str> {
        if *value == Value::Null { Ok(None) } else { T::from_value(value).map(Some) }
    }
}

/// One row of an answer.
#[derive(Debug)]
pub struct Row(pub(super) Vec<Value>);

impl Row {
    /// The column at this place, from 0.
    pub fn get<T: FromValue>(&self, at: usize) -> Result<T, StoreFault> {
        let value = self.0.get(at).unwrap_or(&Value::Null);
        T::from_value(value)
            .map_err(|expected| StoreFault::BadValue { expected, found: format!("{value:?}") })
    }
}

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads as of one moment.
    Read,
    /// Writes; what is done is on the disk.
    Write,
    /// Writes what may be forgotten by a power cut, a few seconds back, though not by the end of
    /// this process: nobody waits for the disk.
    Note,
}

/// What a kind of database does. One value is one connection, which connects anew by itself where
/// it was lost outside a transaction.
///
/// The functions wait: they are called on threads that may, never on one that drives requests.
pub trait Database: Send + fmt::Debug {
    /// Runs a statement that gives no rows; how many rows it changed.
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault>;

    /// Runs a statement and gives its rows.
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault>;

    /// Begins a transaction. Fails where the store is gone or another one stands in its place.
    fn begin(&mut self, access: Access) -> Result<(), StoreFault>;

    /// Ends the transaction and keeps what it did.
    fn commit(&mut self) -> Result<(), StoreFault>;

    /// Ends the transaction as if it had never been. What fails here fails in the next `begin`.
    fn rollback(&mut self);

    /// Connects anew to a store that is there already, and never makes one.
    fn reopen(&mut self) -> Result<(), StoreFault>;

    /// A subquery of the numbers in a parameter of [`Value::Integers`], as the column `value`.
    fn each(&self, parameter: &str) -> String;

    /// What makes the rows of a subquery be locked for this transaction, those that another one
    /// holds passed over; nothing where writing transactions follow each other anyway.
    fn skip_locked(&self) -> &'static str;
}

/// A connection to a store, as store functions see it.
#[derive(Debug)]
pub struct Session {
    place: StatePlace,
    database: Box<dyn Database>,
    health: Option<Arc<Health>>,
}

impl Session {
    pub(super) fn over(place: StatePlace, database: Box<dyn Database>) -> Session {
        Session { place, database, health: None }
    }

    pub(super) fn report_to(&mut self, health: Arc<Health>) {
        self.health = Some(health);
    }

    /// The error that this store has this fault.
    pub fn unusable(&self, fault: StoreFault) -> StoreError {
        StoreError::Unusable { place: self.place.clone(), fault }
    }

    /// Runs a statement that gives no rows; how many rows it changed.
    pub fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        self.database.execute(sql, parameters).map_err(|fault| self.unusable(fault))
    }

    /// Every row of a query, each made a `T` by `make`.
    pub fn rows<T>(
        &mut self,
        sql: &str,
        parameters: &[Value],
        make: impl FnMut(&Row) -> Result<T, StoreFault>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.database.query(sql, parameters);
        rows.and_then(|rows| rows.iter().map(make).collect()).map_err(|fault| self.unusable(fault))
    }

    /// The first row of a query, where there is one.
    pub fn row<T>(
        &mut self,
        sql: &str,
        parameters: &[Value],
        make: impl FnMut(&Row) -> Result<T, StoreFault>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.rows(sql, parameters, make)?.into_iter().next())
    }

    /// Runs `work` on the store as it is at one moment.
    pub fn read<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction(Access::Read, work)
    }

    /// Runs `work` in one transaction; an error undoes all of it. On PostgreSQL others may write
    /// at the same time: lock what is read in order to be written.
    pub fn write<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction(Access::Write, work)
    }

    /// The same for counts and the like: see [`Access::Note`].
    pub fn note<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction(Access::Note, work)
    }

    /// The same as [`write`](Self::write) for what changes accounts, keys, plans or quotas: every server loads its keyring
    /// anew within a second. These transactions follow each other, on every database.
    pub fn change_rights<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.write(|session| {
            // First, so that its lock on the one row keeps other such transactions waiting.
            session.execute("UPDATE rights SET generation = generation + 1", &[])?;
            work(session)
        })
    }

    fn transaction<T>(
        &mut self,
        access: Access,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = self.attempt(access, work);
        // Reading is watched by the one that reads all the time.
        if let (Some(health), Access::Write | Access::Note) = (&self.health, access) {
            match &done {
                Ok(_) => health.worked(access),
                Err(error) if error.is_unusable() => health.failed(access, error),
                Err(_) => {}
            }
        }
        done
    }

    fn attempt<T>(
        &mut self,
        access: Access,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.database.begin(access).map_err(|fault| self.unusable(fault))?;
        let done = work(self);
        let done = done.and_then(|done| match self.database.commit() {
            Ok(()) => Ok(done),
            Err(fault) => Err(self.unusable(fault)),
        });
        if done.is_err() {
            self.database.rollback();
        }
        done
    }

    /// Connects anew; see [`Database::reopen`].
    pub fn reopen(&mut self) -> Result<(), StoreError> {
        self.database.reopen().map_err(|fault| self.unusable(fault))
    }

    /// See [`Database::each`].
    pub fn each(&self, parameter: &str) -> String {
        self.database.each(parameter)
    }

    /// See [`Database::skip_locked`].
    pub fn skip_locked(&self) -> &'static str {
        self.database.skip_locked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_another_type_is_told_without_its_content() {
        let row = Row(vec![Value::from("secret"), Value::Null, Value::from(&[7; 3]), 2.into()]);
        #[track_caller]
        fn check<T: FromValue + fmt::Debug>(row: &Row, at: usize, expected: &str) {
            let fault = row.get::<T>(at).expect_err("another type").to_string();
            assert!(fault.contains(expected) && !fault.contains("secret"), "{fault}");
        }
        check::<i64>(&row, 0, "a number was expected, found \"a text\"");
        check::<String>(&row, 1, "a text was expected, found \"nothing\"");
        check::<[u8; 32]>(&row, 2, "found \"3 bytes\"");
        check::<bool>(&row, 3, "0 or 1 was expected");
        check::<i64>(&row, 9, "found \"nothing\"");
        assert_eq!(row.get::<Option<String>>(1).expect("nothing is fine"), None);
        assert_eq!(row.get::<Option<i64>>(3).expect("a number"), Some(2));
        assert_eq!(row.get::<[u8; 3]>(2).expect("three"), [7; 3]);
    }
}
