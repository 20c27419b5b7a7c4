//! The store: accounts, keys, and all other persistent state of a server.
//!
//! One set of statements runs on SQLite (a file, for one machine) and on PostgreSQL (for several), which
//! implement the trait [`Database`]. Every write is one transaction; callers pass the time. `migrations/`
//! defines the tables. Each file of statements adds its methods to [`Store`]; other modules run theirs through
//! [`Store::read`] and [`Store::write`]. Requests use the [`Keyring`](super::Keyring) from
//! [`Store::load_keyring`] instead.
//!
//! A [`StorePool`] has connections for callers that need one occasionally. [`Health`] says whether the store works,
//! across all connections of a server: a metric, and a log line at each change. It tracks reads and writes separately:
//! a full disk can be read but not written.

mod accounts;
mod content;
mod database;
mod error;
mod keys;
mod location;
mod operations;
mod postgres;
mod sign_in;
mod sqlite;
mod tables;
mod usage;
mod value;

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use database::Schema;
use postgres::PostgresDatabase;
use sqlite::SqliteDatabase;

pub use accounts::{AccountChange, Holdings, NewAccount};
pub use content::{ContentReader, ContentWriter, Values};
pub use database::{Access, Database, IfMissing};
pub use error::{StoreError, StoreFault, StoreResult, TransactionError};
pub use keys::{KeyRecord, NewKey};
pub use location::{ServerAddress, StoreLocation, StoreLocationFault};
pub use operations::{OperatedAt, Operation};
pub use postgres::NamedLock;
pub use sign_in::{NewSession, SessionRecord};
pub use tables::{Column, ColumnKind, Table, tables};
pub use usage::{AccountUsage, EndpointUsage, Figure, KeyUse, Usage};
pub use value::{FromValue, Row, Value};
pub(crate) use value::{from_text, into_value};

/// Puts the network and the faults of a simulation (tests/simulation) before a database. Does nothing on other threads.
#[cfg(test)]
pub static SIMULATED: std::sync::OnceLock<SimulateDatabase> = std::sync::OnceLock::new();

#[cfg(test)]
pub type SimulateDatabase = fn(Box<dyn Database>) -> Box<dyn Database>;

/// A connection to the store. Every function blocks until the database has answered.
#[derive(Debug)]
pub struct Store {
    location: StoreLocation,
    database: Box<dyn Database>,
    health: Option<Arc<Health>>,
}

impl Store {
    /// Opens the store at this location and migrates its schema to the newest.
    pub fn open(location: &StoreLocation, if_missing: IfMissing) -> StoreResult<Store> {
        let failed = |fault| StoreError::Unusable { location: location.clone(), fault };
        let database: Box<dyn Database> = match location {
            StoreLocation::File(path) => {
                Box::new(SqliteDatabase::open(path, if_missing).map_err(failed)?)
            }
            StoreLocation::Postgres(address) => {
                Box::new(PostgresDatabase::open(address, if_missing).map_err(failed)?)
            }
        };
        #[cfg(test)]
        let database = match SIMULATED.get() {
            Some(simulate) => simulate(database),
            None => database,
        };
        Ok(Store { location: location.clone(), database, health: None })
    }

    /// Opens an existing store to look at it: neither migrates it nor changes anything else. Also returns how many
    /// migrations its schema lacks; statements of this version may fail if it lacks any.
    pub fn open_unchanged(location: &StoreLocation) -> StoreResult<(Store, usize)> {
        let failed = |fault| StoreError::Unusable { location: location.clone(), fault };
        let (database, schema): (Box<dyn Database>, Schema) = match location {
            StoreLocation::File(path) => {
                let (database, schema) = SqliteDatabase::open_unchanged(path).map_err(failed)?;
                (Box::new(database), schema)
            }
            StoreLocation::Postgres(address) => {
                let (database, schema) =
                    PostgresDatabase::open_unchanged(address).map_err(failed)?;
                (Box::new(database), schema)
            }
        };
        let store = Store { location: location.clone(), database, health: None };
        Ok((store, schema.due().len()))
    }

    /// Reads the whole store for damage, if the database does not do that itself.
    pub fn check(&mut self) -> StoreResult {
        self.database.check().map_err(|fault| self.unusable(fault))
    }

    pub fn location(&self) -> &StoreLocation {
        &self.location
    }

