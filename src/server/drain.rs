//! The drain: the time between the signal to stop and the stop, in which connections close.
//!
//! Each connection has a time of its own, so that not all clients reconnect to the other servers at once. The times
//! lie in the middle half of the drain: earlier, a balancer may not have noticed yet and would send the client here
//! again; later, a client with infrequent requests would not learn of it in time. Knows no connection.

use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drain {
    pub began: Instant,
    pub time: Duration,
}

/// 2^32 divided by the golden ratio: its multiples modulo 2^32 are evenly spread, however many there are.
const STEP: u32 = 0x9E37_79B9;

impl Drain {
    /// When the connection of this number is to close.
    pub fn close_time(&self, number: u64) -> Instant {
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are what counts")]
        let share = f64::from((number as u32).wrapping_mul(STEP)) / 2_f64.powi(32);
        self.began + self.time / 4 + self.time.mul_f64(share / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_close_evenly_in_the_middle_half_of_the_drain() {
        for time in [Duration::from_millis(1), Duration::from_secs(5), Duration::from_secs(3600)] {
            let drain = Drain { began: Instant::now(), time };
            for first in [0, 1, 1_000, u64::from(u32::MAX) - 50, u64::MAX - 100] {
                let mut eighths = [0; 8];
                for number in first..first + 100 {
                    let passed = drain.close_time(number) - drain.began;
                    let part = 8.0 * passed.as_secs_f64() / time.as_secs_f64();
                    eighths[part as usize] += 1;
                }
                let [0, 0, middle @ .., 0, 0] = eighths else {
                    panic!("from {first}: {eighths:?}")
                };
                assert!(middle.iter().all(|count| (20..=30).contains(count)), "{eighths:?}");
            }
        }
    }
}
