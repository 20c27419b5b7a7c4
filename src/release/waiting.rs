//! What an activation waits for: a quorum of the affected servers is prepared, so that all can switch at the same time.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use super::active::ActiveReleases;
use super::bucket::Bucket;
use super::claim::StoreClock;
use super::error::ReleaseError;
use super::node::NodeState;
use super::nodes::{Presence, nodes};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15 * 60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quorum {
    Nodes(u32),
    /// Percentage of the live servers that change to another release.
    Percent(u8),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of nodes or a share of them, such as 3 or 80%; found {found:?}")]
pub struct InvalidQuorum {
    found: String,
}

impl Quorum {
    pub fn parse(text: &str) -> Result<Quorum, InvalidQuorum> {
        let digits = text.strip_suffix('%').unwrap_or(text);
        let is_valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let quorum = match text.ends_with('%') {
            true => digits.parse().ok().filter(|percent| *percent <= 100).map(Quorum::Percent),
            false => digits.parse().ok().map(Quorum::Nodes),
        };
        quorum.filter(|_| is_valid).ok_or_else(|| InvalidQuorum { found: text.to_owned() })
    }

    /// The required number of prepared servers among this many live ones.
    pub fn required(self, live: usize) -> usize {
        match self {
            Quorum::Nodes(nodes) => nodes as usize,
            Quorum::Percent(percent) => (live * usize::from(percent)).div_ceil(100),
        }
    }
}

impl fmt::Display for Quorum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quorum::Nodes(nodes) => nodes.fmt(out),
            Quorum::Percent(percent) => write!(out, "{percent}%"),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quorum_is_a_number_or_a_percentage() {
        for (text, live, expected) in [
            ("0", 5, 0),
            ("3", 5, 3),
            ("3", 0, 3),
            ("100%", 5, 5),
            ("100%", 0, 0),
            ("80%", 5, 4),
            ("81%", 5, 5),
            ("1%", 5, 1),
            ("0%", 5, 0),
        ] {
            let quorum = Quorum::parse(text).expect(text);
            assert_eq!((quorum.required(live), quorum.to_string().as_str()), (expected, text));
        }
        for wrong in ["", "%", "-1", "+1", "101%", "1.5", "all", "３", "4294967296", "50 %", "50%%"]
        {
            assert!(Quorum::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
