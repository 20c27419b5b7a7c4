//! When to retry: exponential backoff with jitter for three days. Pure: the caller gives the time and
//! the random number.

/// How long a delivery is retried, in seconds: three days.
pub const TRIED_SECONDS: i64 = 3 * 24 * 60 * 60;

const DELAY_SECONDS_MIN: i64 = 10;

/// The longest delay: a receiver repaired at night gets its events before noon.
const DELAY_SECONDS_MAX: i64 = 6 * 60 * 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// At this second since 1970.
    Retry {
        at: i64,
    },
    GiveUp,
}

/// What follows an attempt that failed. The delay is twice the time since the first attempt, less up to half by
/// `random`, which spreads deliveries; the last attempt is at the end of the three days.
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
    fn jitter_shortens_a_delay_by_up_to_half() {
        let at = |random| after_failure(100, TRIED_SECONDS, random);
        assert_eq!(at(0), Next::Retry { at: 200 });
        assert_eq!(at(u32::MAX / 2), Next::Retry { at: 249 });
        assert_eq!(at(u32::MAX), Next::Retry { at: 300 });
    }

    proptest! {
        #[test]
        fn retries_are_in_the_future_and_not_after_the_end(
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
