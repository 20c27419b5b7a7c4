//! Activates a release so that all servers change to it at the same moment.
//!
//! First the release is announced as the next one: servers fetch, verify and open it, and report that. Then a
//! switch time is written, a little ahead, so that every server has read it by then. If no live server is
//! affected, the change takes effect at once. Each step replaces `current` only if nobody else replaced it
//! since it was read.
//!
//! An activation waits for a [`Quorum`] of the affected servers.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::bucket::{Bucket, ObjectTag};
use super::claim::{Claim, ClaimContent, StoreClock};
use super::current::{ActiveReleases, Current, Switch};
use super::error::ReleaseError;
use super::identifiers::{Label, Number};
use super::listing::Listing;
use super::manifest::Manifest;
use super::node::{NodeState, Presence, nodes};
use super::signature::PublicKey;
use super::verify::{Depth, verify};
use crate::clock;
use crate::compile::Progress;
use crate::text::numerals::whole_number;

/// How far ahead a switch is scheduled, in addition to twice the time of a write to the store. Servers that
/// prepare a release poll twice a second, so all have read the switch by then if the store responds within two
/// seconds.
const LEAD_TIME: SignedDuration = SignedDuration::from_secs(3);

/// How often the servers are read while an activation waits for them.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// A server's clock may be ahead by this much; a larger difference counts as a wrong clock.
const CLOCK_ERROR_MAX: SignedDuration = SignedDuration::from_secs(10);

#[derive(Debug)]
pub struct Activation {
    pub before: Current,
    pub now: Current,
    /// Number of servers that change to another release.
    pub nodes: usize,
}

/// What an activation needs to know besides the release.
#[derive(Debug)]
pub struct ActivateOptions<'a> {
    /// Activates it for servers with this label, or for all.
    pub label: Option<&'a Label>,
    pub wait: WaitOptions,
    /// A release without a valid signature for this key is refused.
    pub key: Option<PublicKey>,
    pub depth: Depth,
}

/// Activates a release after verifying it and waiting until servers are prepared.
pub fn activate(
    bucket: &Bucket,
    number: Number,
    options: &ActivateOptions<'_>,
    progress: &dyn Progress,
) -> Result<Activation, ReleaseError> {
    let (before, tag) = Current::read(bucket)?;
    let (claim, clock) = claim(bucket, [number])?;
    let activation = check(bucket, number, options, progress).and_then(|()| {
        let mut planned = before.active.clone();
        planned.activate(number, options.label);
        let activator = Activator { bucket, clock: &clock, options: &options.wait, progress };
        activator.activate(before, tag, &planned)
    });
    claim.end(activation)
}

/// Activates the release that was active before the current one. Cancels a scheduled switch, unless it is near.
pub fn rollback(
    bucket: &Bucket,
    options: &ActivateOptions<'_>,
    progress: &dyn Progress,
) -> Result<Activation, ReleaseError> {
    let (before, tag) = Current::read(bucket)?;
    wait_for_near_switch(&before);
    let label = options.label;
    let scheduled = before.switch_ahead(clock::now());
    let cancelled = scheduled
        .filter(|switch| switch.before.release_for(label) != before.active.release_for(label));
    let planned = match cancelled {
        Some(switch) => switch.before.clone(),
        None => {
            let mut planned = before.active.clone();
            planned.roll_back(label)?;
            planned
        }
    };
    let number = planned.release_for(label);
    // Also the release that the next rollback returns to: a prune that reads the state of now need not keep it.
    let (claim, clock) = claim(bucket, planned.needed_releases())?;
    // Without an active release for the other servers the label is dropped, so there is nothing to check.
    let checked = number.map_or(Ok(()), |number| check(bucket, number, options, progress));
    let activation = checked.and_then(|()| {
        let activator = Activator { bucket, clock: &clock, options: &options.wait, progress };
        activator.activate(before, tag, &planned)
    });
    claim.end(activation)
}

fn claim(
    bucket: &Bucket,
    releases: impl IntoIterator<Item = Number>,
) -> Result<(Claim<'_>, StoreClock), ReleaseError> {
    let releases = releases.into_iter().collect();
    Claim::for_writer(bucket, ClaimContent { releases, ..ClaimContent::default() })
}

