//! A connection pool for callers that need the store occasionally.
//!
//! A failed connection is dropped; the next caller opens another one, but never creates a store. The callers
//! limit the number of connections in use, not the pool.

use std::sync::{Arc, Mutex, PoisonError};

use super::connection::Store;
use super::database::{Access, IfMissing};
use super::error::{StoreError, TransactionError};
use super::health::Health;
use super::location::StoreLocation;

/// The most connections kept open while they are idle.
const IDLE_MAX: usize = 4;

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
    pub fn connect(&self) -> Result<Store, StoreError> {
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
