//! Accounts, their keys, and what each may do.
//!
//! A request presents a key. [`Keyring::find`] says whose it is, [`KeyEntry::allows_origin`]
//! whether it may come from there, [`decide`] whether the account may have what it asks for. All
//! three are pure and answer from memory; [`LiveKeys`] reloads that memory when the [`store`]
//! changes, where accounts and keys are kept.
//!
//! A [`Meter`] counts an account's requests in memory and enforces its [`Quota`]; the
//! [`UsageWriter`] writes the counts to the store.
//!
//! Only the SHA-256 of a key is stored or held: its text is shown once, when it is made.
//!
//! Does not know HTTP. Reads no clock except in the threads of [`live`] and [`usage`].

mod access;
mod identity;
mod key;
mod key_selector;
mod keyring;
pub mod live;
pub mod lockout;
pub mod meter;
mod origin;
mod password;
mod plan;
pub mod quota;
mod quota_setting;
pub mod random;
mod session;
pub mod store;
#[cfg(test)]
mod tests;
pub mod usage;

pub use access::{Denied, Service, decide};
pub use identity::{Account, AccountId, AccountName, AccountNameFault};
pub use key::{ApiKey, KEY_LENGTH, KEY_RANDOM_LENGTH, KeyFault, KeyHash, KeyId, KeyKind};
pub use key_selector::{KeySelector, KeySelectorFault};
pub use keyring::{KeyEntry, Keyring};
pub use live::{LiveKeys, Refresher};
pub use meter::{Allowance, Exhausted, Meter, Meters};
pub use origin::{ORIGINS_MAX, Origin, OriginError, OriginFault};
pub use password::{
    HashFault, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, Password, PasswordFault, PasswordHash,
    SALT_LENGTH,
};
pub use plan::Plan;
pub use quota::{Quota, Rate};
pub use quota_setting::{LimitSetting, OwnQuota, QuotaChange, Quotas};
pub use session::{SESSION_TIME, Session, TOKEN_LENGTH, Token, TokenHash, Who};
pub use usage::UsageWriter;
