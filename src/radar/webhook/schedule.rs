//! When to retry a delivery: exponential backoff with jitter, for three days. Pure: the caller passes the time and
//! the random number.

/// How long a delivery is retried, in seconds: three days.
pub const RETRY_SECONDS_MAX: i64 = 3 * 24 * 60 * 60;

const DELAY_SECONDS_MIN: i64 = 10;

/// The longest delay, six hours: a receiver that is repaired at night gets its events before noon.
pub const DELAY_SECONDS_MAX: i64 = 6 * 60 * 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Another attempt at this time, in seconds since 1970.
    RetryAt(i64),
    GiveUp,
}

/// Decides what follows a failed attempt. The delay is twice the time since the delivery was created or resent. `random`
/// shortens it by up to half, so that deliveries spread out. The last attempt is at the end of the three days. Times are
/// seconds since 1970.
pub fn next_step(now: i64, give_up_at: i64, random: u32) -> NextStep {
    if now >= give_up_at {
        return NextStep::GiveUp;
    }
    let elapsed = now.saturating_sub(give_up_at.saturating_sub(RETRY_SECONDS_MAX));
    let delay = elapsed.saturating_mul(2).clamp(DELAY_SECONDS_MIN, DELAY_SECONDS_MAX);
    let half = delay / 2;
    let jitter = (delay - half) * i64::from(random) / i64::from(u32::MAX);
    NextStep::RetryAt((now + half + jitter).min(give_up_at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn delays_grow_to_six_hours_and_end_after_three_days() {
        let mut now = 0;
        let mut delays = Vec::new();
        while let NextStep::RetryAt(retry_at) = next_step(now, RETRY_SECONDS_MAX, u32::MAX) {
            delays.push(retry_at - now);
            now = retry_at;
        }
        assert_eq!(delays[..9], [10, 20, 60, 180, 540, 1620, 4860, 14_580, 21_600]);
        assert_eq!(delays.len(), 19);
        assert_eq!(now, RETRY_SECONDS_MAX, "the last attempt falls on the end");
    }

    #[test]
    fn jitter_shortens_a_delay_by_up_to_half() {
        let step = |random| next_step(100, RETRY_SECONDS_MAX, random);
        assert_eq!(step(0), NextStep::RetryAt(200));
        assert_eq!(step(u32::MAX / 2), NextStep::RetryAt(249));
        assert_eq!(step(u32::MAX), NextStep::RetryAt(300));
    }

    proptest! {
        #[test]
        fn retries_are_in_the_future_and_not_after_the_end(
            now in 0..4_000_000_000_i64, left in -10..1_000_000_i64, random in any::<u32>(),
        ) {
            match next_step(now, now + left, random) {
                NextStep::GiveUp => prop_assert!(left <= 0),
                NextStep::RetryAt(retry_at) => {
                    prop_assert!(left > 0 && retry_at > now && retry_at <= now + left);
                    prop_assert!(retry_at <= now + DELAY_SECONDS_MAX);
                }
            }
        }
    }
}
