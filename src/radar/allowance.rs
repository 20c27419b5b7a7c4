//! Limits how often an account may send deliveries by hand: a burst, then one every few seconds.
//!
//! The receiver is another party's server: without a limit an account could use this server to flood it. The
//! store keeps one time per account and action (generic cell rate algorithm), so all servers share the limit.

use jiff::Timestamp;

use super::error::RadarError;
use crate::account::AccountId;
use crate::account::store::Transaction;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Allowance {
    /// The name of the action in the store.
    action: &'static str,
    at_once: i64,
    /// Seconds until one more is allowed.
    every: i64,
}

pub(super) const TESTS: Allowance = Allowance { action: "test", at_once: 5, every: 12 };

pub(super) const REDELIVERIES: Allowance = Allowance { action: "redeliver", at_once: 60, every: 2 };

impl Allowance {
    /// Takes one. Returns the time at which the full burst is available again, or the seconds to wait.
    fn take(self, full_at: i64, now: i64) -> Result<i64, i64> {
        let window = self.at_once * self.every;
        // A clock that was ahead must not cause a longer wait than the window.
        let next = full_at.clamp(now, now + window) + self.every;
        if next > now + window { Err(next - now - window) } else { Ok(next) }
    }
}

/// Takes one from the allowance of an account. The caller holds the lock of its webhook.
pub(super) fn take(
    tx: &mut Transaction<'_>,
    account: AccountId,
    allowance: Allowance,
    now: Timestamp,
) -> Result<(), RadarError> {
    let sql = "SELECT full_at FROM webhook_allowance WHERE account_id = $1 AND action = $2";
    let of = [account.into(), allowance.action.into()];
    let full_at = tx.row(sql, &of, |row| row.get(0))?.unwrap_or(0);
    let taken = allowance.take(full_at, now.as_second());
    let Allowance { at_once, every, .. } = allowance;
    let next = taken.map_err(|seconds| RadarError::TooOften { at_once, every, seconds })?;
    let sql = "INSERT INTO webhook_allowance (account_id, action, full_at) VALUES ($1, $2, $3) \
               ON CONFLICT (account_id, action) DO UPDATE SET full_at = excluded.full_at";
    tx.execute(sql, &[&of[..], &[next.into()]].concat())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_allowed_and_then_one_per_interval() {
        let mut full_at = 0;
        let mut take = |now: i64| {
            let taken = TESTS.take(full_at, now);
            full_at = taken.unwrap_or(full_at);
            taken.map(drop)
        };
        for _ in 0..5 {
            assert_eq!(take(1000), Ok(()));
        }
        assert_eq!((take(1000), take(1011)), (Err(12), Err(1)));
        assert_eq!((take(1012), take(1012)), (Ok(()), Err(12)));
        // A minute later the full burst is available again.
        for _ in 0..5 {
            assert_eq!(take(2000), Ok(()));
        }
        // The clock was set back.
        assert_eq!(take(100), Err(12));
        assert_eq!(take(i64::from(u32::MAX)), Ok(()));
    }
}
