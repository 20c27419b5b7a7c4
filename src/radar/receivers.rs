//! Limits the attempts in flight, so that a slow or dead receiver does not delay others.
//!
//! A receiver gets a few attempts at once, or only one if its last attempt failed. All failing receivers together get
//! at most half of the capacity. So working receivers always have capacity, however many others fail. Pure.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::webhook::attempt::DELAY_SECONDS_MAX;

/// Attempts in flight at once.
pub const ATTEMPTS_MAX: usize = 256;

/// Attempts in flight to one receiver.
const RECEIVER_MAX: usize = 4;

/// Attempts in flight to all failing receivers.
const FAILING_MAX: usize = ATTEMPTS_MAX / 2;

/// How long a failure is remembered. Longer than the delay before any retry, so that it is forgotten only if nothing is
/// sent to the receiver any more.
const FAILURE_TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);
const _: () = assert!(FAILURE_TIME_MAX.as_secs() as i64 > DELAY_SECONDS_MAX);

/// Receivers that one statement may name.
const BUSY_MAX: usize = 1000;

#[derive(Debug, Default)]
pub struct Receivers {
    /// Attempts in flight to each receiver that has any.
    in_flight: HashMap<String, usize>,
    total_in_flight: usize,
    /// Receivers whose last attempt failed, and when.
    failing: HashMap<String, Instant>,
    failing_in_flight: usize,
}

impl Receivers {
    pub fn in_flight(&self) -> usize {
        self.total_in_flight
    }

    pub fn has_room(&self) -> bool {
        self.total_in_flight < ATTEMPTS_MAX
    }

    /// Counts an attempt in flight if the receiver is below its limit; returns whether it is.
    pub fn try_start(&mut self, receiver: &str) -> bool {
        if !self.has_room() || !self.accepts(receiver) {
            return false;
        }
        *self.in_flight.entry(receiver.to_owned()).or_default() += 1;
        self.total_in_flight += 1;
        self.failing_in_flight += usize::from(self.failing.contains_key(receiver));
        true
    }

    /// Whether the receiver is below its limit.
    fn accepts(&self, receiver: &str) -> bool {
        let in_flight = self.in_flight.get(receiver).copied().unwrap_or(0);
        match self.failing.contains_key(receiver) {
            true => in_flight == 0 && self.failing_in_flight < FAILING_MAX,
            false => in_flight < RECEIVER_MAX,
        }
    }

    /// Counts an attempt as finished, and remembers whether it failed.
    pub fn finish(&mut self, receiver: &str, success: bool, now: Instant) {
        if !self.uncount(receiver) {
            return;
        }
        let left = self.in_flight.get(receiver).copied().unwrap_or(0);
        if success {
            let was_failing = self.failing.remove(receiver).is_some();
            self.failing_in_flight -= if was_failing { left } else { 0 };
        } else {
            let was_failing = self.failing.insert(receiver.to_owned(), now).is_some();
            self.failing_in_flight += if was_failing { 0 } else { left };
        }
    }

    /// Uncounts an attempt that was not made.
    pub fn cancel(&mut self, receiver: &str) {
        self.uncount(receiver);
    }

    /// Uncounts an attempt in flight; returns whether there was one.
    fn uncount(&mut self, receiver: &str) -> bool {
        let Some(in_flight) = self.in_flight.get_mut(receiver) else { return false };
        *in_flight -= 1;
        if *in_flight == 0 {
            self.in_flight.remove(receiver);
        }
        self.total_in_flight -= 1;
        self.failing_in_flight -= usize::from(self.failing.contains_key(receiver));
        true
    }

    /// Forgets old failures: accounts change their URLs, and receivers disappear.
    pub fn forget_old_failures(&mut self, now: Instant) {
        let is_recent = |failed_at: Instant| now.duration_since(failed_at) < FAILURE_TIME_MAX;
        self.failing.retain(|receiver, failed_at| {
            is_recent(*failed_at) || self.in_flight.contains_key(receiver)
        });
    }

