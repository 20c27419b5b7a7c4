//! Connections to the store, for whoever needs one now and then.
//!
//! A connection that failed is thrown away; the next caller opens another, and never makes a
//! store where there is none. Knows no bound: how many may ask at once is the caller's to say.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Access, Health, IfMissing, StatePlace, Store, StoreError};

/// Connections kept open while nobody needs them, at most.
const IDLE_MAX: usize = 4;

/// The connections of one program to one store.
#[derive(Debug)]
pub struct StorePool {
    place: StatePlace,
    health: Arc<Health>,
    idle: Mutex<Vec<Store>>,
}

impl StorePool {
    /// A pool without a connection as yet.
    pub fn of(place: StatePlace) -> StorePool {
        StorePool { place, health: Arc::default(), idle: Mutex::default() }
    }

    /// Where the store is.
    pub fn place(&self) -> &StatePlace {
        &self.place
    }

    /// Whether the store works, as its connections find it.
    pub fn health(&self) -> &Arc<Health> {
        &self.health
    }

    /// A connection for somebody who keeps it.
    pub fn connect(&self) -> Result<Store, StoreError> {
        let opened = Store::open(&self.place, IfMissing::Refuse);
        match opened {
            Ok(mut store) => {
                store.report_to(Arc::clone(&self.health));
                Ok(store)
            }
            Err(error) => {
                self.health.failed(Access::Write, &error);
                Err(error)
            }
        }
    }

    /// Does `work` with a connection. Waits for the store: not for threads that drive requests.
    pub fn run<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // A panic elsewhere leaves the list whole: pushing and popping are all that is done to it.
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let mut store = match known {
            Some(store) => store,
            None => self.connect()?,
        };
        let done = work(&mut store);
        if !done.as_ref().is_err_and(StoreError::is_unusable) {
            let mut idle = idle();
            if idle.len() < IDLE_MAX {
                idle.push(store);
            }
        }
        done
    }
}
