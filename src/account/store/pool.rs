//! Connections to the store, for whoever needs one now and then.
//!
//! A connection that failed is thrown away; the next caller opens another, and never makes a
//! store where there is none. Knows no bound: how many may ask at once is the caller's to say.

use std::sync::{Mutex, PoisonError};

use super::{IfMissing, StatePlace, Store, StoreError};

/// Connections kept open while nobody needs them, at most.
const IDLE_MAX: usize = 4;

/// The connections of one program to one store.
#[derive(Debug)]
pub struct StorePool {
    place: StatePlace,
    idle: Mutex<Vec<Store>>,
}

impl StorePool {
    /// A pool without a connection as yet.
    pub fn of(place: StatePlace) -> StorePool {
        StorePool { place, idle: Mutex::default() }
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
            None => Store::open(&self.place, IfMissing::Refuse)?,
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
