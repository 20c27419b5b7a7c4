//! A lock of a database by a name, for work that is done elsewhere: of all sessions one has it at a time.
//!
//! It is the lock of a transaction, so that it holds behind a pooler too, and ends with the connection: a killed holder
//! leaves nothing. One that asks nothing for twice [`STATEMENT_TIME_MAX`] loses it, so that a frozen one holds up nobody
//! for long. Whoever has lost it learns that from [`NamedLock::check`]. Knows no table, and no schema of daicho's.

use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::PostgresDatabase;
use crate::account::store::database::{Access, Database};
use crate::account::store::error::{StoreError, StoreFault};
use crate::account::store::location::StoreLocation;
use crate::account::store::value::{FromValue, Value};

/// How often a lock is tried that somebody else has.
const REST: Duration = Duration::from_millis(50);

/// A standby has locks of its own, which nobody else sees.
const IS_STANDBY: &str = "SELECT pg_is_in_recovery()";

const NAME_SESSION: &str = "SELECT set_config('application_name', $1, true)";

const TRY: &str = "SELECT pg_try_advisory_xact_lock($1)";

const HOLDER: &str = "SELECT COALESCE(application_name, ''), CAST(pid AS BIGINT) \
    FROM pg_locks LEFT JOIN pg_stat_activity USING (pid) \
    WHERE locktype = 'advisory' AND granted AND objsubid = 1 \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND CAST(classid AS BIGINT) << 32 | CAST(objid AS BIGINT) = $1";

/// Held until it is dropped, as long as its connection lives.
#[derive(Debug)]
pub struct NamedLock {
    location: StoreLocation,
    database: PostgresDatabase,
}

impl NamedLock {
    /// Waits for the lock of this name. Others are told who has it: `holder`, of which PostgreSQL keeps 63 bytes.
    pub fn take(
        location: &StoreLocation,
        name: &str,
        holder: &str,
        patience: Duration,
    ) -> Result<NamedLock, StoreError> {
        let failed = |fault| StoreError::Unusable { location: location.clone(), fault };
        let StoreLocation::Postgres(address) = location else {
            return Err(failed(StoreFault::NoNamedLocks));
        };
        let database = PostgresDatabase::at(address).map_err(failed)?;
        let mut lock = NamedLock { location: location.clone(), database };
        lock.wait(key_of(name), holder, patience).map_err(failed)?;
        Ok(lock)
    }

    fn wait(&mut self, key: i64, holder: &str, patience: Duration) -> Result<(), StoreFault> {
        let begun = Instant::now();
        self.database.begin(Access::Write)?;
        if self.ask::<bool>(IS_STANDBY, &[])? {
            return Err(StoreFault::Standby);
        }
        self.ask::<String>(NAME_SESSION, &[Value::Text(holder.to_owned())])?;
        while !self.ask::<bool>(TRY, &[Value::Integer(key)])? {
            if begun.elapsed() >= patience {
                let seconds = patience.as_secs();
                return Err(StoreFault::Locked { holder: self.holder(key)?, seconds });
            }
            thread::sleep(REST);
        }
        Ok(())
    }

    fn holder(&mut self, key: i64) -> Result<String, StoreFault> {
        let rows = self.database.query(HOLDER, &[Value::Integer(key)])?;
        match rows.first() {
            None => Ok("a session that has just ended".to_owned()),
            Some(row) => {
                let (name, process): (String, i64) = (row.get(0)?, row.get(1)?);
                Ok(format!("{name:?} (pid {process} of pg_stat_activity)"))
            }
        }
    }

    fn ask<T: FromValue>(&mut self, sql: &str, parameters: &[Value]) -> Result<T, StoreFault> {
        let rows = self.database.query(sql, parameters)?;
        rows.first().map_or_else(|| T::from_value(&Value::Null), |row| row.get(0))
    }

    /// Whether it is held still: an error where the connection was lost, and the lock with it.
    pub fn check(&mut self) -> Result<(), StoreError> {
        let asked = self.ask::<bool>("SELECT true", &[]);
        let failed = |fault| StoreError::Unusable { location: self.location.clone(), fault };
        asked.map(|_true| ()).map_err(failed)
    }
}

/// The first 64 bits of its SHA-256, so that two names have no lock in common, nor one with the migrations.
fn key_of(name: &str) -> i64 {
    let sum = Sha256::digest(name);
    i64::from_be_bytes(*sum.first_chunk().expect("32 bytes"))
}
