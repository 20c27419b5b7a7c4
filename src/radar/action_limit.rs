//! Limits how often an account may send deliveries by hand: a few at once, then one every few seconds.
//!
//! The receiver is somebody's server; without a limit, an account could use this server to flood it. The algorithm is
//! GCRA (generic cell rate algorithm): the store keeps one time for each account and action, so all servers share the
//! limit.

use jiff::Timestamp;

use super::error::RadarError;
use crate::account::AccountId;
use crate::account::store::Transaction;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ActionLimit {
    /// The name of the action in the store.
    action: &'static str,
    /// How many are allowed at once.
    burst: i64,
    /// Seconds until one more is allowed.
    interval: i64,
}

pub(super) const TESTS: ActionLimit = ActionLimit { action: "test", burst: 5, interval: 12 };

pub(super) const REDELIVERIES: ActionLimit =
    ActionLimit { action: "redeliver", burst: 60, interval: 2 };

impl ActionLimit {
    /// Uses one. `full_at` is when the full burst is available again. Returns the new `full_at`, or the seconds to
    /// wait. Times are seconds since 1970.
    fn charge(self, full_at: i64, now: i64) -> Result<i64, i64> {
        let window = self.burst * self.interval;
        // The clock may have been ahead and then set back: nobody waits longer than the window.
        let next = full_at.clamp(now, now + window) + self.interval;
        if next > now + window { Err(next - now - window) } else { Ok(next) }
    }
}

/// Uses one of an action's limit for an account. The caller must have locked its webhook.
pub(super) fn charge(
    tx: &mut Transaction<'_>,
    account: AccountId,
    limit: ActionLimit,
    now: Timestamp,
) -> Result<(), RadarError> {
    let sql = "SELECT full_at FROM webhook_allowance WHERE account_id = $1 AND action = $2";
    let account_and_action = [account.into(), limit.action.into()];
    let full_at = tx.row(sql, &account_and_action, |row| row.get(0))?.unwrap_or(0);
    let charged = limit.charge(full_at, now.as_second());
    let ActionLimit { burst, interval, .. } = limit;
    let full_at = charged.map_err(|wait| RadarError::TooOften { burst, interval, wait })?;
    let sql = "INSERT INTO webhook_allowance (account_id, action, full_at) VALUES ($1, $2, $3) \
               ON CONFLICT (account_id, action) DO UPDATE SET full_at = excluded.full_at";
    tx.execute(sql, &[&account_and_action[..], &[full_at.into()]].concat())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_allowed_and_then_one_per_interval() {
        let mut full_at = 0;
        let mut charge = |now: i64| {
            let charged = TESTS.charge(full_at, now);
            full_at = charged.unwrap_or(full_at);
            charged.map(drop)
        };
        for _ in 0..5 {
            assert_eq!(charge(1000), Ok(()));
        }
        assert_eq!((charge(1000), charge(1011)), (Err(12), Err(1)));
        assert_eq!((charge(1012), charge(1012)), (Ok(()), Err(12)));
        // A minute later the full burst is available again.
        for _ in 0..5 {
            assert_eq!(charge(2000), Ok(()));
        }
        // The clock was set back.
        assert_eq!(charge(100), Err(12));
        assert_eq!(charge(i64::from(u32::MAX)), Ok(()));
    }
}
