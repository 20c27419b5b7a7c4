//! The header `Date`: the wall-clock time of an answer.
//!
//! hyper's own `Date` is cached until its clock has passed it: after the clock is set back by an hour, it is wrong
//! for an hour.

use std::cell::RefCell;
use std::time::Instant;

use hyper::header::HeaderValue;
use jiff::Timestamp;

use super::wall_clock::WallClock;

thread_local! {
    static CLOCK: RefCell<WallClock<HeaderValue>> = RefCell::default();
}

/// The header for an instant that was a moment ago, formatted once a second per thread.
pub fn at(instant: Instant) -> HeaderValue {
    CLOCK.with_borrow_mut(|clock| clock.at(instant, header).0.clone())
}

fn header(time: Timestamp) -> HeaderValue {
    let text = time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    HeaderValue::try_from(text).expect("letters, digits and marks of a date")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_follows_the_clock_forward_and_backward() {
        let mut clock = WallClock::default();
        for (second, expected) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_778, "Sun, 06 Nov 1994 08:49:38 GMT"),
            (784_108_178, "Sun, 06 Nov 1994 07:49:38 GMT"),
            (784_108_178, "Sun, 06 Nov 1994 07:49:38 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (u64::MAX, "Thu, 30 Dec 9999 22:00:00 GMT"),
        ] {
            assert_eq!(clock.for_second(second, header), expected, "{second}");
        }
    }
}
