//! When to try again: exponential back-off with jitter for three days. Pure: the time and the random
//! number are the caller's.

/// How long a delivery is tried, in seconds: three days.
pub const TRIED_SECONDS: i64 = 3 * 24 * 60 * 60;

/// The longest delay before the second attempt; each further one is [`FACTOR`] times as long.
const FIRST_DELAY_SECONDS: i64 = 10;

/// How much longer each delay is than the one before.
const FACTOR: i64 = 3;

/// No delay is longer: a receiver that was mended at night is served before noon.
const DELAY_SECONDS_MAX: i64 = 6 * 60 * 60;

/// What follows a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Another attempt at this second since 1970.
    Retry {
        /// The second.
        at: i64,
    },
    /// None: it was tried for three days.
    GiveUp,
}

/// What follows after `attempts` failed attempts, the last of which ended `now`, of a delivery that
/// is given up at `give_up_at`. `random` spreads the attempts of many deliveries that failed
/// together: the delay is something from half of it to all of it. The last attempt falls on the end
/// of the three days.
pub fn after_failure(attempts: u32, now: i64, give_up_at: i64, random: u32) -> Next {
    if now >= give_up_at {
        return Next::GiveUp;
    }
    let doubled = FACTOR.checked_pow(attempts.saturating_sub(1));
    let delay = doubled
        .and_then(|factor| FIRST_DELAY_SECONDS.checked_mul(factor))
        .map_or(DELAY_SECONDS_MAX, |delay| delay.min(DELAY_SECONDS_MAX));
    let half = delay / 2;
    let jitter = (delay - half) * i64::from(random) / i64::from(u32::MAX);
    Next::Retry { at: (now + half + jitter).min(give_up_at) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn delays_grow_to_six_hours_and_end_after_three_days() {
        let mut now = 0;
        let mut delays = Vec::new();
        for attempts in 1.. {
            match after_failure(attempts, now, TRIED_SECONDS, u32::MAX) {
                Next::Retry { at } => delays.push(at - now),
                Next::GiveUp => break,
            }
            now += delays.last().expect("pushed");
        }
        assert_eq!(delays[..8], [10, 30, 90, 270, 810, 2430, 7290, 21_600]);
        assert_eq!(delays.len(), 19);
        assert_eq!(now, TRIED_SECONDS, "the last attempt falls on the end");
    }

    #[test]
    fn the_random_number_moves_an_attempt_within_the_later_half_of_its_delay() {
        let at = |random| after_failure(4, 1000, TRIED_SECONDS, random);
        assert_eq!(at(0), Next::Retry { at: 1135 });
        assert_eq!(at(u32::MAX / 2), Next::Retry { at: 1202 });
        assert_eq!(at(u32::MAX), Next::Retry { at: 1270 });
    }

    proptest! {
        #[test]
        fn an_attempt_is_never_before_its_time_nor_behind_the_end(
            attempts in any::<u32>(), now in 0..4_000_000_000_i64, left in -10..1_000_000_i64,
            random in any::<u32>(),
        ) {
            match after_failure(attempts, now, now + left, random) {
                Next::GiveUp => prop_assert!(left <= 0),
                Next::Retry { at } => {
                    prop_assert!(left > 0 && at > now && at <= now + left);
                    prop_assert!(at <= now + DELAY_SECONDS_MAX);
                }
            }
        }
    }
}
