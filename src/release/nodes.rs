//! The servers that follow releases, and which of them are there still. That is told by the clock of the store: a server
//! counts from each time it wrote what it is for a few times the time between two of them.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::bucket::{Bucket, Listed};
use super::error::ReleaseError;
use super::node::{FOLDER, NodeName, NodeState};

/// How many times in a row a server may fail to say that it is there.
const MISSED_MAX: u32 = 5;

/// Stores tell times in whole seconds.
const STORE_CLOCK_STEP: Duration = Duration::from_secs(1);

/// A prune forgets a server that was not seen for so long.
const FORGOTTEN: SignedDuration = SignedDuration::from_hours(24);

/// A server as the store has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub state: NodeState,
    /// When it was seen last, by the clock of the store.
    pub seen: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Live,
    /// It was not seen for a while.
    Gone,
    /// It said that it ends.
    Left,
}

impl Node {
    /// Whether it is there at a moment of the store's clock.
    pub fn presence(&self, now: Timestamp) -> Presence {
        let counts = self.state.every.saturating_mul(MISSED_MAX).saturating_add(STORE_CLOCK_STEP);
        let counts = SignedDuration::try_from(counts).unwrap_or(SignedDuration::MAX);
        match now.duration_since(self.seen) {
            _ if self.state.left => Presence::Left,
            age if age > counts => Presence::Gone,
            _ => Presence::Live,
        }
    }
}

/// All servers, in the order of their names.
pub fn nodes(bucket: &Bucket) -> Result<Vec<Node>, ReleaseError> {
    let mut nodes = Vec::new();
    for (name, listed) in listed(bucket)? {
        // One that is gone by now was pruned.
        if let Some(state) = NodeState::read(bucket, &name)? {
            nodes.push(Node { state, seen: listed.modified });
        }
    }
    Ok(nodes)
}

/// The objects of servers that nobody has seen for long.
pub fn forgotten(bucket: &Bucket, now: Timestamp) -> Result<Vec<NodeName>, ReleaseError> {
    let is_old = |listed: &Listed| now.duration_since(listed.modified) >= FORGOTTEN;
    let old = listed(bucket)?.into_iter().filter(|(_, listed)| is_old(listed));
    Ok(old.map(|(name, _)| name).collect())
}

fn listed(bucket: &Bucket) -> Result<Vec<(NodeName, Listed)>, ReleaseError> {
    let named = |listed: Listed| Some((NodeName::of_object(&listed.name)?, listed));
    Ok(bucket.list(FOLDER)?.into_iter().filter_map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::super::node::tests::node;
    use super::*;

    #[test]
    fn a_server_counts_for_five_times_of_its_own() {
        #[track_caller]
        fn check(every_ms: u64, left: bool, age_ms: i64, expected: Presence) {
            let every = Duration::from_millis(every_ms);
            let state = NodeState { every, left, ..node("web-1") };
            let seen = Timestamp::UNIX_EPOCH;
            let now = seen + SignedDuration::from_millis(age_ms);
            assert_eq!(Node { state, seen }.presence(now), expected, "{age_ms} of {every_ms}");
        }
        check(2_000, false, 0, Presence::Live);
        check(2_000, false, 11_000, Presence::Live);
        check(2_000, false, 11_001, Presence::Gone);
        check(1_000, false, 6_000, Presence::Live);
        check(1_000, false, 7_000, Presence::Gone);
        check(2_000, false, -5_000, Presence::Live);
        check(2_000, true, 0, Presence::Left);
        check(2_000, true, 1_000_000, Presence::Left);
        check(u64::MAX, false, i64::MAX / 2, Presence::Live);
    }
}
