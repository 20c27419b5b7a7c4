//! Limits the attempts in flight, so that a slow or dead receiver does not delay others.
//!
//! A receiver gets a few attempts at once, or only one if its last attempt failed. All failing receivers together get
//! at most half of the capacity. So working receivers always have capacity, however many others fail. Pure.

use std::collections::{HashMap, HashSet};

/// Attempts in flight at once.
pub const ATTEMPTS_MAX: usize = 256;

/// Attempts in flight to one receiver.
const RECEIVER_MAX: usize = 4;

/// Attempts in flight to all failing receivers.
const FAILING_MAX: usize = ATTEMPTS_MAX / 2;

/// Receivers that one statement may name.
const BUSY_MAX: usize = 1000;

#[derive(Debug, Default)]
pub struct Receivers {
    /// Attempts in flight to each receiver that has any.
    in_flight: HashMap<String, usize>,
    total_in_flight: usize,
    /// Receivers whose last attempt failed.
    failing: HashSet<String>,
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
        self.failing_in_flight += usize::from(self.failing.contains(receiver));
        true
    }

    /// Whether the receiver is below its limit.
    fn accepts(&self, receiver: &str) -> bool {
        let in_flight = self.in_flight.get(receiver).copied().unwrap_or(0);
        match self.failing.contains(receiver) {
            true => in_flight == 0 && self.failing_in_flight < FAILING_MAX,
            false => in_flight < RECEIVER_MAX,
        }
    }

    /// Counts an attempt as finished, and remembers whether it failed.
    pub fn finish(&mut self, receiver: &str, success: bool) {
        let Some(in_flight) = self.in_flight.get_mut(receiver) else { return };
        let before = *in_flight;
        *in_flight -= 1;
        if before == 1 {
            self.in_flight.remove(receiver);
        }
        self.total_in_flight -= 1;
        let was_failing = self.failing.contains(receiver);
        self.failing_in_flight -= if was_failing { before } else { 0 };
        if success {
            self.failing.remove(receiver);
        } else {
            self.failing.insert(receiver.to_owned());
            self.failing_in_flight += before - 1;
        }
    }

    /// Uncounts an attempt that was not made.
    pub fn cancel(&mut self, receiver: &str) {
        self.finish(receiver, !self.failing.contains(receiver));
    }

    /// Receivers at their limit, as many as one statement may name.
    pub fn busy(&self) -> Vec<String> {
        let known = self.in_flight.keys().chain(&self.failing);
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
        let mut receivers = Receivers::default();
        for _ in 0..RECEIVER_MAX {
            assert!(receivers.try_start("a"));
        }
        assert!(!receivers.try_start("a") && receivers.try_start("b"));
        assert_eq!(receivers.busy(), ["a"]);
        receivers.finish("a", false);
        assert!(!receivers.try_start("a"), "a failing receiver with attempts in flight");
        for _ in 1..RECEIVER_MAX {
            receivers.finish("a", false);
        }
        assert!(
            receivers.busy().is_empty() && receivers.try_start("a") && !receivers.try_start("a")
        );
        receivers.finish("a", true);
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
            receivers.finish(&name(index), false);
        }
        let started = (0..ATTEMPTS_MAX).filter(|index| receivers.try_start(&name(*index))).count();
        assert_eq!(started, FAILING_MAX);
        assert!(receivers.has_room() && receivers.try_start("live"));
        assert_eq!(receivers.busy().len(), ATTEMPTS_MAX, "failing receivers in flight or waiting");
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
                    receivers.finish(&name, success);
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
