//! The clock: the time of day, the time since an earlier moment, and waiting. Code that the simulation runs
//! (tests/simulation) asks here; on the threads of a simulation its clock answers.

use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

#[cfg(test)]
use crate::simulated;

/// The time of day. It may jump.
pub fn now() -> Timestamp {
    #[cfg(test)]
    if let Some(world) = simulated::world() {
        return world.now();
    }
    Timestamp::now()
}

/// A moment that only serves to measure the time since another one. It never jumps.
pub fn instant() -> Instant {
    #[cfg(test)]
    if let Some(world) = simulated::world() {
        return world.instant();
    }
    Instant::now()
}

/// The time since this moment.
pub fn since(moment: Instant) -> Duration {
    instant().saturating_duration_since(moment)
}

pub fn sleep(time: Duration) {
    #[cfg(test)]
    if let Some(world) = simulated::world() {
        return world.sleep(time);
    }
    thread::sleep(time);
}