    /// Reports to `health` whether writes succeed.
    pub fn report_to(&mut self, health: Arc<Health>) {
        self.health = Some(health);
    }

    /// Reconnects to a store that exists; never creates an empty one.
    pub fn reopen(&mut self) -> StoreResult {
        self.database.reopen().map_err(|fault| self.unusable(fault))
    }

    /// Changes whenever accounts, keys, plans or quotas change. Fails if the store is gone: see
    /// [`reopen`](Self::reopen).
    pub fn generation(&mut self) -> StoreResult<Generation> {
        let sql = "SELECT generation FROM rights";
        let generation: Option<i64> = self.read(|tx| tx.row(sql, &[], |row| row.get(0)))?;
        let missing = || self.unusable(StoreFault::bad_value("a generation", "none"));
        generation.map(Generation).ok_or_else(missing)
    }

    /// Writes without changing anything, to learn whether writing works.
    pub fn probe_write(&mut self) -> StoreResult {
        self.write(|tx| tx.execute("UPDATE rights SET generation = generation", &[])).map(drop)
    }

    /// See [`Database::scrub`].
    pub fn scrub(&mut self) -> StoreResult {
        self.database.scrub().map_err(|fault| self.unusable(fault))
    }

    /// Runs `work` on a consistent snapshot of the store.
    pub fn read<T, E: TransactionError>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction(Access::Read, work)
    }

    /// Runs `work` in one transaction; an error rolls it back. On PostgreSQL, lock rows that you read and then
    /// write.
    pub fn write<T, E: TransactionError>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction(Access::Write, work)
    }

    /// Like [`write`](Self::write), for changes of what a keyring contains: one at a time, after which every server
    /// reloads its keyring.
    pub fn change_rights<T, E: TransactionError>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.write(|tx| {
            // Must come first: the lock on this row serialises such transactions.
            tx.execute("UPDATE rights SET generation = generation + 1", &[])?;
            work(tx)
        })
    }

    fn transaction<T, E: TransactionError>(
        &mut self,
        access: Access,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let result = self.run(access, work);
        // Reads are reported by the thread that polls the store.
        if let (Some(health), Access::Write | Access::RelaxedWrite) = (&self.health, access) {
            match &result {
                Ok(_) => health.succeeded(access),
                Err(error) => {
                    if let Some(error) = error.unusable_store() {
                        health.failed(access, error);
                    }
                }
            }
        }
        result
    }

    fn run<T, E: TransactionError>(
        &mut self,
        access: Access,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.database.begin(access).map_err(|fault| self.unusable(fault))?;
        let mut tx = Transaction { location: &self.location, database: &mut *self.database };
        let result = work(&mut tx).and_then(|value| match self.database.commit() {
            Ok(()) => Ok(value),
            Err(fault) => Err(self.unusable(fault).into()),
        });
        if result.is_err() {
            self.database.rollback();
        }
        result
    }

    fn unusable(&self, fault: StoreFault) -> StoreError {
        StoreError::Unusable { location: self.location.clone(), fault }
    }
}

/// A state of the store; two can only be compared for equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generation(i64);

/// A running transaction. Every error names the store.
#[derive(Debug)]
pub struct Transaction<'s> {
    location: &'s StoreLocation,
    database: &'s mut dyn Database,
}

impl Transaction<'_> {
    pub fn execute(&mut self, sql: &str, parameters: &[Value]) -> StoreResult<u64> {
        self.database.execute(sql, parameters).map_err(|fault| self.unusable(fault))
    }

    pub fn rows<T>(
        &mut self,
        sql: &str,
        parameters: &[Value],
        read: impl FnMut(&Row) -> Result<T, StoreFault>,
    ) -> StoreResult<Vec<T>> {
        let rows = self.database.query(sql, parameters);
        rows.and_then(|rows| rows.iter().map(read).collect()).map_err(|fault| self.unusable(fault))
    }

    pub fn row<T>(
        &mut self,
        sql: &str,
        parameters: &[Value],
        read: impl FnMut(&Row) -> Result<T, StoreFault>,
    ) -> StoreResult<Option<T>> {
        Ok(self.rows(sql, parameters, read)?.into_iter().next())
    }

    /// The number in the first column of the first row; 0 without a row.
    pub fn count(&mut self, sql: &str, parameters: &[Value]) -> StoreResult<u64> {
        Ok(self.row(sql, parameters, |row| row.get(0))?.unwrap_or(0))
    }

    /// See [`Database::unnest`].
    pub fn unnest(&self, parameter: &str) -> String {
        self.database.unnest(parameter)
    }

    /// Keeps others from writing to these tables until the end of the transaction.
    fn lock_tables(&mut self, tables: &[Table]) -> StoreResult {
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        self.database.lock_tables(&names).map_err(|fault| self.unusable(fault))
    }

    /// See [`Database::skip_locked`].
    pub fn skip_locked(&self) -> &'static str {
        self.database.skip_locked()
    }

    fn unusable(&self, fault: StoreFault) -> StoreError {
        StoreError::Unusable { location: self.location.clone(), fault }
    }
}