/// Changes `current` from the state that was read to the planned one. The releases must be claimed.
pub(super) struct Activator<'a> {
    pub bucket: &'a Bucket,
    pub clock: &'a StoreClock,
    pub options: &'a WaitOptions,
    pub progress: &'a dyn Progress,
}

impl Activator<'_> {
    /// `before` was read with this tag.
    pub fn activate(
        &self,
        before: Current,
        tag: Option<ObjectTag>,
        planned: &ActiveReleases,
    ) -> Result<Activation, ReleaseError> {
        wait_for_near_switch(&before);
        if let Some(switch) = before.switch_ahead(clock::now())
            && switch.before != *planned
        {
            return Err(ReleaseError::SwitchScheduled { at: switch.time.to_string() });
        }
        let active = before.active_at(clock::now());
        let nodes = AffectedNodes::read(self.bucket, self.clock, active, planned)?;
        for error in &nodes.bad {
            self.progress.warn(&format!("{error}; not waiting for this node"));
        }
        if nodes.has_quorum(self.options.quorum) {
            let switch_time = self.switch_time(&nodes, LEAD_TIME);
            let now = self.switch(before.clone(), tag, planned, switch_time)?;
            return Ok(Activation { before, now, nodes: nodes.count() });
        }
        let started = clock::instant();
        let announced = Current { next: Some(planned.clone()), ..before.clone() };
        let announced = announced.replace(self.bucket, tag.as_ref())?;
        let write_time = SignedDuration::try_from(clock::since(started) * 2).unwrap_or(LEAD_TIME);
        match self.wait_for_nodes(&announced, planned) {
            Ok(nodes) => {
                let tag = announced.reread_tag(self.bucket)?;
                let switch_time = self.switch_time(&nodes, LEAD_TIME + write_time);
                let now = self.switch(announced, tag, planned, switch_time)?;
                Ok(Activation { before, now, nodes: nodes.count() })
            }
            Err(error @ ReleaseError::Unprepared { .. }) => {
                let tag = announced.reread_tag(self.bucket)?;
                Current { next: None, ..announced }.replace(self.bucket, tag.as_ref())?;
                Err(error)
            }
            // The state is unknown now. An announcement does no harm: the next activation replaces it.
            Err(error) => Err(error),
        }
    }

    /// Waits until enough servers are prepared for the announced release.
    fn wait_for_nodes(
        &self,
        announced: &Current,
        planned: &ActiveReleases,
    ) -> Result<AffectedNodes, ReleaseError> {
        let WaitOptions { quorum, timeout, .. } = *self.options;
        let started = clock::instant();
        self.progress.step("waiting for nodes");
        loop {
            announced.reread_tag(self.bucket)?;
            let active = announced.active_at(clock::now());
            let nodes = AffectedNodes::read(self.bucket, self.clock, active, planned)?;
            self.progress.advance(nodes.prepared as u64, nodes.count() as u64);
            if nodes.has_quorum(quorum) {
                return Ok(nodes);
            }
            if clock::since(started) >= timeout {
                return Err(ReleaseError::Unprepared {
                    expected: quorum.required(nodes.count()),
                    found: nodes.prepared,
                    seconds: timeout.as_secs_f32(),
                    unprepared: nodes.unprepared(planned),
                });
            }
            clock::sleep(POLL_INTERVAL);
        }
    }

    fn switch_time(&self, nodes: &AffectedNodes, lead_time: SignedDuration) -> Timestamp {
        let not_before = self.options.not_before;
        switch_time(clock::now(), nodes.latest_clock(), lead_time, not_before)
    }

    /// Writes the switch time over the state with this tag, and waits for it unless the options set it.
    fn switch(
        &self,
        stored: Current,
        tag: Option<ObjectTag>,
        planned: &ActiveReleases,
        time: Timestamp,
    ) -> Result<Current, ReleaseError> {
        let now = clock::now();
        let before = stored.active_at(now).clone();
        let is_ahead = time > now && before != *planned;
        let switch = is_ahead.then_some(Switch { time, before });
        let highest = stored.highest.max(planned.highest());
        let next = Current { highest, active: planned.clone(), next: None, switch, ..stored };
        let written = next.replace(self.bucket, tag.as_ref())?;
        if is_ahead && self.options.not_before.is_none() {
            self.progress.step("switching");
            clock::sleep(unsigned(time.duration_since(clock::now())));
        }
        Ok(written)
    }
}

