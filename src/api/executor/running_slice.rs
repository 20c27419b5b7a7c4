//! A slice of a search or batch that is running on a thread of a lane: when it must stop, and when it yields its core.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long a slice keeps its core before it yields. With 0.1 ms instead, a batch of 2 ms takes up to 0.4 s while
/// connections use all cores, because Linux lets a thread wait longer each time it yields.
const YIELD_INTERVAL: Duration = Duration::from_millis(1);

/// Tells a task that nobody waits for its result any more.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    pub fn set(&self) {
        self.0.store(true, Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// A slice from its start on. Its work asks it about every 0.1 ms whether to stop.
#[derive(Debug)]
pub struct RunningSlice<'c> {
    cancel: &'c CancelFlag,
    deadline: Instant,
    last_yield: Cell<Instant>,
}

impl<'c> RunningSlice<'c> {
    pub fn start(cancel: &'c CancelFlag, deadline: Instant) -> RunningSlice<'c> {
        RunningSlice { cancel, deadline, last_yield: Cell::new(Instant::now()) }
    }

    /// Whether the work is cancelled or past its deadline.
    ///
    /// Yields the core every millisecond. Otherwise a connection may wait 4 ms for it: Linux from 6.6 on lets a
    /// thread finish its time slice even when a thread of a higher priority becomes ready.
    pub fn must_stop(&self) -> bool {
        let now = Instant::now();
        if now.duration_since(self.last_yield.get()) >= YIELD_INTERVAL {
            std::thread::yield_now();
            // The time before the yield: if the core did not come back for an interval, others need it, and the next
            // call yields again.
            self.last_yield.set(now);
        }
        self.cancel.is_set() || now >= self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_stops_when_it_is_cancelled_or_past_its_deadline() {
        let hour = Duration::from_secs(3_600);
        for (is_cancelled, is_late) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let cancel = CancelFlag::default();
            if is_cancelled {
                cancel.set();
            }
            let now = Instant::now();
            let slice = RunningSlice::start(&cancel, if is_late { now } else { now + hour });
            assert_eq!(slice.must_stop(), is_cancelled || is_late, "{is_cancelled} {is_late}");
        }
    }

    #[test]
    fn a_slice_yields_when_its_interval_is_over() {
        let cancel = CancelFlag::default();
        let slice = RunningSlice::start(&cancel, Instant::now() + Duration::from_secs(3_600));
        let started = slice.last_yield.get();
        while slice.last_yield.get() == started {
            assert!(!slice.must_stop());
        }
        assert!(slice.last_yield.get() >= started + YIELD_INTERVAL);
    }
}
