//! How an activation waits until enough of the concerned servers are prepared, so that all can switch at the
//! same time.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::bucket::Bucket;
use super::claim::StoreClock;
use super::current::Current;
use super::error::ReleaseError;
use super::lines::Lines;
use super::node::NodeState;
use super::nodes::{Presence, nodes};
use crate::compile::Progress;

/// Polling interval.
const LOOK: Duration = Duration::from_millis(250);

const TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// The conditions under which an activation goes ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    pub quorum: Quorum,
    pub timeout: Duration,
    /// Servers switch no earlier than this.
    pub at: Option<Timestamp>,
}

impl Default for Waiting {
    /// Waits for all live servers.
    fn default() -> Waiting {
        Waiting { quorum: Quorum::Share(100), timeout: TIMEOUT, at: None }
    }
}

/// How many servers must be prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quorum {
    Nodes(u32),
    /// Share of live servers, in percent.
    Share(u8),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of nodes or a share of them, such as 3 or 80%; found {found:?}")]
pub struct NoQuorum {
    found: String,
}

impl Quorum {
    pub fn parse(text: &str) -> Result<Quorum, NoQuorum> {
        let digits = text.strip_suffix('%').unwrap_or(text);
        let sound = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let quorum = match text.ends_with('%') {
            true => digits.parse().ok().filter(|share| *share <= 100).map(Quorum::Share),
            false => digits.parse().ok().map(Quorum::Nodes),
        };
        quorum.filter(|_| sound).ok_or_else(|| NoQuorum { found: text.to_owned() })
    }

    /// The number for this many live servers.
    pub fn of(self, live: usize) -> usize {
        match self {
            Quorum::Nodes(nodes) => nodes as usize,
            Quorum::Share(share) => (live * usize::from(share)).div_ceil(100),
        }
    }
}

impl fmt::Display for Quorum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quorum::Nodes(nodes) => nodes.fmt(out),
            Quorum::Share(share) => write!(out, "{share}%"),
        }
    }
}

/// The live servers that would change to another release under `planned`.
#[derive(Debug, Default)]
pub struct Concerned {
    nodes: Vec<NodeState>,
    prepared: usize,
}

impl Concerned {
    pub fn look(
        bucket: &Bucket,
        clock: &StoreClock,
        (present, planned): (&Lines, &Lines),
    ) -> Result<Concerned, ReleaseError> {
        let live = nodes(bucket)?.into_iter().filter_map(|node| {
            let is_live = node.presence(clock.now()) == Presence::Live;
            is_live.then_some(node.state)
        });
        let nodes = live.filter(|node| {
            let label = node.label.as_ref();
            let coming = planned.of(label);
            coming.is_some() && coming != present.of(label)
        });
        let nodes: Vec<NodeState> = nodes.collect();
        let prepared = nodes.iter().filter(|node| is_prepared(node, planned)).count();
        Ok(Concerned { nodes, prepared })
    }

    pub fn is_enough(&self, quorum: Quorum) -> bool {
        self.prepared >= quorum.of(self.nodes.len())
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The latest time shown by any of their clocks.
    pub fn latest_clock(&self) -> Option<Timestamp> {
        self.nodes.iter().map(|node| node.written).max()
    }

    /// The servers that are not prepared, with the reasons that they report.
    fn unprepared(&self, planned: &Lines) -> String {
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

fn is_prepared(node: &NodeState, planned: &Lines) -> bool {
    let coming = planned.of(node.label.as_ref());
    node.prepared == coming || node.active == coming
}

/// Waits until enough servers are prepared for the announced release.
pub fn wait(
    bucket: &Bucket,
    clock: &StoreClock,
    (announced, planned): (&Current, &Lines),
    waiting: &Waiting,
    progress: &dyn Progress,
) -> Result<Concerned, ReleaseError> {
    let begun = Instant::now();
    progress.step("waiting for nodes");
    loop {
        announced.read_again(bucket)?;
        let lines = (announced.at(Timestamp::now()), planned);
        let concerned = Concerned::look(bucket, clock, lines)?;
        progress.advance(concerned.prepared as u64, concerned.nodes.len() as u64);
        if concerned.is_enough(waiting.quorum) {
            return Ok(concerned);
        }
        if begun.elapsed() >= waiting.timeout {
            return Err(ReleaseError::Unprepared {
                expected: waiting.quorum.of(concerned.nodes.len()),
                found: concerned.prepared,
                seconds: waiting.timeout.as_secs_f32(),
                unprepared: concerned.unprepared(planned),
            });
        }
        thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quorum_is_a_number_or_a_share() {
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
            assert_eq!((quorum.of(live), quorum.to_string().as_str()), (expected, text));
        }
        for wrong in ["", "%", "-1", "+1", "101%", "1.5", "all", "３", "4294967296", "50 %", "50%%"]
        {
            assert!(Quorum::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
