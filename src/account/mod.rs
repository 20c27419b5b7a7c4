//! Accounts, their keys, and their rights. Does not know HTTP.
//!
//! A request presents a key. [`Keyring::find`] returns its account, [`KeyEntry::allows_origin`] checks the
//! origin, and [`authorize`] checks the rights of the account: pure functions over memory, which [`LiveKeys`]
//! reloads when the [`store`] changes. A [`Meter`] counts requests and enforces the [`Quota`]; the
//! [`UsageWriter`] writes the counts to the store. Only the SHA-256 of a key is stored or held: its text is
//! shown once, when it is created.
//!
//! Which [`Service`]s a key may use follows from its kind and from its account's plan and options: the table of
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    Bank,
    Postal,
    /// Search over postal records and addresses.
    AddressSearch,
    /// Corporations and invoice issuers.
    Corporate,
    Radar,
    PostalBatch,
    /// Of corporations and invoice issuers.
    CorporateBatch,
    Download,
    School,
    /// Open to any key: whoami, cities, holidays, business days.
    AnyKey,
}

impl Service {
    pub const ALL: [Service; 10] = [
        Service::Bank,
        Service::Postal,
        Service::AddressSearch,
        Service::Corporate,
        Service::Radar,
        Service::PostalBatch,
        Service::CorporateBatch,
        Service::Download,
        Service::School,
        Service::AnyKey,
    ];

    /// Whether a public key is not enough.
    pub fn requires_secret_key(self) -> bool {
        self.requires_batch_option() || matches!(self, Service::Radar | Service::Download)
    }

    pub fn minimum_plan(self) -> Plan {
        match self {
            Service::Corporate | Service::Radar | Service::CorporateBatch | Service::School => {
                Plan::Premium
            }
            Service::Bank
            | Service::Postal
            | Service::AddressSearch
            | Service::PostalBatch
            | Service::Download
            | Service::AnyKey => Plan::Standard,
        }
    }

    pub fn requires_batch_option(self) -> bool {
        matches!(self, Service::PostalBatch | Service::CorporateBatch)
    }
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
    authorize(KeyKind::Secret, account, Service::Radar)
}

/// Whether a key of this kind and account may use this service: first by kind, then plan, then option.
pub fn authorize(kind: KeyKind, account: &Account, service: Service) -> Result<(), Denied> {
    if service.requires_secret_key() && kind != KeyKind::Secret {
        return Err(Denied::SecretKeyRequired);
    }
    let (needed, has) = (service.minimum_plan(), account.plan);
    if has < needed {
        return Err(Denied::PlanTooLow { needed, has });
    }
    if service.requires_batch_option() && !account.batch {
        return Err(Denied::BatchOptionMissing);
    }
    Ok(())
}

#[cfg(test)]
mod access_tests {
    use super::tests::account;
    use super::*;

    /// All combinations of plan, kind of key, batch option and service: one letter for each service, in the order of
    /// [`Service::ALL`]. `+`: granted; `k`: needs a secret key; `p`: needs a higher plan; `b`: needs the batch
    /// option.
    #[test]
    fn every_plan_option_kind_and_service_follows_the_table() {
        #[track_caller]
        fn check(plan: Plan, batch: bool, kind: KeyKind, expected: &str) {
            let account = account("demo", plan, batch);
            let found: String = Service::ALL
                .into_iter()
                .map(|service| match authorize(kind, &account, service) {
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
        // Bank, Postal, AddressSearch, Corporate, Radar, both batches, Download, School, AnyKey.
        check(Standard, false, Public, "+++pkkkkp+");
        check(Standard, false, Secret, "+++ppbp+p+");
        check(Standard, true, Public, "+++pkkkkp+");
        check(Standard, true, Secret, "+++pp+p+p+");
        check(Premium, false, Public, "++++kkkk++");
        check(Premium, false, Secret, "+++++bb+++");
        check(Premium, true, Public, "++++kkkk++");
        check(Premium, true, Secret, "++++++++++");
        check(Enterprise, false, Public, "++++kkkk++");
        check(Enterprise, false, Secret, "+++++bb+++");
        check(Enterprise, true, Public, "++++kkkk++");
        check(Enterprise, true, Secret, "++++++++++");
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
