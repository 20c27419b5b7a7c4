//! A named lock in a database, for work outside the database: at most one session holds it.
//!
//! It is an advisory lock of a transaction. So it also works through a connection pooler, and ends with the
//! connection, even if the holder is killed. A holder that sends no statement for twice [`STATEMENT_TIME_MAX`] loses
//! the lock, so that a frozen process does not block others for long; it learns that from [`NamedLock::check`].
//! Knows neither tables nor the schema of daicho.
//!
//! [`STATEMENT_TIME_MAX`]: super::STATEMENT_TIME_MAX

use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::PostgresDatabase;
use crate::account::store::database::{Access, Database};
use crate::account::store::error::{StoreError, StoreFault, StoreResult};
use crate::account::store::location::StoreLocation;
use crate::account::store::value::{FromValue, Value};

/// How often to try again while another session holds the lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// A standby has locks of its own, which sessions on the primary do not see.
const IS_STANDBY: &str = "SELECT pg_is_in_recovery()";

const NAME_SESSION: &str = "SELECT set_config('application_name', $1, true)";

const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock($1)";

const HOLDER: &str = "SELECT COALESCE(application_name, ''), CAST(pid AS BIGINT) \
    FROM pg_locks LEFT JOIN pg_stat_activity USING (pid) \
    WHERE locktype = 'advisory' AND granted AND objsubid = 1 \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND CAST(classid AS BIGINT) << 32 | CAST(objid AS BIGINT) = $1";

/// A held lock. Released when dropped; lost if its connection is lost.
#[derive(Debug)]
pub struct NamedLock {
    location: StoreLocation,
    database: PostgresDatabase,
}

impl NamedLock {
    /// Waits at most `wait_max` for the lock of this name. Errors of others name this `holder`, of which PostgreSQL
    /// keeps 63 bytes.
    pub fn acquire(
        location: &StoreLocation,
        name: &str,
        holder: &str,
        wait_max: Duration,
    ) -> StoreResult<NamedLock> {
        let failed = |fault| StoreError::Unusable { location: location.clone(), fault };
        let StoreLocation::Postgres(address) = location else {
            return Err(failed(StoreFault::NoNamedLocks));
        };
        let database = PostgresDatabase::new(address).map_err(failed)?;
        let mut lock = NamedLock { location: location.clone(), database };
        lock.wait(lock_key(name), holder, wait_max).map_err(failed)?;
        Ok(lock)
    }

    fn wait(&mut self, key: i64, holder: &str, wait_max: Duration) -> Result<(), StoreFault> {
        let started = Instant::now();
        self.database.begin(Access::Write)?;
        if self.query_value::<bool>(IS_STANDBY, &[])? {
            return Err(StoreFault::Standby);
        }
        self.query_value::<String>(NAME_SESSION, &[Value::Text(holder.to_owned())])?;
        while !self.query_value::<bool>(TRY_LOCK, &[Value::Integer(key)])? {
            if started.elapsed() >= wait_max {
                let seconds = wait_max.as_secs();
                return Err(StoreFault::Locked { holder: self.holder(key)?, seconds });
            }
            thread::sleep(RETRY_INTERVAL);
        }
        Ok(())
    }

    /// The session that holds the lock, for errors.
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

    /// The first column of the first row.
    fn query_value<T: FromValue>(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<T, StoreFault> {
        let rows = self.database.query(sql, parameters)?;
        rows.first().map_or_else(|| T::from_value(&Value::Null), |row| row.get(0))
    }

    /// Fails if the connection was lost, and the lock with it.
    pub fn check(&mut self) -> StoreResult {
        let answer = self.query_value::<bool>("SELECT true", &[]);
        let failed = |fault| StoreError::Unusable { location: self.location.clone(), fault };
        answer.map(|_true| ()).map_err(failed)
    }
}

/// The first 64 bits of the name's SHA-256, so that no two names share a lock, and none has the lock of migrations.
fn lock_key(name: &str) -> i64 {
    let sum = Sha256::digest(name);
    i64::from_be_bytes(*sum.first_chunk().expect("32 bytes"))
}