/// The most connections kept open while they are idle.
const IDLE_MAX: usize = 4;

/// A failed connection is dropped; the next caller opens another one, but never creates a store. The callers limit
/// the number of connections in use, not the pool.
#[derive(Debug)]
pub struct StorePool {
    pub location: StoreLocation,
    pub health: Arc<Health>,
    idle: Mutex<Vec<Store>>,
}

impl StorePool {
    /// A pool without connections; opens the first one when needed.
    pub fn of(location: StoreLocation) -> StorePool {
        StorePool { location, health: Arc::default(), idle: Mutex::default() }
    }

    /// A separate connection, which does not return to the pool.
    pub fn connect(&self) -> StoreResult<Store> {
        let mut store = Store::open(&self.location, IfMissing::Refuse)
            .inspect_err(|error| self.health.failed(Access::Write, error))?;
        store.report_to(Arc::clone(&self.health));
        Ok(store)
    }

    /// Runs `work` with a connection. Blocks: not for threads that drive requests.
    pub fn run<T, E: TransactionError>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, E>,
    ) -> Result<T, E> {
        // A panic elsewhere leaves the list intact: it is only pushed to and popped from.
        let lock_idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let idle_store = lock_idle().pop();
        let mut store = match idle_store {
            Some(store) => store,
            None => self.connect()?,
        };
        let result = work(&mut store);
        let has_failed = result.as_ref().is_err_and(|error| error.unusable_store().is_some());
        if !has_failed {
            let mut idle = lock_idle();
            if idle.len() < IDLE_MAX {
                idle.push(store);
            }
        }
        result
    }
}

#[derive(Debug, Default)]
pub struct Health {
    /// A bit for each kind of access that failed when it was last tried.
    failing: AtomicU8,
}

impl Health {
    pub fn is_healthy(&self) -> bool {
        self.failing.load(Ordering::Relaxed) == 0
    }

    pub fn is_write_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed) & bit(Access::Write) != 0
    }

    pub fn failed(&self, access: Access, error: &StoreError) {
        if self.failing.fetch_or(bit(access), Ordering::Relaxed) == 0 {
            tracing::warn!(%error, "the store is failing; keys already loaded keep working");
        }
    }

    /// Like [`failed`](Self::failed), but the caller logs the reason.
    pub fn mark_failing(&self, access: Access) {
        self.failing.fetch_or(bit(access), Ordering::Relaxed);
    }

    pub fn succeeded(&self, access: Access) {
        // Load first: nearly always there is nothing to change.
        let failing = self.failing.load(Ordering::Relaxed);
        if failing & bit(access) != 0
            && self.failing.fetch_and(!bit(access), Ordering::Relaxed) == bit(access)
        {
            tracing::info!("the store works again");
        }
    }
}

fn bit(access: Access) -> u8 {
    match access {
        Access::Read => 1,
        Access::Write | Access::RelaxedWrite => 2,
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use super::{StoreFault, StoreLocation};

    #[test]
    fn a_store_is_healthy_if_reads_and_writes_work() {
        let location = StoreLocation::File("daicho.db".into());
        let full = StoreError::Unusable { location, fault: StoreFault::Full };
        let health = Health::default();
        health.failed(Access::Write, &full);
        health.succeeded(Access::Read);
        assert!(!health.is_healthy() && health.is_write_failing());
        health.failed(Access::Read, &full);
        health.succeeded(Access::Write);
        assert!(!health.is_healthy() && !health.is_write_failing());
        health.succeeded(Access::Read);
        assert!(health.is_healthy());
    }
}
