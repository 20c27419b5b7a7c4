//! Activates releases so that all servers change to one at the same moment.
//!
//! First the release is announced as the next one: servers fetch, verify and open it, and report that. Then a
//! switch time is written, a little ahead, so that every server has read it by then. If no live server is
//! concerned, the change takes effect at once. Each step replaces `current` only if nobody else replaced it
//! since it was read.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::bucket::{Bucket, Tag};
use super::claim::{Claim, Needed, StoreClock};
use super::current::{Current, Switch};
use super::error::ReleaseError;
use super::label::Label;
use super::lines::Lines;
use super::waiting::{Concerned, Waiting, wait};
use super::{number::Number, program::ProgramVersion, shelf};
use crate::compile::Progress;

/// How far ahead a switch is scheduled, in addition to twice the time of a write to the store. Servers that
/// prepare a release poll twice a second, so all have read the switch by then if the store responds within two
/// seconds.
const LEAD: SignedDuration = SignedDuration::from_secs(3);

/// A server's clock may be ahead by this much; a larger difference counts as a wrong clock.
const CLOCK_ERROR_MAX: SignedDuration = SignedDuration::from_secs(10);

/// The active releases before and after an activation.
#[derive(Debug)]
pub struct Moved {
    pub before: Current,
    pub now: Current,
    /// Number of servers that the activation waited for.
    pub nodes: usize,
}

/// Activates a release after checking that all its files exist and waiting until servers are prepared.
pub fn activate(
    bucket: &Bucket,
    number: Number,
    label: Option<&Label>,
    waiting: &Waiting,
    progress: &dyn Progress,
) -> Result<Moved, ReleaseError> {
    let (before, tag) = Current::read(bucket)?;
    let (claim, clock) = claim(bucket, Some(number))?;
    let moved = check(bucket, number).and_then(|()| {
        let mut planned = before.lines.clone();
        planned.activate(number, label);
        let step = Step { bucket, clock: &clock, waiting, progress };
        step.to(before, tag, &planned)
    });
    claim.end()?;
    moved
}

/// Activates the release that was active before the current one. Cancels a scheduled switch.
pub fn rollback(
    bucket: &Bucket,
    label: Option<&Label>,
    waiting: &Waiting,
    progress: &dyn Progress,
) -> Result<Moved, ReleaseError> {
    let (before, tag) = Current::read(bucket)?;
    let ahead = before.switch_ahead(Timestamp::now());
    let taken_back = ahead.filter(|switch| switch.before.of(label) != before.of(label));
    let planned = match taken_back {
        Some(switch) => switch.before.clone(),
        None => {
            let mut planned = before.lines.clone();
            planned.roll_back(label)?;
            planned
        }
    };
    let number = planned.of(label);
    let (claim, clock) = claim(bucket, number)?;
    // Without an active release for the other servers the label is dropped, so there is nothing to check.
    let moved = number.map_or(Ok(()), |number| check(bucket, number)).and_then(|()| {
        let step = Step { bucket, clock: &clock, waiting, progress };
        step.to(before, tag, &planned)
    });
    claim.end()?;
    moved
}

fn claim(bucket: &Bucket, number: Option<Number>) -> Result<(Claim<'_>, StoreClock), ReleaseError> {
    let releases = number.into_iter().collect();
    Claim::write(bucket, &Needed { releases, ..Needed::default() })
}

/// One change of `current`, from the state that was read to the planned one.
pub(super) struct Step<'a> {
    pub bucket: &'a Bucket,
    pub clock: &'a StoreClock,
    pub waiting: &'a Waiting,
    pub progress: &'a dyn Progress,
}

