//! When to try again: exponential back-off with jitter for three days. Pure: the time and the random
//! number are the caller's.

/// How long a delivery is tried, in seconds: three days.
pub const TRIED_SECONDS: i64 = 3 * 24 * 60 * 60;

/// The shortest delay, for the second attempt.
const DELAY_SECONDS_MIN: i64 = 10;

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

/// What follows an attempt that failed `now`, of a delivery that is given up at `give_up_at`. The
/// delay is twice the time that it has been tried for, so that it grows exponentially, and begins
/// anew for a delivery that somebody sends again. `random` spreads the attempts of many that failed
/// together: the delay is something from half of it to all of it. The last attempt falls on the end
/// of the three days.
pub fn after_failure(now: i64, give_up_at: i64, random: u32) -> Next {
    if now >= give_up_at {
        return Next::GiveUp;
    }
    let tried = now.saturating_sub(give_up_at.saturating_sub(TRIED_SECONDS));
    let delay = tried.saturating_mul(2).clamp(DELAY_SECONDS_MIN, DELAY_SECONDS_MAX);
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
        while let Next::Retry { at } = after_failure(now, TRIED_SECONDS, u32::MAX) {
            delays.push(at - now);
            now = at;
        }
        assert_eq!(delays[..9], [10, 20, 60, 180, 540, 1620, 4860, 14_580, 21_600]);
        assert_eq!(delays.len(), 19);
        assert_eq!(now, TRIED_SECONDS, "the last attempt falls on the end");
    }

    #[test]
    fn the_random_number_moves_an_attempt_within_the_later_half_of_its_delay() {
        let at = |random| after_failure(100, TRIED_SECONDS, random);
        assert_eq!(at(0), Next::Retry { at: 200 });
        assert_eq!(at(u32::MAX / 2), Next::Retry { at: 249 });
        assert_eq!(at(u32::MAX), Next::Retry { at: 300 });
    }

    proptest! {
        #[test]
        fn an_attempt_is_never_before_its_time_nor_behind_the_end(
            now in 0..4_000_000_000_i64, left in -10..1_000_000_i64, random in any::<u32>(),
        ) {
            match after_failure(now, now + left, random) {
                Next::GiveUp => prop_assert!(left <= 0),
                Next::Retry { at } => {
                    prop_assert!(left > 0 && at > now && at <= now + left);
                    prop_assert!(at <= now + DELAY_SECONDS_MAX);
                }
            }
        }
    }
}
