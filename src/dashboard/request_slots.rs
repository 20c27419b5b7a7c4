//! Limits the dashboard requests in progress: pages, and separately sign-in attempts.
//!
//! Each request may hold a connection to the store, and an attempt waits while another password is hashed. So requests
//! above these limits are answered 503 at once. Attempts have slots of their own, of which one network gets only a few.
//! So a flood of them blocks neither the pages of signed-in users nor the attempts of others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::text::network::Network;

const PAGES_MAX: usize = 32;

/// Attempts of any client. A hash takes 20 ms, so the last attempt waits a fifth of a second.
const SIGN_INS_MAX: usize = 8;
const SIGN_INS_OF_NETWORK_MAX: usize = 3;

/// Additional attempts for devices that signed in before, when the other slots are taken.
const KNOWN_SIGN_INS_MAX: usize = 4;

#[derive(Debug)]
pub struct RequestSlots {
    pages: Semaphore,
    sign_ins: Semaphore,
    known_sign_ins: Semaphore,
    /// The attempts in progress of each network that has any.
    networks: Mutex<HashMap<Network, usize>>,
}

/// A slot that a request holds. It is released on drop.
#[derive(Debug)]
pub struct Slot<'s> {
    _permit: SemaphorePermit<'s>,
    /// For an attempt of any client: the network whose attempts it counts among.
    network: Option<(&'s RequestSlots, Network)>,
}

impl Default for RequestSlots {
    fn default() -> RequestSlots {
        RequestSlots {
            pages: Semaphore::new(PAGES_MAX),
            sign_ins: Semaphore::new(SIGN_INS_MAX),
            known_sign_ins: Semaphore::new(KNOWN_SIGN_INS_MAX),
            networks: Mutex::default(),
        }
    }
}

impl RequestSlots {
    pub fn acquire_page(&self) -> Option<Slot<'_>> {
        Some(Slot { _permit: self.pages.try_acquire().ok()?, network: None })
    }

    pub fn acquire_sign_in(&self, network: Network) -> Option<Slot<'_>> {
        let permit = self.sign_ins.try_acquire().ok()?;
        let mut networks = self.networks();
        let count = networks.entry(network).or_default();
        if *count == SIGN_INS_OF_NETWORK_MAX {
            return None;
        }
        *count += 1;
        Some(Slot { _permit: permit, network: Some((self, network)) })
    }

    pub fn acquire_known_device_sign_in(&self) -> Option<Slot<'_>> {
        Some(Slot { _permit: self.known_sign_ins.try_acquire().ok()?, network: None })
    }

    /// Ignores poisoning: each count changes in one step.
    fn networks(&self) -> MutexGuard<'_, HashMap<Network, usize>> {
        self.networks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot<'_> {
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

    fn network(last_byte: u8) -> Network {
        Network::of_client([192, 0, 2, last_byte].into())
    }

    #[test]
    fn sign_ins_do_not_use_the_slots_of_pages_and_known_devices() {
        let slots = RequestSlots::default();
        let mut held = Vec::new();
        for last_byte in 0..100 {
            held.extend(slots.acquire_sign_in(network(last_byte)));
        }
        assert_eq!(held.len(), SIGN_INS_MAX);
        assert!(slots.acquire_page().is_some() && slots.acquire_known_device_sign_in().is_some());
        held.pop();
        assert!(slots.acquire_sign_in(network(200)).is_some());
    }

    #[test]
    fn slots_of_a_network_are_limited_and_freed_on_drop() {
        let slots = RequestSlots::default();
        for _ in 0..3 {
            let held: Vec<_> = (0..100).filter_map(|_| slots.acquire_sign_in(network(1))).collect();
            assert_eq!(held.len(), SIGN_INS_OF_NETWORK_MAX);
            assert!(slots.acquire_sign_in(network(2)).is_some());
        }
        assert!(slots.networks().is_empty());
    }
}
