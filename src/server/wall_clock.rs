//! The wall-clock time of an instant of the monotonic clock.
//!
//! Reads the wall clock once in `ANCHOR_AGE_MAX` and adds monotonic time in between, because a request has its instants
//! anyway. So a change of the clock is followed within that time, forward and backward.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long the two clocks may drift before they are compared again.
const ANCHOR_AGE_MAX: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub struct WallClock {
    /// One point in time by both clocks.
    pub(super) anchor: Option<(Instant, Duration)>,
}

impl WallClock {
    /// The time from 1970 until this instant, which is now or was a moment ago.
    pub fn since_epoch(&mut self, instant: Instant) -> Duration {
        if let Some((anchor, since)) = self.anchor
            && let Some(elapsed) = instant.checked_duration_since(anchor)
            && elapsed < ANCHOR_AGE_MAX
        {
            return since + elapsed;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.anchor = Some((Instant::now(), since));
        since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_from_the_anchor_and_an_old_anchor_is_replaced() {
        let now = Instant::now();
        let wrong = Duration::from_secs(1_000);
        for (age, is_kept) in [
            (Duration::ZERO, true),
            (ANCHOR_AGE_MAX - Duration::from_nanos(1), true),
            (ANCHOR_AGE_MAX, false),
            (10 * ANCHOR_AGE_MAX, false),
        ] {
            let mut clock = WallClock { anchor: Some((now, wrong)) };
            let found = clock.since_epoch(now + age);
            assert_eq!(found == wrong + age, is_kept, "{age:?}");
            assert_eq!(clock.anchor == Some((now, wrong)), is_kept, "{age:?}");
        }
        // An instant before the anchor: another thread's request may have ended before this thread read the clocks.
        let mut clock = WallClock { anchor: Some((now + ANCHOR_AGE_MAX, wrong)) };
        assert_ne!(clock.since_epoch(now), wrong);
    }
}
