//! Polls for the active release on a separate thread, so that a slow object store does not delay a scheduled
//! switch. Only the latest result is kept.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::release::{Current, LateBucket, ReleaseError};

/// Polling interval while a release is being loaded or a switch is scheduled.
const POLL_HURRIED: Duration = Duration::from_millis(500);

pub type Looked = Result<Current, ReleaseError>;

/// The polling thread; dropping it ends the thread.
#[derive(Debug)]
pub struct Looks {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    slot: Mutex<Slot>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Slot {
    looked: Option<Looked>,
    is_hurried: bool,
    has_ended: bool,
}

/// The result of a wait.
#[derive(Debug)]
pub enum Next {
    Looked(Box<Looked>),
    TimeIsUp,
    Ended,
}

impl Looks {
    pub fn start(url: String, poll: Duration) -> io::Result<Looks> {
        let shared = Arc::new(Shared::default());
        let asking = Arc::clone(&shared);
        thread::Builder::new().name("release looks".to_owned()).spawn(move || {
            let mut bucket = LateBucket::at(url);
            loop {
                let looked = look(&mut bucket);
                let mut slot = asking.slot();
                slot.looked = Some(looked);
                asking.changed.notify_all();
                if asking.rest(slot, poll) {
                    return;
                }
            }
        })?;
        Ok(Looks { shared })
    }

    /// The latest result that was not returned yet; waits for one at most this long.
    pub fn next(&self, time_max: Option<Duration>) -> Next {
        let shared = &self.shared;
        let waits = |slot: &mut Slot| slot.looked.is_none() && !slot.has_ended;
        let slot = shared.slot();
        let mut slot = match time_max {
            None => shared.changed.wait_while(slot, waits).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                let waited = shared.changed.wait_timeout_while(slot, time, waits);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        match slot.looked.take() {
            _ if slot.has_ended => Next::Ended,
            Some(looked) => Next::Looked(Box::new(looked)),
            None => Next::TimeIsUp,
        }
    }

    /// Sets whether to poll at the shorter interval.
    pub fn hurry(&self, is_hurried: bool) {
        let mut slot = self.shared.slot();
        if slot.is_hurried != is_hurried {
            slot.is_hurried = is_hurried;
            self.shared.changed.notify_all();
        }
    }

    /// For another thread: ends polling and wakes waiting threads.
    pub fn ender(&self) -> impl Fn() + Send + use<> {
        let shared = Arc::clone(&self.shared);
        move || {
            shared.slot().has_ended = true;
            shared.changed.notify_all();
        }
    }
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the next poll is due; returns whether polling has ended.
    fn rest(&self, slot: MutexGuard<'_, Slot>, poll: Duration) -> bool {
        let hurried = slot.is_hurried;
        let time = if hurried { poll.min(POLL_HURRIED) } else { poll };
        let rests = |slot: &mut Slot| !slot.has_ended && (hurried || !slot.is_hurried);
        let waited = self.changed.wait_timeout_while(slot, time, rests);
        waited.unwrap_or_else(PoisonError::into_inner).0.has_ended
    }
}

fn look(bucket: &mut LateBucket) -> Looked {
    Ok(Current::read(bucket.get()?)?.0)
}
