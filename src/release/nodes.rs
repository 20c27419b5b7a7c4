//! The servers that follow releases, and which of them are alive. A server is alive if its last report is at
//! most a few report intervals old by the clock of the store.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::bucket::{Bucket, ListedObject};
use super::error::ReleaseError;
use super::node::{FOLDER, NodeName, NodeState};
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;

/// Missed reports in a row after which a server counts as gone.
const MISSED_MAX: u32 = 5;

/// Resolution of the times of an object store.
const STORE_CLOCK_STEP: Duration = Duration::from_secs(1);

/// A prune removes servers that were not seen for this long.
const REMOVAL_AGE: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub state: NodeState,
    /// Time of the last report, by the clock of the store.
    pub seen: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Live,
    Gone,
    /// The server reported that it stops.
    Stopped,
}

impl Node {
    /// The presence at this time of the store's clock.
    pub fn presence(&self, now: Timestamp) -> Presence {
        if self.state.has_stopped {
            return Presence::Stopped;
        }
        let age_max = self.state.interval.saturating_mul(MISSED_MAX);
        let age_max = age_max.saturating_add(STORE_CLOCK_STEP);
        let age_max = SignedDuration::try_from(age_max).unwrap_or(SignedDuration::MAX);
        match now.duration_since(self.seen) > age_max {
            true => Presence::Gone,
            false => Presence::Live,
        }
    }
}

/// All servers, sorted by name.
pub fn nodes(bucket: &Bucket) -> Result<Vec<Node>, ReleaseError> {
    let mut nodes = Vec::new();
    for (name, listed) in listed(bucket)? {
        // A server whose object has disappeared was pruned.
        if let Some(state) = NodeState::read(bucket, &name)? {
            nodes.push(Node { state, seen: listed.modified });
        }
    }
    Ok(nodes)
}

/// The newest version of a dataset that every live server has, at most `own`, the version here; `None` if one of them
/// has none.
pub fn version_on_all_nodes(
    bucket: &Bucket,
    dataset: DatasetKind,
    own: DataVersion,
) -> Result<Option<DataVersion>, ReleaseError> {
    Ok(common_version(&nodes(bucket)?, dataset, own))
}

/// Uses the newest report as the current time: a live server wrote it a moment ago.
fn common_version(nodes: &[Node], dataset: DatasetKind, own: DataVersion) -> Option<DataVersion> {
    let Some(now) = nodes.iter().map(|node| node.seen).max() else { return Some(own) };
    let live = nodes.iter().filter(|node| node.presence(now) == Presence::Live);
    let newest = live.map(|node| node.state.newest.get(&dataset).copied());
    newest.min().map_or(Some(own), |oldest| oldest.map(|oldest| oldest.min(own)))
}

/// The servers that were not seen for so long that a prune removes their objects.
pub fn long_gone(bucket: &Bucket, now: Timestamp) -> Result<Vec<NodeName>, ReleaseError> {
    let is_old = |listed: &ListedObject| now.duration_since(listed.modified) >= REMOVAL_AGE;
    let old = listed(bucket)?.into_iter().filter(|(_, listed)| is_old(listed));
    Ok(old.map(|(name, _)| name).collect())
}

fn listed(bucket: &Bucket) -> Result<Vec<(NodeName, ListedObject)>, ReleaseError> {
    let named = |listed: ListedObject| Some((NodeName::from_object_name(&listed.name)?, listed));
    Ok(bucket.list(FOLDER)?.into_iter().filter_map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::super::node::tests::node;
    use super::*;
    use crate::dataset::corporate::CorporateData;
    use crate::snapshot::Dataset;

    #[test]
    fn the_oldest_version_of_the_live_servers_counts() {
        let version = |text: &str| DataVersion::parse(text).expect("a version");
        let server = |newest: Option<&str>, has_stopped: bool, age_s: i64| {
            let newest = newest.map(|newest| (CorporateData::KIND, version(newest)));
            let state =
                NodeState { newest: newest.into_iter().collect(), has_stopped, ..node("web-1") };
            let seen = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_000 - age_s);
            Node { state, seen }
        };
        #[track_caller]
        fn check(nodes: &[Node], expected: Option<&str>) {
            let own = DataVersion::parse("2026-11-20").expect("a version");
            let found = common_version(nodes, CorporateData::KIND, own);
            assert_eq!(found.map(|version| version.to_string()).as_deref(), expected);
        }
        let (new, old) = (Some("2026-11-20"), Some("2026-11-19"));
        check(&[], new);
        check(&[server(new, false, 0)], new);
        check(&[server(new, false, 0), server(old, false, 2)], old);
        check(&[server(Some("2026-11-23"), false, 0)], new);
        check(&[server(new, false, 0), server(None, false, 0)], None);
        check(&[server(new, false, 0), server(old, false, 12)], new);
        check(&[server(new, false, 0), server(old, true, 0)], new);
        check(&[server(old, true, 0)], new);
    }

    #[test]
    fn a_server_is_live_for_five_of_its_intervals() {
        #[track_caller]
        fn check(interval_ms: u64, has_stopped: bool, age_ms: i64, expected: Presence) {
            let interval = Duration::from_millis(interval_ms);
            let state = NodeState { interval, has_stopped, ..node("web-1") };
            let seen = Timestamp::UNIX_EPOCH;
            let now = seen + SignedDuration::from_millis(age_ms);
            assert_eq!(Node { state, seen }.presence(now), expected, "{age_ms} of {interval_ms}");
        }
        check(2_000, false, 0, Presence::Live);
        check(2_000, false, 11_000, Presence::Live);
        check(2_000, false, 11_001, Presence::Gone);
        check(1_000, false, 6_000, Presence::Live);
        check(1_000, false, 7_000, Presence::Gone);
        check(2_000, false, -5_000, Presence::Live);
        check(2_000, true, 0, Presence::Stopped);
        check(2_000, true, 1_000_000, Presence::Stopped);
        check(u64::MAX, false, 1_000_000_000_000, Presence::Live);
    }
}