impl Step<'_> {
    /// Starts from a state that was read with this tag.
    pub fn to(
        &self,
        before: Current,
        tag: Option<Tag>,
        planned: &Lines,
    ) -> Result<Moved, ReleaseError> {
        self.wait_for_switch(&before, planned)?;
        let now = Timestamp::now();
        let lines = (before.at(now), planned);
        let concerned = Concerned::look(self.bucket, self.clock, lines)?;
        if concerned.is_enough(self.waiting.quorum) {
            return self.switch(before.clone(), (before, tag), planned, (&concerned, LEAD));
        }
        let begun = Instant::now();
        let announced = Current { next: Some(planned.clone()), ..before.clone() };
        let announced = announced.replace(self.bucket, tag.as_ref())?;
        let lead = LEAD + SignedDuration::try_from(begun.elapsed() * 2).unwrap_or(LEAD);
        let waited =
            wait(self.bucket, self.clock, (&announced, planned), self.waiting, self.progress);
        match waited {
            Ok(concerned) => {
                let tag = announced.read_again(self.bucket)?;
                self.switch(before, (announced, tag), planned, (&concerned, lead))
            }
            Err(error @ ReleaseError::Unprepared { .. }) => {
                let tag = announced.read_again(self.bucket)?;
                Current { next: None, ..announced }.replace(self.bucket, tag.as_ref())?;
                Err(error)
            }
            // The state is unknown now. An announcement does no harm: the next activation replaces it.
            Err(error) => Err(error),
        }
    }

    /// Waits for a switch that is about to happen. A later one can only be cancelled.
    fn wait_for_switch(&self, before: &Current, planned: &Lines) -> Result<(), ReleaseError> {
        let now = Timestamp::now();
        let Some(switch) = before.switch_ahead(now) else { return Ok(()) };
        if switch.before == *planned {
            return Ok(());
        }
        let ahead = switch.at.duration_since(now);
        match ahead > 2 * LEAD {
            true => Err(ReleaseError::Scheduled { at: switch.at.to_string() }),
            false => {
                thread::sleep(unsigned(ahead));
                Ok(())
            }
        }
    }

    /// Writes the switch time, and waits for it if it is near.
    fn switch(
        &self,
        before: Current,
        (there, tag): (Current, Option<Tag>),
        planned: &Lines,
        (concerned, lead): (&Concerned, SignedDuration),
    ) -> Result<Moved, ReleaseError> {
        let now = Timestamp::now();
        let mut at = now;
        if concerned.count() > 0 {
            // The switch must not be in the past for a server whose clock is ahead.
            let clock = concerned.latest_clock().unwrap_or(now);
            at = clock.clamp(now, now + CLOCK_ERROR_MAX) + lead;
        }
        at = self.waiting.at.map_or(at, |asked| asked.max(at));
        let present = there.at(now).clone();
        let is_ahead = at > now && present != *planned;
        let switch = is_ahead.then_some(Switch { at, before: present });
        let highest = there.highest.max(planned.highest());
        let next = Current { highest, lines: planned.clone(), next: None, switch, ..there };
        let now_there = next.replace(self.bucket, tag.as_ref())?;
        if is_ahead && self.waiting.at.is_none() {
            self.progress.step("switching");
            thread::sleep(unsigned(at.duration_since(Timestamp::now())));
        }
        Ok(Moved { before, now: now_there, nodes: concerned.count() })
    }
}

fn unsigned(time: SignedDuration) -> Duration {
    Duration::try_from(time).unwrap_or_default()
}

/// Checks that servers of this program version can use a release, and that all its files exist.
fn check(bucket: &Bucket, number: Number) -> Result<(), ReleaseError> {
    let release = shelf::manifest(bucket, number)?.release;
    let found = ProgramVersion::of_this();
    if release.program > found {
        return Err(ReleaseError::Program { number, expected: release.program, found });
    }
    let there: BTreeMap<String, u64> = bucket
        .list("files/sha256")?
        .into_iter()
        .map(|object| (object.name, object.bytes))
        .collect();
    for entry in &release.files {
        let found = there.get(&entry.sha256.object());
        if found != Some(&entry.bytes) {
            let found = found.map_or("none".to_owned(), u64::to_string);
            let (file, expected) = (entry.path(), entry.bytes);
            return Err(ReleaseError::Incomplete { number, file, expected, found });
        }
    }
    Ok(())
}
