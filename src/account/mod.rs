//! Accounts, their keys, and their rights. Does not know HTTP.
//!
//! A request presents a key. [`Keyring::find`] returns its account, [`KeyEntry::allows_origin`] checks the
//! origin, and [`authorize`] checks the rights of the account: pure functions over memory, which [`LiveKeys`]
//! reloads when the [`store`] changes. A [`Meter`] counts requests and enforces the [`Quota`]; the
//! [`UsageWriter`] writes the counts to the store. Only the SHA-256 of a key is stored or held: its text is
//! shown once, when it is created.
//!
//! Which [`Rights`] a key has follows from its kind and from its account's plan and options: the table of
//! docs/rules.md#keys.

mod identity;
mod key;
mod key_cache;
mod key_end;
mod keyring;
pub mod live;
pub mod meter;
mod origin;
pub mod quota;
mod recent_digests;
pub mod sign_in;
pub mod store;
#[cfg(test)]
mod tests;
pub mod usage;

pub use identity::{
    Account, AccountId, AccountName, KEY_LABEL_LENGTH_MAX, KEYS_MAX, KeyLabel, Plan, VisibleFault,
};
pub use key::{
    ApiKey, DisabledBy, KEY_LENGTH, KEY_RANDOM_LENGTH, KeyFault, KeyHash, KeyId, KeyKind,
    KeySelector, KeySelectorFault, UNDO_TIME,
};
pub use key_cache::{CachedKeys, KeyCache, KeyCacheError, KeyCacheFault};
pub use key_end::{KeyEnd, KeyEndFault};
pub use keyring::{KeyEntry, Keyring};
pub use live::{KeySource, LiveKeys, OnFirstRead, Refresher};
pub use meter::{Allowance, Exhausted, Meter, Meters, ResponseKind, Responses, Tally};
pub use origin::{ORIGINS_MAX, Origin, OriginError, OriginFault};
pub use quota::{LimitSetting, OwnQuota, Quota, QuotaChange, Quotas, Rate};
pub use sign_in::{
    HashFault, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, Password, PasswordFault, PasswordHash,
    SALT_LENGTH, SESSION_TIME, TOKEN_LENGTH, Token, TokenHash, Who,
};
pub use usage::UsageWriter;

pub use crate::random::bytes as random_bytes;

/// What an endpoint needs of the key and the account of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// The least plan; `None` if every account has it.
    pub plan: Option<Plan>,
    /// Whether a public key is not enough.
    pub secret_key: bool,
    pub batch_option: bool,
}

impl Rights {
    pub const ANY_KEY: Rights = Rights { plan: None, secret_key: false, batch_option: false };
    pub const STANDARD: Rights = Rights { plan: Some(Plan::Standard), ..Rights::ANY_KEY };
    pub const PREMIUM: Rights = Rights { plan: Some(Plan::Premium), ..Rights::ANY_KEY };
    pub const DOWNLOAD: Rights = Rights { secret_key: true, ..Rights::STANDARD };
    pub const RADAR: Rights = Rights { secret_key: true, ..Rights::PREMIUM };
    pub const STANDARD_BATCH: Rights = Rights { batch_option: true, ..Rights::DOWNLOAD };
    pub const PREMIUM_BATCH: Rights = Rights { batch_option: true, ..Rights::RADAR };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    #[error("this needs a secret key; found a public key; send the account's secret key")]
    SecretKeyRequired,
    #[error("this needs the {needed} plan or above; the account has the {has} plan")]
    PlanTooLow { needed: Plan, has: Plan },
    #[error("this needs the batch option; the account does not have it")]
    BatchOptionMissing,
}

/// Whether an account may use the radar, and so have a webhook.
pub fn authorize_radar(account: &Account) -> Result<(), Denied> {
    authorize(KeyKind::Secret, account, Rights::RADAR)
}

/// Whether a key of this kind and account has these rights: first by kind, then plan, then option.
pub fn authorize(kind: KeyKind, account: &Account, needs: Rights) -> Result<(), Denied> {
    if needs.secret_key && kind != KeyKind::Secret {
        return Err(Denied::SecretKeyRequired);
    }
    let has = account.plan;
    if let Some(needed) = needs.plan.filter(|needed| has < *needed) {
        return Err(Denied::PlanTooLow { needed, has });
    }
    if needs.batch_option && !account.batch {
        return Err(Denied::BatchOptionMissing);
    }
    Ok(())
}

#[cfg(test)]
mod access_tests {
    use super::tests::account;
    use super::*;

    const ALL: [Rights; 7] = [
        Rights::ANY_KEY,
        Rights::STANDARD,
        Rights::PREMIUM,
        Rights::DOWNLOAD,
        Rights::RADAR,
        Rights::STANDARD_BATCH,
        Rights::PREMIUM_BATCH,
    ];

    /// All combinations of plan, kind of key, batch option and rights: one letter for each of [`ALL`]. `+`: granted; `k`:
    /// needs a secret key; `p`: needs a higher plan; `b`: needs the batch option.
    #[test]
    fn every_plan_option_and_kind_follows_the_table() {
        #[track_caller]
        fn check(plan: Plan, batch: bool, kind: KeyKind, expected: &str) {
            let account = account("demo", plan, batch);
            let found: String = ALL
                .into_iter()
                .map(|needs| match authorize(kind, &account, needs) {
                    Ok(()) => '+',
                    Err(Denied::SecretKeyRequired) => 'k',
                    Err(Denied::PlanTooLow { needed: Plan::Premium, has: Plan::Standard }) => 'p',
                    Err(Denied::PlanTooLow { .. }) => '?',
                    Err(Denied::BatchOptionMissing) => 'b',
                })
                .collect();
            assert_eq!(found, expected, "{plan} {kind}, batch {batch}");
        }
        use KeyKind::{Public, Secret};
        use Plan::{Enterprise, Premium, Standard};
        check(Standard, false, Public, "++pkkkk");
        check(Standard, false, Secret, "++p+pbp");
        check(Standard, true, Public, "++pkkkk");
        check(Standard, true, Secret, "++p+p+p");
        check(Premium, false, Public, "+++kkkk");
        check(Premium, false, Secret, "+++++bb");
        check(Premium, true, Public, "+++kkkk");
        check(Premium, true, Secret, "+++++++");
        check(Enterprise, false, Public, "+++kkkk");
        check(Enterprise, false, Secret, "+++++bb");
        check(Enterprise, true, Public, "+++kkkk");
        check(Enterprise, true, Secret, "+++++++");
    }

    #[test]
    fn a_denial_names_the_plan_that_is_needed() {
        let denied = Denied::PlanTooLow { needed: Plan::Premium, has: Plan::Standard };
        assert_eq!(
            denied.to_string(),
            "this needs the premium plan or above; the account has the standard plan"
        );
    }
}