/// Waits for a switch that is about to happen: servers whose clock is ahead would switch before they read that it was
/// cancelled. A later one can only be cancelled.
fn wait_for_near_switch(before: &Current) {
    let now = clock::now();
    if let Some(switch) = before.switch_ahead(now) {
        let remaining = switch.time.duration_since(now);
        if remaining <= 2 * LEAD_TIME {
            clock::sleep(unsigned(remaining));
        }
    }
}

/// When the servers switch: now if no server is affected, and never before the time in the options. `latest_clock` is
/// the latest time that an affected server shows.
fn switch_time(
    now: Timestamp,
    latest_clock: Option<Timestamp>,
    lead_time: SignedDuration,
    not_before: Option<Timestamp>,
) -> Timestamp {
    // The switch must not be in the past for a server whose clock is ahead.
    let latest_clock = latest_clock.map(|clock| clock.clamp(now, now + CLOCK_ERROR_MAX));
    let earliest = latest_clock.map_or(now, |clock| clock + lead_time);
    not_before.map_or(earliest, |time| time.max(earliest))
}

fn unsigned(time: SignedDuration) -> Duration {
    Duration::try_from(time).unwrap_or_default()
}

fn check(
    bucket: &Bucket,
    number: Number,
    options: &ActivateOptions<'_>,
    progress: &dyn Progress,
) -> Result<(), ReleaseError> {
    let manifest = Manifest::read(bucket, number)?;
    verify(bucket, &manifest, options.key.as_ref(), options.depth, progress)
}

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15 * 60);

#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum Quorum {
    #[display("{_0}")]
    Nodes(u32),
    /// Percentage of the live servers that change to another release.
    #[display("{_0}%")]
    Percent(u8),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of nodes or a share of them, such as 3 or 80%; found {found:?}")]
pub struct InvalidQuorum {
    found: String,
}

impl Quorum {
    pub fn parse(text: &str) -> Result<Quorum, InvalidQuorum> {
        let quorum = match text.strip_suffix('%') {
            Some(digits) => {
                whole_number(digits).filter(|percent| *percent <= 100).map(Quorum::Percent)
            }
            None => whole_number(text).map(Quorum::Nodes),
        };
        quorum.ok_or_else(|| InvalidQuorum { found: text.to_owned() })
    }

    /// The required number of prepared servers among this many live ones.
    pub fn required(self, live: usize) -> usize {
        match self {
            Quorum::Nodes(nodes) => nodes as usize,
            Quorum::Percent(percent) => (live * usize::from(percent)).div_ceil(100),
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
    /// Objects that are no states of servers.
    pub bad: Vec<ReleaseError>,
}

impl AffectedNodes {
    /// Reads the servers in the store. `active` and `planned` are the releases now and after the activation.
    pub fn read(
        bucket: &Bucket,
        clock: &StoreClock,
        active: &ActiveReleases,
        planned: &ActiveReleases,
    ) -> Result<AffectedNodes, ReleaseError> {
        let Listing { sound, bad } = nodes(bucket)?;
        let live = sound.into_iter().filter_map(|node| {
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
        Ok(AffectedNodes { nodes, prepared, bad })
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
    fn a_switch_is_three_seconds_after_the_latest_clock() {
        let second = SignedDuration::from_secs;
        let now = Timestamp::UNIX_EPOCH;
        for (clock_ahead, not_before, expected) in [
            (None, None, 0),
            (None, Some(60), 60),
            (Some(0), None, 3),
            // A server whose clock is behind reads the switch before its time.
            (Some(-5), None, 3),
            (Some(4), None, 7),
            // Such a clock is wrong: the others do not wait for it.
            (Some(90), None, 13),
            (Some(0), Some(2), 3),
            (Some(0), Some(60), 60),
        ] {
            let latest_clock = clock_ahead.map(|seconds| now + second(seconds));
            let earliest = not_before.map(|seconds| now + second(seconds));
            let found = switch_time(now, latest_clock, LEAD_TIME, earliest);
            assert_eq!(found, now + second(expected), "{clock_ahead:?} {not_before:?}");
        }
    }
}

#[cfg(test)]
mod waiting_tests {
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
