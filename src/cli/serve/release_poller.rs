//! Polls for the active release on a separate thread, so that a slow object store does not delay a scheduled
//! switch. Only the latest result is kept.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{thread, time::Duration};

use crate::release::{Current, LazyBucket, ReleaseError};

/// Maximum polling interval while a release is being loaded or a switch is scheduled.
const FAST_INTERVAL: Duration = Duration::from_millis(500);

/// What the object store says is active, or why that is unknown.
pub type PollResult = Result<Current, ReleaseError>;

/// The polling thread. A [`stopper`](ReleasePoller::stopper) ends it.
#[derive(Debug)]
pub struct ReleasePoller {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    slot: Mutex<Slot>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Slot {
    /// The latest result, until a waiting thread takes it.
    result: Option<PollResult>,
    is_fast: bool,
    is_stopped: bool,
}

#[derive(Debug)]
pub enum Wait {
    Polled(Box<PollResult>),
    TimedOut,
    Stopped,
}

impl ReleasePoller {
    pub fn start(url: String, interval: Duration) -> io::Result<ReleasePoller> {
        let shared = Arc::new(Shared::default());
        let thread_shared = Arc::clone(&shared);
        let thread = thread::Builder::new().name("release poller".to_owned());
        thread.spawn(move || thread_shared.poll_until_stopped(url, interval))?;
        Ok(ReleasePoller { shared })
    }

    /// The latest result that was not returned yet; waits for one at most this long.
    pub fn wait(&self, timeout: Option<Duration>) -> Wait {
        let shared = &self.shared;
        let must_wait = |slot: &mut Slot| slot.result.is_none() && !slot.is_stopped;
        let slot = shared.slot();
        let mut slot = match timeout {
            None => {
                shared.changed.wait_while(slot, must_wait).unwrap_or_else(PoisonError::into_inner)
            }
            Some(timeout) => {
                let waited = shared.changed.wait_timeout_while(slot, timeout, must_wait);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        match slot.result.take() {
            _ if slot.is_stopped => Wait::Stopped,
            Some(result) => Wait::Polled(Box::new(result)),
            None => Wait::TimedOut,
        }
    }

    /// Sets whether to poll at the shorter interval.
    pub fn set_fast(&self, is_fast: bool) {
        let mut slot = self.shared.slot();
        if slot.is_fast != is_fast {
            slot.is_fast = is_fast;
            self.shared.changed.notify_all();
        }
    }

    /// For another thread: ends polling and wakes waiting threads.
    pub fn stopper(&self) -> impl Fn() + Send + use<> {
        let shared = Arc::clone(&self.shared);
        move || {
            shared.slot().is_stopped = true;
            shared.changed.notify_all();
        }
    }
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_until_stopped(&self, url: String, interval: Duration) {
        let mut bucket = LazyBucket::new(url);
        loop {
            let result = bucket.get().and_then(Current::read).map(|(current, _tag)| current);
            let mut slot = self.slot();
            slot.result = Some(result);
            self.changed.notify_all();
            if self.sleep(slot, interval) {
                return;
            }
        }
    }

    /// Waits until the next poll is due; returns whether polling has ended.
    fn sleep(&self, slot: MutexGuard<'_, Slot>, interval: Duration) -> bool {
        let was_fast = slot.is_fast;
        let interval = if was_fast { interval.min(FAST_INTERVAL) } else { interval };
        let must_wait = |slot: &mut Slot| !slot.is_stopped && (was_fast || !slot.is_fast);
        let waited = self.changed.wait_timeout_while(slot, interval, must_wait);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_stopped
    }
}
