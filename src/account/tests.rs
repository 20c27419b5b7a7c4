//! Accounts, keys and key entries for the unit tests of `account`.

use std::sync::Arc;

use jiff::Timestamp;

use super::{
    Account, AccountId, AccountName, ApiKey, KeyEntry, KeyId, KeyKind, Meters, Origin, Plan, Quota,
};

pub fn account(name: &str, plan: Plan, batch: bool) -> Arc<Account> {
    let name = AccountName::parse(name).expect("a name");
    Arc::new(Account { id: AccountId(1), name, plan, batch, api_version: None })
}

/// A key generated from `seed`.
pub fn key(seed: u64, kind: KeyKind) -> ApiKey {
    let mut random = [0; 20];
    random[..8].copy_from_slice(&seed.to_be_bytes());
    ApiKey::generate(kind, random)
}

/// The entry of that key.
pub fn entry(seed: u64, kind: KeyKind, account: &Arc<Account>, origins: &[&str]) -> KeyEntry {
    KeyEntry {
        id: KeyId(i64::try_from(seed).expect("small")),
        hash: key(seed, kind).hash(),
        kind,
        account: Arc::clone(account),
        origins: origins.iter().map(|text| Origin::parse(text).expect("an origin")).collect(),
        quota: Quota::default(),
        meter: Meters::new(Timestamp::UNIX_EPOCH).of(account.id),
        expires_at: None,
    }
}
