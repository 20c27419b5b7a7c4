//! The shared state of the dashboard.
//!
//! The history has the counters of the last ten minutes, sampled every two seconds, for the charts. One task adds
//! samples to a ring buffer, so a page shows the past at once. A step is the time between two samples.
//!
//! The slots limit the requests in progress: pages, and separately sign-in attempts. Each request may hold a
//! connection to the store, and an attempt waits while another password is hashed. So requests above these limits are
//! answered 503 at once. Attempts have slots of their own, of which one network gets only a few. So a flood of them
//! blocks neither the pages of signed-in users nor the attempts of others.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use super::error::PageError;
use crate::account::store::StorePool;
use crate::account::{Password, PasswordHash, SALT_LENGTH, random_bytes};
use crate::api::Api;
use crate::api::executor::capacity::{Capacity, KeyedSemaphore, Permits};
use crate::radar::stored_secret::SecretCipher;
use crate::server::metrics::{Label, Metrics, Totals};
use crate::server::public_site::PublicSite;
use crate::text::network::Network;

/// Metrics label of requests to the dashboard.
pub const LABEL: &str = "/dashboard";

pub struct DashboardParts {
    pub api: Arc<Api>,
    pub metrics: Arc<Metrics>,
    /// The label under which its own requests are counted.
    pub label: Label,
    pub store: Arc<StorePool>,
    pub cipher: SecretCipher,
    /// Where browsers reach it.
    pub site: Arc<PublicSite>,
    /// Whether the operator says that a proxy speaks HTTPS with the browsers.
    pub is_behind_https: bool,
    /// Maximum number of live keys of an account.
    pub keys_max: u64,
    /// The API's address, if it differs from the dashboard's.
    pub api_base: Option<String>,
}

pub struct Dashboard {
    pub(super) parts: DashboardParts,
    /// Notified when the operator asks for a reload of the snapshot folder.
    pub reload: Notify,
    pub(super) history: History,
    pub(super) slots: RequestSlots,
    /// Locked while a password is hashed, which takes 19 MiB and a core: one at a time.
    hashing: Mutex<()>,
}

impl Dashboard {
    pub fn new(parts: DashboardParts) -> Dashboard {
        Dashboard {
            parts,
            reload: Notify::new(),
            history: History::default(),
            slots: RequestSlots::default(),
            hashing: Mutex::new(()),
        }
    }

    pub(super) fn hash(&self, password: &Password) -> Result<PasswordHash, PageError> {
        let salt = random::<SALT_LENGTH>()?;
        let _guard = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        password.hash(salt).map_err(PageError::system)
    }

    pub(super) fn matches(&self, hash: &PasswordHash, password: &str) -> bool {
        let _guard = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        hash.matches(password)
    }
}

pub fn random<const N: usize>() -> Result<[u8; N], PageError> {
    random_bytes().map_err(PageError::system)
}

pub const SAMPLE_INTERVAL: Duration = Duration::from_secs(2);

/// The number of steps in ten minutes.
const STEPS_MAX: usize = 300;

/// The samples, the newest last.
#[derive(Debug, Default)]
pub struct History(Mutex<VecDeque<Totals>>);

impl History {
    pub fn add(&self, totals: Totals) {
        let mut samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if samples.len() > STEPS_MAX {
            samples.pop_front();
        }
        samples.push_back(totals);
    }

    /// The counts of each step, the oldest first.
    pub fn steps(&self) -> Vec<Totals> {
        let samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        samples.iter().zip(samples.iter().skip(1)).map(|(then, now)| now.since(then)).collect()
    }

    /// The counts of the last `steps` steps, and how many seconds they took.
    pub fn recent(&self, steps: usize) -> (Totals, f64) {
        let samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = steps.min(samples.len().saturating_sub(1));
        let counted = match (samples.back(), samples.iter().nth_back(steps)) {
            (Some(now), Some(then)) => now.since(then),
            _ => Totals::default(),
        };
        (counted, SAMPLE_INTERVAL.as_secs_f64() * steps.max(1) as f64)
    }
}

/// The value of each step for a chart of ten minutes; steps before the start have none.
pub fn padded(steps: &[Totals], value: impl Fn(&Totals) -> Option<f64>) -> Vec<Option<f64>> {
    let missing = STEPS_MAX.saturating_sub(steps.len());
    std::iter::repeat_n(None, missing).chain(steps.iter().map(value)).collect()
}

const PAGES_MAX: usize = 32;

/// Attempts of any client. A hash takes 20 ms, so the last attempt waits a fifth of a second.
const SIGN_INS: Capacity = Capacity { total: 8, each: 3 };

/// Additional attempts for devices that signed in before, when the other slots are taken.
const KNOWN_SIGN_INS_MAX: usize = 4;

#[derive(Debug)]
pub struct RequestSlots {
    pages: Semaphore,
    sign_ins: KeyedSemaphore<Network>,
    known_sign_ins: Semaphore,
}

/// A slot that a request holds. It is released on drop.
#[derive(Debug)]
#[expect(dead_code, reason = "held")]
pub enum Slot<'s> {
    Any(SemaphorePermit<'s>),
    /// For an attempt of any client: it counts among the attempts of its network.
    OfNetwork(Permits<Network>),
}

impl Default for RequestSlots {
    fn default() -> RequestSlots {
        RequestSlots {
            pages: Semaphore::new(PAGES_MAX),
            sign_ins: KeyedSemaphore::new(SIGN_INS),
            known_sign_ins: Semaphore::new(KNOWN_SIGN_INS_MAX),
        }
    }
}

impl RequestSlots {
    pub fn acquire_page(&self) -> Option<Slot<'_>> {
        self.pages.try_acquire().ok().map(Slot::Any)
    }

    pub fn acquire_sign_in(&self, network: Network) -> Option<Slot<'_>> {
        self.sign_ins.try_acquire(network, 1).ok().map(Slot::OfNetwork)
    }

    pub fn acquire_known_device_sign_in(&self) -> Option<Slot<'_>> {
        self.known_sign_ins.try_acquire().ok().map(Slot::Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_minutes_are_kept() {
        let history = History::default();
        assert!(history.steps().is_empty());
        assert_eq!(history.recent(5), (Totals::default(), 2.0));
        for requests in 0..1000 {
            let mut totals = Totals::default();
            totals.requests = requests * 3;
            history.add(totals);
        }
        let steps = history.steps();
        assert_eq!(steps.len(), STEPS_MAX);
        assert!(steps.iter().all(|step| step.requests == 3));
        let (recent, seconds) = history.recent(5);
        assert_eq!((recent.requests, seconds), (15, 10.0));
        assert_eq!(padded(&steps[..5], |_| Some(1.0)).iter().flatten().count(), 5);
        assert_eq!(padded(&steps[..5], |_| Some(1.0)).len(), STEPS_MAX);
    }
}

#[cfg(test)]
mod request_slots_tests {
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
        assert_eq!(held.len(), SIGN_INS.total);
        assert!(slots.acquire_page().is_some() && slots.acquire_known_device_sign_in().is_some());
        held.pop();
        assert!(slots.acquire_sign_in(network(200)).is_some());
    }

    #[test]
    fn slots_of_a_network_are_limited_and_freed_on_drop() {
        let slots = RequestSlots::default();
        for _ in 0..3 {
            let held: Vec<_> = (0..100).filter_map(|_| slots.acquire_sign_in(network(1))).collect();
            assert_eq!(held.len(), SIGN_INS.each);
            assert!(slots.acquire_sign_in(network(2)).is_some());
        }
        assert_eq!(slots.sign_ins.in_use(), 0);
    }
}
