//! What an activation waits for: enough of the affected servers are prepared, so that all can switch at the
//! same time.

use std::time::Duration;

use jiff::Timestamp;

use super::active::ActiveReleases;
use super::bucket::Bucket;
use super::claim::StoreClock;
use super::error::ReleaseError;
use super::node::NodeState;
use super::nodes::{Presence, nodes};
use super::quorum::Quorum;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// The conditions under which an activation goes ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitOptions {
    pub quorum: Quorum,
    pub timeout: Duration,
    /// Servers switch no earlier than this.
    pub not_before: Option<Timestamp>,
}

impl Default for WaitOptions {
    /// Waits for all live servers.
    fn default() -> WaitOptions {
        WaitOptions { quorum: Quorum::Percent(100), timeout: DEFAULT_TIMEOUT, not_before: None }
    }
}

/// The live servers that change to another release under the planned releases.
#[derive(Debug, Default)]
pub struct AffectedNodes {
    nodes: Vec<NodeState>,
    pub prepared: usize,
}

impl AffectedNodes {
    /// Reads the servers in the store. `active` and `planned` are the releases now and after the activation.
    pub fn read(
        bucket: &Bucket,
        clock: &StoreClock,
        active: &ActiveReleases,
        planned: &ActiveReleases,
    ) -> Result<AffectedNodes, ReleaseError> {
        let live = nodes(bucket)?.into_iter().filter_map(|node| {
            let is_live = node.presence(clock.now()) == Presence::Live;
            is_live.then_some(node.state)
        });
        let nodes = live.filter(|node| {
            let label = node.label.as_ref();
            let release = planned.release_for(label);
            release.is_some() && release != active.release_for(label)
        });
        let nodes: Vec<NodeState> = nodes.collect();
        let prepared = nodes.iter().filter(|node| is_prepared(node, planned)).count();
        Ok(AffectedNodes { nodes, prepared })
    }

    pub fn has_quorum(&self, quorum: Quorum) -> bool {
        self.prepared >= quorum.required(self.nodes.len())
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The latest time shown by any of their clocks.
    pub fn latest_clock(&self) -> Option<Timestamp> {
        self.nodes.iter().map(|node| node.reported).max()
    }

    /// The servers that are not prepared, with the reasons that they report.
    pub fn unprepared(&self, planned: &ActiveReleases) -> String {
        let unprepared = self.nodes.iter().filter(|node| !is_prepared(node, planned));
        let names = unprepared.map(|node| {
            let active =
                node.active.map_or("no release".to_owned(), |active| format!("release {active}"));
            match &node.failure {
                Some(failure) => format!("{} ({active}; it says: {failure})", node.name),
                None => format!("{} ({active})", node.name),
            }
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

fn is_prepared(node: &NodeState, planned: &ActiveReleases) -> bool {
    let release = planned.release_for(node.label.as_ref());
    node.prepared == release || node.active == release
}
