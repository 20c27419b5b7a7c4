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
    /// Up to this many requests a second are all logged.
    unsampled_max: u64,
    started: Instant,
    /// The second being counted, since `started`.
    second: AtomicU64,
    in_second: AtomicU64,
    left_out: AtomicU64,
}

impl LogSample {
    /// Samples above this many requests a second.
    pub fn above(unsampled_max: u64) -> LogSample {
        LogSample {
            unsampled_max,
            started: Instant::now(),
            second: AtomicU64::new(0),
            in_second: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
        }
    }

    pub fn includes(&self, now: Instant) -> bool {
        let second = now.saturating_duration_since(self.started).as_secs();
        // Two threads that start the same second may log a few lines more.
        if self.second.swap(second, Relaxed) != second {
            self.in_second.store(0, Relaxed);
        }
        let earlier = self.in_second.fetch_add(1, Relaxed);
        let is_included = match earlier.checked_sub(self.unsampled_max) {
            None => true,
            Some(excess) => excess % SAMPLED_ONE_IN == SAMPLED_ONE_IN - 1,
        };
        if !is_included {
            self.left_out.fetch_add(1, Relaxed);
        }
        is_included
    }

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
        let included = |unsampled_max, requests, at: u64, sample: Option<&LogSample>| {
            let own = LogSample::above(unsampled_max);
            let sample = sample.unwrap_or(&own);
            let now = sample.started + Duration::from_secs(at);
            (0..requests).filter(|_| sample.includes(now)).count()
        };
        for (unsampled_max, requests, expected) in
            [(10, 9, 9), (10, 10, 10), (10, 109, 10), (10, 110, 11), (10, 1010, 20), (0, 100, 1)]
        {
            assert_eq!(
                included(unsampled_max, requests, 0, None),
                expected,
                "{unsampled_max} {requests}"
            );
        }
        let sample = LogSample::above(10);
        for second in 0..3 {
            assert_eq!(included(10, 60, second, Some(&sample)), 10, "the limit is per second");
        }
        assert_eq!(sample.left_out(), 150);
        assert_eq!(included(10, 1, 1, Some(&sample)), 1, "a time before the current second");
    }
}