    /// Receivers at their limit, as many as one statement may name.
    pub fn busy(&self) -> Vec<String> {
        let known = self.in_flight.keys().chain(self.failing.keys());
        let busy: HashSet<&String> = known.filter(|receiver| !self.accepts(receiver)).collect();
        busy.into_iter().take(BUSY_MAX).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_receiver_gets_a_few_attempts_and_a_failing_one_gets_one() {
        let (mut receivers, now) = (Receivers::default(), Instant::now());
        for _ in 0..RECEIVER_MAX {
            assert!(receivers.try_start("a"));
        }
        assert!(!receivers.try_start("a") && receivers.try_start("b"));
        assert_eq!(receivers.busy(), ["a"]);
        receivers.finish("a", false, now);
        assert!(!receivers.try_start("a"), "a failing receiver with attempts in flight");
        for _ in 1..RECEIVER_MAX {
            receivers.finish("a", false, now);
        }
        assert!(
            receivers.busy().is_empty() && receivers.try_start("a") && !receivers.try_start("a")
        );
        receivers.finish("a", true, now);
        assert!(receivers.try_start("a") && receivers.try_start("a"), "the receiver works again");
    }

    #[test]
    fn failing_receivers_get_at_most_half_of_the_attempts() {
        let mut receivers = Receivers::default();
        let name = |index: usize| format!("dead {index}");
        for index in 0..ATTEMPTS_MAX {
            assert!(receivers.try_start(&name(index)));
        }
        assert!(!receivers.has_room() && !receivers.try_start("live"));
        for index in 0..ATTEMPTS_MAX {
            receivers.finish(&name(index), false, Instant::now());
        }
        let started = (0..ATTEMPTS_MAX).filter(|index| receivers.try_start(&name(*index))).count();
        assert_eq!(started, FAILING_MAX);
        assert!(receivers.has_room() && receivers.try_start("live"));
        assert_eq!(receivers.busy().len(), ATTEMPTS_MAX, "failing receivers in flight or waiting");
    }

    #[test]
    fn old_failures_are_forgotten() {
        let (mut receivers, start) = (Receivers::default(), Instant::now());
        let hour = |hours: u64| start + Duration::from_secs(hours * 3600);
        for index in 0..1000 {
            let name = format!("gone {index}");
            assert!(receivers.try_start(&name));
            receivers.finish(&name, false, start);
        }
        for (name, failed_at) in [("slow", hour(1)), ("cancelled", start), ("recent", hour(23))] {
            assert!(receivers.try_start(name));
            receivers.finish(name, false, failed_at);
        }
        // An attempt that was not made is no failure.
        assert!(receivers.try_start("cancelled"));
        receivers.cancel("cancelled");
        assert!(receivers.try_start("slow"));
        receivers.forget_old_failures(hour(23));
        assert_eq!(receivers.failing.len(), 1003);
        receivers.forget_old_failures(hour(26));
        let mut left: Vec<&String> = receivers.failing.keys().collect();
        left.sort_unstable();
        assert_eq!(left, ["recent", "slow"], "the second has an attempt in flight");
        receivers.finish("slow", true, hour(26));
        assert_eq!((receivers.failing_in_flight, receivers.in_flight()), (0, 0));
    }

    proptest! {
        #[test]
        fn counts_agree_with_a_naive_list(
            steps in prop::collection::vec((0..6_u8, any::<bool>(), any::<bool>()), 0..200)
        ) {
            let mut receivers = Receivers::default();
            let mut list: Vec<u8> = Vec::new();
            let mut failing: HashSet<u8> = HashSet::new();
            for (who, starts, success) in steps {
                let name = who.to_string();
                if starts {
                    if receivers.try_start(&name) {
                        list.push(who);
                    }
                } else if let Some(index) = list.iter().position(|known| *known == who) {
                    list.remove(index);
                    receivers.finish(&name, success, Instant::now());
                    if success { failing.remove(&who) } else { failing.insert(who) };
                }
                prop_assert_eq!(receivers.in_flight(), list.len());
                let expected = list.iter().filter(|who| failing.contains(who)).count();
                prop_assert_eq!(receivers.failing_in_flight, expected);
                let most = (0..6).map(|who| list.iter().filter(|known| **known == who).count()).max();
                prop_assert!(most <= Some(RECEIVER_MAX));
            }
        }
    }
}
