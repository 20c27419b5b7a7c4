//! Limits the dashboard requests in progress: pages, and separately sign-in attempts.
//!
//! Each may hold a connection to the store, and an attempt waits for the thread that hashes, so requests above
//! these limits are answered 503 at once. Attempts have slots of their own, of which one network gets a few, so a
//! flood of them blocks neither the pages of signed-in users nor the attempts of others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::text::network::Network;

const PAGES_MAX: usize = 32;

/// Attempts of any client: at 20 ms each the last one waits a fifth of a second.
const SIGN_INS_MAX: usize = 8;
const SIGN_INS_OF_NETWORK_MAX: usize = 3;

/// Further attempts for devices that signed in before, when the others are taken.
const KNOWN_SIGN_INS_MAX: usize = 4;

#[derive(Debug)]
pub struct Slots {
    pages: Semaphore,
    sign_ins: Semaphore,
    known_sign_ins: Semaphore,
    /// Attempts in progress of each network that has any.
    networks: Mutex<HashMap<Network, usize>>,
}

/// A slot, released on drop.
#[derive(Debug)]
pub struct Turn<'s> {
    _permit: SemaphorePermit<'s>,
    network: Option<(&'s Slots, Network)>,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots {
            pages: Semaphore::new(PAGES_MAX),
            sign_ins: Semaphore::new(SIGN_INS_MAX),
            known_sign_ins: Semaphore::new(KNOWN_SIGN_INS_MAX),
            networks: Mutex::default(),
        }
    }
}

impl Slots {
    pub fn page(&self) -> Option<Turn<'_>> {
        Some(Turn { _permit: self.pages.try_acquire().ok()?, network: None })
    }

    pub fn sign_in(&self, network: Network) -> Option<Turn<'_>> {
        let permit = self.sign_ins.try_acquire().ok()?;
        let mut networks = self.networks();
        let count = networks.entry(network).or_default();
        if *count == SIGN_INS_OF_NETWORK_MAX {
            return None;
        }
        *count += 1;
        Some(Turn { _permit: permit, network: Some((self, network)) })
    }

    pub fn sign_in_of_known_device(&self) -> Option<Turn<'_>> {
        Some(Turn { _permit: self.known_sign_ins.try_acquire().ok()?, network: None })
    }

    /// Ignores poisoning: each count changes in one step.
    fn networks(&self) -> MutexGuard<'_, HashMap<Network, usize>> {
        self.networks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Some((slots, network)) = self.network else { return };
        let mut networks = slots.networks();
        if let Some(count) = networks.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                networks.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(last: u8) -> Network {
        Network::of_client([192, 0, 2, last].into())
    }

    #[test]
    fn sign_ins_do_not_use_the_slots_of_pages_and_known_devices() {
        let slots = Slots::default();
        let mut turns = Vec::new();
        for last in 0..100 {
            turns.extend(slots.sign_in(network(last)));
        }
        assert_eq!(turns.len(), SIGN_INS_MAX);
        assert!(slots.page().is_some() && slots.sign_in_of_known_device().is_some());
        turns.pop();
        assert!(slots.sign_in(network(200)).is_some());
    }

    #[test]
    fn slots_of_a_network_are_limited_and_freed_on_drop() {
        let slots = Slots::default();
        for _ in 0..3 {
            let turns: Vec<_> = (0..100).filter_map(|_| slots.sign_in(network(1))).collect();
            assert_eq!(turns.len(), SIGN_INS_OF_NETWORK_MAX);
            assert!(slots.sign_in(network(2)).is_some());
        }
        assert!(slots.networks().is_empty());
    }
}
