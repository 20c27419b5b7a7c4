//! Accounts, their keys, and their rights. Does not know HTTP.
//!
//! A request presents a key. [`Keyring::find`] returns its account, [`KeyEntry::allows_origin`] checks the
//! origin, and [`authorize`] checks the rights of the account: pure functions over memory, which [`LiveKeys`]
//! reloads when the [`store`] changes. A [`Meter`] counts requests and enforces the [`Quota`]; the
//! [`UsageWriter`] writes the counts to the store. Only the SHA-256 of a key is stored or held: its text is
//! shown once, when it is created.

mod access;
mod disabled_by;
pub mod figures;
mod identity;
mod key;
mod key_cache;
mod key_selector;
mod keyring;
pub mod live;
pub mod lockout;
pub mod meter;
mod origin;
mod password;
pub mod quota;
mod session;
pub mod store;
mod tally;
#[cfg(test)]
mod tests;
pub mod usage;
mod visible;

pub use access::{Denied, Service, authorize, authorize_radar};
pub use disabled_by::{DisabledBy, UNDO_TIME};
pub use identity::{Account, AccountId, AccountName, Plan};
pub use key::{ApiKey, KEY_LENGTH, KEY_RANDOM_LENGTH, KeyFault, KeyHash, KeyId, KeyKind};
pub use key_cache::{CachedKeys, KeyCache, KeyCacheError, KeyCacheFault};
pub use key_selector::{KeySelector, KeySelectorFault};
pub use keyring::{KeyEntry, Keyring};
pub use live::{KeySource, LiveKeys, OnFirstRead, Refresher};
pub use meter::{Allowance, Exhausted, Meter, Meters};
pub use origin::{ORIGINS_MAX, Origin, OriginError, OriginFault};
pub use password::{
    HashFault, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, Password, PasswordFault, PasswordHash,
    SALT_LENGTH,
};
pub use quota::{LimitSetting, OwnQuota, Quota, QuotaChange, Quotas, Rate};
pub use session::{SESSION_TIME, TOKEN_LENGTH, Token, TokenHash, Who};
pub use tally::{ResponseKind, Tally};
pub use usage::UsageWriter;
pub use visible::{KEY_LABEL_LENGTH_MAX, KeyLabel, VisibleFault};

/// Bytes from the system's source of randomness, for keys, secrets, salts and ids.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
