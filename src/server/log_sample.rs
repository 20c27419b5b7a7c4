//! Samples the access log of requests without a valid key.
//!
//! Anybody can send such requests, so past a rate only a sample is logged and the others are counted. Requests of
//! an account are limited by its quota and are all logged.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Past the rate, one of this many requests is logged.
pub const SAMPLED_ONE_IN: u64 = 100;

#[derive(Debug)]
pub struct LogSample {
    /// Up to this many lines a second are all logged.
    whole_max: u64,
    started: Instant,
    /// The second being counted, since `started`.
    second: AtomicU64,
    in_second: AtomicU64,
    left_out: AtomicU64,
}

impl LogSample {
    pub fn past(whole_max: u64) -> LogSample {
        LogSample {
            whole_max,
            started: Instant::now(),
            second: AtomicU64::new(0),
            in_second: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
        }
    }

    /// Whether a request at this moment is logged.
    pub fn takes(&self, now: Instant) -> bool {
        let second = now.saturating_duration_since(self.started).as_secs();
        // Two threads that start the same second may log a few lines more.
        if self.second.swap(second, Relaxed) != second {
            self.in_second.store(0, Relaxed);
        }
        let before = self.in_second.fetch_add(1, Relaxed);
        let takes = match before.checked_sub(self.whole_max) {
            None => true,
            Some(past) => past % SAMPLED_ONE_IN == SAMPLED_ONE_IN - 1,
        };
        if !takes {
            self.left_out.fetch_add(1, Relaxed);
        }
        takes
    }

    /// Number of requests that were not logged since the start.
    pub fn left_out(&self) -> u64 {
        self.left_out.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn past_the_rate_one_request_in_a_hundred_is_logged() {
        let taken = |whole_max, requests, at: u64, sample: Option<&LogSample>| {
            let own = LogSample::past(whole_max);
            let sample = sample.unwrap_or(&own);
            let now = sample.started + Duration::from_secs(at);
            (0..requests).filter(|_| sample.takes(now)).count()
        };
        for (whole_max, requests, expected) in
            [(10, 9, 9), (10, 10, 10), (10, 109, 10), (10, 110, 11), (10, 1010, 20), (0, 100, 1)]
        {
            assert_eq!(taken(whole_max, requests, 0, None), expected, "{whole_max} {requests}");
        }
        let sample = LogSample::past(10);
        for second in 0..3 {
            assert_eq!(taken(10, 60, second, Some(&sample)), 10, "the limit is per second");
        }
        assert_eq!(sample.left_out(), 150);
        assert_eq!(taken(10, 1, 1, Some(&sample)), 1, "a time before the current second");
    }
}
