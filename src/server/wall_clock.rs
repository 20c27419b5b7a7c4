//! The wall-clock time of an instant of the monotonic clock, a value formatted for its second, and the header `Date`.
//!
//! Reads the wall clock once in `ANCHOR_AGE_MAX` and adds monotonic time in between, because a request has its instants
//! anyway. So a change of the clock is followed within that time, forward and backward.

use std::cell::RefCell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hyper::header::HeaderValue;
use jiff::Timestamp;

/// How long the two clocks may drift before they are compared again.
const ANCHOR_AGE_MAX: Duration = Duration::from_secs(1);

/// A value for the second that it was last asked for.
#[derive(Debug)]
pub struct SecondCache<T>(Option<(u64, T)>);

impl<T> Default for SecondCache<T> {
    fn default() -> SecondCache<T> {
        SecondCache(None)
    }
}

impl<T> SecondCache<T> {
    /// The value for this second, counted from 1970.
    pub fn get(&mut self, second: u64, format: impl FnOnce(Timestamp) -> T) -> &T {
        if self.0.as_ref().is_some_and(|(known, _)| *known != second) {
            self.0 = None;
        }
        let (_, value) = self.0.get_or_insert_with(|| {
            let signed = i64::try_from(second).unwrap_or(i64::MAX);
            (second, format(Timestamp::from_second(signed).unwrap_or(Timestamp::MAX)))
        });
        value
    }
}

#[derive(Debug, Default)]
struct WallClock {
    /// One point in time by both clocks.
    anchor: Option<(Instant, Duration)>,
    date: SecondCache<HeaderValue>,
}

impl WallClock {
    /// The time since 1970 at this instant, which is now or was a moment ago.
    fn since_epoch(&mut self, instant: Instant) -> Duration {
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

thread_local! {
    static CLOCK: RefCell<WallClock> = RefCell::default();
}

/// The time since 1970 at an instant that was a moment ago.
pub fn since_epoch(instant: Instant) -> Duration {
    CLOCK.with_borrow_mut(|clock| clock.since_epoch(instant))
}

/// The header `Date` for an instant that was a moment ago, formatted once a second per thread. hyper's own is cached until
/// its clock has passed it: after the clock is set back by an hour, it is wrong for an hour.
pub fn date(instant: Instant) -> HeaderValue {
    CLOCK.with_borrow_mut(|clock| {
        let since = clock.since_epoch(instant);
        clock.date.get(since.as_secs(), date_header).clone()
    })
}

fn date_header(time: Timestamp) -> HeaderValue {
    let text = time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    HeaderValue::try_from(text).expect("letters, digits and marks of a date")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_from_the_anchor_and_an_old_anchor_is_replaced() {
        let clock_at = |anchor| WallClock { anchor: Some(anchor), ..WallClock::default() };
        let now = Instant::now();
        let wrong = Duration::from_secs(1_000);
        for (age, is_kept) in [
            (Duration::ZERO, true),
            (ANCHOR_AGE_MAX - Duration::from_nanos(1), true),
            (ANCHOR_AGE_MAX, false),
            (10 * ANCHOR_AGE_MAX, false),
        ] {
            let mut clock = clock_at((now, wrong));
            let found = clock.since_epoch(now + age);
            assert_eq!(found == wrong + age, is_kept, "{age:?}");
            assert_eq!(clock.anchor == Some((now, wrong)), is_kept, "{age:?}");
        }
        // An instant before the anchor: another thread's request may have ended before this thread read the clocks.
        let mut clock = clock_at((now + ANCHOR_AGE_MAX, wrong));
        assert_ne!(clock.since_epoch(now), wrong);
    }

    #[test]
    fn the_date_follows_the_clock_forward_and_backward() {
        let mut dates = SecondCache::default();
        for (second, expected) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_778, "Sun, 06 Nov 1994 08:49:38 GMT"),
            (784_108_178, "Sun, 06 Nov 1994 07:49:38 GMT"),
            (784_108_178, "Sun, 06 Nov 1994 07:49:38 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (u64::MAX, "Thu, 30 Dec 9999 22:00:00 GMT"),
        ] {
            assert_eq!(dates.get(second, date_header), expected, "{second}");
        }
    }
}
