//! The header `Date`: the wall-clock time of an answer.
//!
//! hyper's own `Date` is cached until its clock has passed it: after the clock is set back by an hour, it is wrong
//! for an hour.

use std::cell::RefCell;
use std::time::Instant;

use hyper::header::HeaderValue;

use super::wall_clock::WallClock;

/// The header for one second.
struct CachedDate {
    second: u64,
    value: HeaderValue,
}

thread_local! {
    static CACHED: RefCell<(WallClock, CachedDate)> =
        RefCell::new((WallClock::default(), CachedDate::of(0)));
}

/// The header for an instant that was a moment ago, formatted once a second per thread.
pub fn at(instant: Instant) -> HeaderValue {
    CACHED.with_borrow_mut(|(clock, date)| date.for_second(clock.since_epoch(instant).as_secs()))
}

impl CachedDate {
    fn of(second: u64) -> CachedDate {
        let second_signed = i64::try_from(second).unwrap_or(i64::MAX);
        let time = jiff::Timestamp::from_second(second_signed).unwrap_or(jiff::Timestamp::MAX);
        let text = time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let value = HeaderValue::try_from(text).expect("letters, digits and marks of a date");
        CachedDate { second, value }
    }

    fn for_second(&mut self, second: u64) -> HeaderValue {
        if self.second != second {
            *self = CachedDate::of(second);
        }
        self.value.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_follows_the_clock_forward_and_backward() {
        let mut cached = CachedDate::of(0);
        for (second, expected) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_778, "Sun, 06 Nov 1994 08:49:38 GMT"),
            (784_108_178, "Sun, 06 Nov 1994 07:49:38 GMT"),
            (784_108_178, "Sun, 06 Nov 1994 07:49:38 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (u64::MAX, "Thu, 30 Dec 9999 22:00:00 GMT"),
        ] {
            assert_eq!(cached.for_second(second), expected, "{second}");
        }
    }
}
