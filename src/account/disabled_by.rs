//! Who disabled a key, and who may enable it again within one minute. An account cannot enable a key that the
//! operator disabled.

use jiff::{SignedDuration, Timestamp};

use super::session::Who;
use crate::text::named_enum::named_enum;

/// How long a disabled key can be enabled again.
pub const UNDO_TIME: SignedDuration = SignedDuration::from_mins(1);

named_enum! {
    fn as_str;
    pub enum DisabledBy {
        Operator = "operator",
        Account = "account",
    }
}

impl DisabledBy {
    pub fn of(who: Who) -> DisabledBy {
        match who {
            Who::Operator => DisabledBy::Operator,
            Who::Account(_) => DisabledBy::Account,
        }
    }

    /// Whether `who` may now enable a key that was disabled by this one at `at`.
    pub fn may_be_undone(self, at: Timestamp, who: Who, now: Timestamp) -> bool {
        let is_allowed = who == Who::Operator || self == DisabledBy::Account;
        is_allowed && now.duration_since(at) <= UNDO_TIME
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountId;

    #[test]
    fn an_account_cannot_enable_a_key_that_the_operator_disabled() {
        let at = Timestamp::UNIX_EPOCH;
        let (operator, account) = (Who::Operator, Who::Account(AccountId(1)));
        for (by, who, expected) in [
            (DisabledBy::Operator, operator, true),
            (DisabledBy::Account, operator, true),
            (DisabledBy::Account, account, true),
            (DisabledBy::Operator, account, false),
        ] {
            let after = |seconds| at + SignedDuration::from_secs(seconds);
            assert_eq!(by.may_be_undone(at, who, after(60)), expected, "{by} {who:?}");
            assert!(!by.may_be_undone(at, who, after(61)));
        }
    }
}
