//! How many answers without a key an address gets: documentation, metrics, health, and refusals of requests without a valid
//! key. Requests with a key have the quota of their account instead.
//!
//! Each network that counts as one client has a budget that fills again at a steady rate. A long answer takes more of it. An
//! answer above the budget is replaced by a 429, which is short. Addresses whose budget is full are forgotten, so the table
//! holds only those of the last seconds; above `ADDRESSES_MAX` of them further ones have no limit.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::text::network::Network;

/// Answers a second of an address, unless set: a thousandth of a second of one core for each.
pub const KEYLESS_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000).expect("not 0");

/// How many seconds of the rate may be used at once.
const BURST_SECONDS: u32 = 10;

/// An answer counts once for every started block of this length.
const BLOCK_BYTES: usize = 64 * 1024;

/// Most addresses that are remembered, a few megabytes.
const ADDRESSES_MAX: usize = 50_000;

#[derive(Debug)]
pub struct KeylessBudget {
    /// `None`: no limit.
    per_second: Option<NonZeroU32>,
    /// When the budget of each address is full again.
    full_at: Mutex<HashMap<Network, Instant>>,
}

/// An address has used up its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted {
    pub per_second: NonZeroU32,
}

impl KeylessBudget {
    pub fn new(per_second: Option<NonZeroU32>) -> KeylessBudget {
        KeylessBudget { per_second, full_at: Mutex::default() }
    }

    /// Takes an answer of this length from the budget of an address.
    pub fn take(&self, address: IpAddr, bytes: usize, now: Instant) -> Result<(), Exhausted> {
        let Some(per_second) = self.per_second else { return Ok(()) };
        let answers = u32::try_from(1 + bytes / BLOCK_BYTES).unwrap_or(u32::MAX);
        let cost = Duration::from_secs(1) * answers / per_second.get();
        let burst = Duration::from_secs(BURST_SECONDS.into());
        let mut all = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let client = Network::of_client(address);
        if all.len() >= ADDRESSES_MAX && !all.contains_key(&client) {
            all.retain(|_, full_at| *full_at > now);
            if all.len() >= ADDRESSES_MAX {
                return Ok(());
            }
        }
        let full_at = all.entry(client).or_insert(now);
        let next = now.max(*full_at) + cost;
        if next.duration_since(now) > burst {
            return Err(Exhausted { per_second });
        }
        *full_at = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn an_address_gets_its_burst_and_then_its_rate() {
        let budget = KeylessBudget::new(NonZeroU32::new(2));
        let [one, other] = [1, 2].map(|last| IpAddr::from(Ipv4Addr::new(192, 0, 2, last)));
        let start = Instant::now();
        let taken = |address, bytes, after_ms| {
            budget.take(address, bytes, start + Duration::from_millis(after_ms)).is_ok()
        };
        assert!((0..20).all(|_| taken(one, 100, 0)), "ten seconds of two");
        assert!(!taken(one, 100, 0) && !taken(one, 100, 499));
        assert!(taken(other, 100, 0), "each address has a budget of its own");
        assert!(taken(one, 100, 500) && !taken(one, 100, 500));
        // Half a megabyte counts as nine answers.
        assert!(!taken(one, 8 * BLOCK_BYTES, 4_000) && taken(one, 8 * BLOCK_BYTES, 5_000));
        assert!(KeylessBudget::new(None).take(one, usize::MAX, start).is_ok());
    }

    #[test]
    fn an_address_with_a_full_budget_is_forgotten() {
        let budget = KeylessBudget::new(NonZeroU32::new(1_000));
        let start = Instant::now();
        let address = |number: u32| IpAddr::from(Ipv4Addr::from_bits(number));
        let count = u32::try_from(ADDRESSES_MAX).expect("small");
        for number in 0..count {
            assert!(budget.take(address(number), 0, start).is_ok());
        }
        let remembered = || budget.full_at.lock().expect("no panic").len();
        assert!(budget.take(address(count), 0, start).is_ok(), "no limit above the capacity");
        assert_eq!(remembered(), ADDRESSES_MAX);
        assert!(budget.take(address(count), 0, start + Duration::from_secs(1)).is_ok());
        assert_eq!(remembered(), 1);
    }
}
