//! One connection to the store, and its transactions.

use std::sync::Arc;

use super::database::{Access, Database, IfMissing};
use super::error::{StoreError, StoreFault, TransactionError};
use super::health::Health;
use super::location::StoreLocation;
use super::postgres::PostgresDatabase;
use super::sqlite::SqliteDatabase;
use super::transaction::Transaction;

/// A connection to the store. Every function blocks until the database has answered.
#[derive(Debug)]
pub struct Store {
    location: StoreLocation,
    database: Box<dyn Database>,
    health: Option<Arc<Health>>,
}

impl Store {
    /// Opens the store at this location and migrates its schema to the newest.
    pub fn open(location: &StoreLocation, if_missing: IfMissing) -> Result<Store, StoreError> {
        let failed = |fault| StoreError::Unusable { location: location.clone(), fault };
        let database: Box<dyn Database> = match location {
            StoreLocation::File(path) => {
                Box::new(SqliteDatabase::open(path, if_missing).map_err(failed)?)
            }
            StoreLocation::Postgres(address) => {
                Box::new(PostgresDatabase::open(address, if_missing).map_err(failed)?)
            }
        };
        Ok(Store { location: location.clone(), database, health: None })
    }

    pub fn location(&self) -> &StoreLocation {
        &self.location
    }

    /// Reports to `health` whether writes succeed.
    pub fn report_to(&mut self, health: Arc<Health>) {
        self.health = Some(health);
    }

    /// Reconnects to a store that exists; never creates an empty one.
    pub fn reopen(&mut self) -> Result<(), StoreError> {
        self.database.reopen().map_err(|fault| self.unusable(fault))
    }

    /// Changes whenever accounts, keys, plans or quotas change. Fails if the store is gone: see
    /// [`reopen`](Self::reopen).
    pub fn generation(&mut self) -> Result<Generation, StoreError> {
        let sql = "SELECT generation FROM rights";
        let generation: Option<i64> = self.read(|tx| tx.row(sql, &[], |row| row.get(0)))?;
        let missing = || self.unusable(StoreFault::bad_value("a generation", "none"));
        generation.map(Generation).ok_or_else(missing)
    }

    /// Writes without changing anything, to learn whether writing works.
    pub fn probe_write(&mut self) -> Result<(), StoreError> {
        self.write(|tx| tx.execute("UPDATE rights SET generation = generation", &[])).map(drop)
    }

    /// See [`Database::scrub`].
    pub fn scrub(&mut self) -> Result<(), StoreError> {
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

    /// Like [`write`](Self::write), for counts and the like: see [`Access::RelaxedWrite`].
    pub fn write_relaxed<T, E: TransactionError>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction(Access::RelaxedWrite, work)
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
