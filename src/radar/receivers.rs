//! Limits the attempts in flight, so that a slow or dead receiver does not delay others.
//!
//! A receiver gets a few attempts at once; if its last attempt failed, one. All failing receivers together get
//! at most half of the capacity, so working receivers always have capacity, however many others fail. Pure.

use std::collections::{HashMap, HashSet};

/// Attempts in flight at once.
pub const ATTEMPTS_MAX: usize = 256;

/// The most of them to one receiver.
const RECEIVER_MAX: usize = 4;

/// The most of them to failing receivers.
const FAILING_MAX: usize = ATTEMPTS_MAX / 2;

/// The most receivers named in one statement.
const NAMED_MAX: usize = 1000;

#[derive(Debug, Default)]
pub struct Receivers {
    in_flight: HashMap<String, usize>,
    count: usize,
    /// Receivers whose last attempt failed.
    failing: HashSet<String>,
    /// Attempts in flight to them.
    failing_count: usize,
}

impl Receivers {
    pub fn in_flight(&self) -> usize {
        self.count
    }

    pub fn has_room(&self) -> bool {
        self.count < ATTEMPTS_MAX
    }

    /// Counts an attempt if the receiver is below its limit; returns whether it is.
    pub fn begin(&mut self, receiver: &str) -> bool {
        if !self.has_room() || !self.accepts(receiver) {
            return false;
        }
        *self.in_flight.entry(receiver.to_owned()).or_default() += 1;
        self.count += 1;
        self.failing_count += usize::from(self.failing.contains(receiver));
        true
    }

    fn accepts(&self, receiver: &str) -> bool {
        let in_flight = self.in_flight.get(receiver).copied().unwrap_or(0);
        match self.failing.contains(receiver) {
            true => in_flight == 0 && self.failing_count < FAILING_MAX,
            false => in_flight < RECEIVER_MAX,
        }
    }

    pub fn end(&mut self, receiver: &str, success: bool) {
        let Some(in_flight) = self.in_flight.get_mut(receiver) else { return };
        let before = *in_flight;
        *in_flight -= 1;
        if before == 1 {
            self.in_flight.remove(receiver);
        }
        self.count -= 1;
        let known = self.failing.contains(receiver);
        self.failing_count -= if known { before } else { 0 };
        if success {
            self.failing.remove(receiver);
        } else {
            self.failing.insert(receiver.to_owned());
            self.failing_count += before - 1;
        }
    }

    /// Undoes the count of an attempt that was not made.
    pub fn cancel(&mut self, receiver: &str) {
        self.end(receiver, !self.failing.contains(receiver));
    }

    /// Receivers at their limit, as many as one statement may name.
    pub fn busy(&self) -> Vec<String> {
        let known = self.in_flight.keys().chain(&self.failing);
        let busy: HashSet<&String> = known.filter(|receiver| !self.accepts(receiver)).collect();
        busy.into_iter().take(NAMED_MAX).cloned().collect()
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
            assert!(receivers.begin("a"));
        }
        assert!(!receivers.begin("a") && receivers.begin("b"));
        assert_eq!(receivers.busy(), ["a"]);
        receivers.end("a", false);
        assert!(!receivers.begin("a"), "a failing receiver with attempts in flight");
        for _ in 1..RECEIVER_MAX {
            receivers.end("a", false);
        }
        assert!(receivers.busy().is_empty() && receivers.begin("a") && !receivers.begin("a"));
        receivers.end("a", true);
        assert!(receivers.begin("a") && receivers.begin("a"), "the receiver works again");
    }

    #[test]
    fn failing_receivers_get_at_most_half_of_the_attempts() {
        let mut receivers = Receivers::default();
        let name = |at: usize| format!("dead {at}");
        for at in 0..ATTEMPTS_MAX {
            assert!(receivers.begin(&name(at)));
        }
        assert!(!receivers.has_room() && !receivers.begin("live"));
        for at in 0..ATTEMPTS_MAX {
            receivers.end(&name(at), false);
        }
        let begun = (0..ATTEMPTS_MAX).filter(|at| receivers.begin(&name(*at))).count();
        assert_eq!(begun, FAILING_MAX);
        assert!(receivers.has_room() && receivers.begin("live"));
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
            for (who, begins, success) in steps {
                let name = who.to_string();
                if begins {
                    if receivers.begin(&name) {
                        list.push(who);
                    }
                } else if let Some(at) = list.iter().position(|known| *known == who) {
                    list.remove(at);
                    receivers.end(&name, success);
                    if success { failing.remove(&who) } else { failing.insert(who) };
                }
                prop_assert_eq!(receivers.in_flight(), list.len());
                let expected = list.iter().filter(|who| failing.contains(who)).count();
                prop_assert_eq!(receivers.failing_count, expected);
                let most = (0..6).map(|who| list.iter().filter(|known| **known == who).count()).max();
                prop_assert!(most <= Some(RECEIVER_MAX));
            }
        }
    }
}
