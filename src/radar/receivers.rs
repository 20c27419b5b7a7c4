//! How much is sent to whom at once, so that one receiver that is slow or dead delays no other.
//!
//! A receiver gets a few attempts at once; one whose last attempt failed gets one, and all of those
//! together no more than half of the room. So there is always room for those that answer, however
//! many do not. Pure.

use std::collections::{HashMap, HashSet};

/// Attempts under way at once.
pub const ATTEMPTS_MAX: usize = 256;

/// Of those to one receiver.
const RECEIVER_MAX: usize = 4;

/// Of those to receivers whose last attempt failed.
const FAILING_MAX: usize = ATTEMPTS_MAX / 2;

/// Receivers named in a question to the store, at most: a bound of its statements.
const NAMED_MAX: usize = 1000;

/// What is under way to whom.
#[derive(Debug, Default)]
pub struct Receivers {
    under_way: HashMap<String, usize>,
    count: usize,
    /// Those whose last attempt failed.
    failing: HashSet<String>,
    /// How many attempts are under way to them.
    failing_count: usize,
}

impl Receivers {
    /// How many attempts are under way.
    pub fn under_way(&self) -> usize {
        self.count
    }

    /// Whether another attempt may begin at all.
    pub fn has_room(&self) -> bool {
        self.count < ATTEMPTS_MAX
    }

    /// Begins an attempt, where the receiver has room for it.
    pub fn begin(&mut self, receiver: &str) -> bool {
        if !self.has_room() || !self.takes(receiver) {
            return false;
        }
        *self.under_way.entry(receiver.to_owned()).or_default() += 1;
        self.count += 1;
        self.failing_count += usize::from(self.failing.contains(receiver));
        true
    }

    fn takes(&self, receiver: &str) -> bool {
        let under_way = self.under_way.get(receiver).copied().unwrap_or(0);
        match self.failing.contains(receiver) {
            true => under_way == 0 && self.failing_count < FAILING_MAX,
            false => under_way < RECEIVER_MAX,
        }
    }

    /// Ends an attempt that was begun.
    pub fn end(&mut self, receiver: &str, taken: bool) {
        let Some(under_way) = self.under_way.get_mut(receiver) else { return };
        let before = *under_way;
        *under_way -= 1;
        if before == 1 {
            self.under_way.remove(receiver);
        }
        self.count -= 1;
        let known = self.failing.contains(receiver);
        self.failing_count -= if known { before } else { 0 };
        if taken {
            self.failing.remove(receiver);
        } else {
            self.failing.insert(receiver.to_owned());
            self.failing_count += before - 1;
        }
    }

    /// Takes back an attempt that was begun and never made.
    pub fn cancel(&mut self, receiver: &str) {
        self.end(receiver, !self.failing.contains(receiver));
    }

    /// Those that take nothing at this moment, or enough of them.
    pub fn busy(&self) -> Vec<String> {
        let known = self.under_way.keys().chain(&self.failing);
        let busy: HashSet<&String> = known.filter(|receiver| !self.takes(receiver)).collect();
        busy.into_iter().take(NAMED_MAX).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_receiver_gets_a_few_and_a_failing_one_gets_one() {
        let mut receivers = Receivers::default();
        for _ in 0..RECEIVER_MAX {
            assert!(receivers.begin("a"));
        }
        assert!(!receivers.begin("a") && receivers.begin("b"));
        assert_eq!(receivers.busy(), ["a"]);
        receivers.end("a", false);
        assert!(!receivers.begin("a"), "it fails, and has three under way");
        for _ in 1..RECEIVER_MAX {
            receivers.end("a", false);
        }
        assert!(receivers.busy().is_empty() && receivers.begin("a") && !receivers.begin("a"));
        receivers.end("a", true);
        assert!(receivers.begin("a") && receivers.begin("a"), "it answers again");
    }

    #[test]
    fn failing_receivers_leave_half_of_the_room() {
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
        assert_eq!(receivers.busy().len(), ATTEMPTS_MAX, "those under way and those that wait");
    }

    proptest! {
        #[test]
        fn the_counts_are_those_of_a_naive_list(
            steps in prop::collection::vec((0..6_u8, any::<bool>(), any::<bool>()), 0..200)
        ) {
            let mut receivers = Receivers::default();
            let mut list: Vec<u8> = Vec::new();
            let mut failing: HashSet<u8> = HashSet::new();
            for (who, begins, taken) in steps {
                let name = who.to_string();
                if begins {
                    if receivers.begin(&name) {
                        list.push(who);
                    }
                } else if let Some(at) = list.iter().position(|known| *known == who) {
                    list.remove(at);
                    receivers.end(&name, taken);
                    if taken { failing.remove(&who) } else { failing.insert(who) };
                }
                prop_assert_eq!(receivers.under_way(), list.len());
                let expected = list.iter().filter(|who| failing.contains(who)).count();
                prop_assert_eq!(receivers.failing_count, expected);
                let most = (0..6).map(|who| list.iter().filter(|known| **known == who).count()).max();
                prop_assert!(most <= Some(RECEIVER_MAX));
            }
        }
    }
}
