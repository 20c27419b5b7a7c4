//! Where accounts, keys and all else that outlives a server are kept.
//!
//! [`Store`] is one set of statements over a [`Database`], of which there are two: `sqlite` in a
//! file, the default for one machine, and `postgres` for several. Every write is one
//! transaction: it happened, or nothing did. Times are given by the caller. What the tables are
//! stands in `migrations/`; what is done with them in a file a subject (`accounts`, `keys`, …),
//! each an `impl Store`.
//!
//! Does not decide who may do what, nor serve requests: those read the
//! [`Keyring`](super::Keyring) that [`Store::load_keyring`] makes.

pub mod accounts;
mod dashboard;
mod database;
mod error;
mod health;
mod keys;
mod place;
mod pool;
mod postgres;
mod quotas;
mod schema;
mod sqlite;
mod usage;

pub use database::{Access, Database, FromValue, Row, Session, Value};
pub use error::{StoreError, StoreFault};
pub use health::Health;
pub use place::{StatePlace, StatePlaceFault};
pub use pool::StorePool;
pub use postgres::ServerAddress;
pub use quotas::{Limit, OwnQuota, QuotaChange, Quotas};
pub use usage::Usage;

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use self::postgres::PostgresDatabase;
use self::sqlite::SqliteDatabase;
use super::{AccountName, ApiKey, KeyFault, KeyHash, KeyId, KeyKind, Origin, Plan};
use crate::account::key::KEY_LABEL_LENGTH;
use crate::text::codes::ApiVersion;

/// The most origins registered on one key; each request from an unknown origin reads them all.
pub const ORIGINS_MAX: usize = 100;

/// A store of accounts and keys, and of all else that outlives a server. One value is one
/// connection; every function waits for the database.
#[derive(Debug)]
pub struct Store {
    pub(crate) session: Session,
}

impl Store {
    /// Opens the store of this place and brings its schema up to date.
    pub fn open(place: &StatePlace, if_missing: IfMissing) -> Result<Store, StoreError> {
        let opened: Result<Box<dyn Database>, StoreFault> = match place {
            StatePlace::File(path) => SqliteDatabase::open(path, if_missing)
                .map(|database| Box::new(database) as Box<dyn Database>),
            StatePlace::Postgres(address) => PostgresDatabase::open(address, if_missing)
                .map(|database| Box::new(database) as Box<dyn Database>),
        };
        match opened {
            Ok(database) => Ok(Store { session: Session::over(place.clone(), database) }),
            Err(fault) => Err(StoreError::Unusable { place: place.clone(), fault }),
        }
    }

    /// A mark that differs whenever anybody changed what keys may do. Cheap. Fails where the store
    /// is gone or another one stands in its place: then [`reopen`](Self::reopen).
    pub fn generation(&mut self) -> Result<Generation, StoreError> {
        let generation = self.session.read(|session| {
            let sql = "SELECT generation FROM rights";
            session.row(sql, &[], |row| row.get(0))
        })?;
        let missing = StoreFault::BadValue { expected: "a generation", found: "none".to_owned() };
        generation.map(Generation).ok_or_else(|| self.session.unusable(missing))
    }

    /// Has this connection note in `health` whether its writing works.
    pub fn report_to(&mut self, health: Arc<Health>) {
        self.session.report_to(health);
    }

    /// Writes what changes nothing, to learn whether writing works.
    pub fn try_writing(&mut self) -> Result<(), StoreError> {
        self.session.write(|session| {
            session.execute("UPDATE rights SET generation = generation", &[]).map(|_rows| ())
        })
    }

    /// Connects anew to a store that is there already, and never makes an empty one.
    pub fn reopen(&mut self) -> Result<(), StoreError> {
        self.session.reopen()
    }
}

/// What [`Store::open`] does where there is no store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Makes it: for a server's start, and for the first account.
    Create,
    /// Refuses: whoever only reads or changes has named the wrong place.
    Refuse,
}

/// A state of the store; only whether two are equal means anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generation(i64);

/// An account to be made.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its name.
    pub name: AccountName,
    /// Its plan.
    pub plan: Plan,
    /// Whether it has the batch option.
    pub batch: bool,
    /// Its interface version; `None` is always the newest.
    pub api_version: Option<ApiVersion>,
}

/// What is to change of an account; `None` leaves as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccountChange {
    /// Another plan.
    pub plan: Option<Plan>,
    /// The batch option, on or off.
    pub batch: Option<bool>,
    /// Another interface version; `Some(None)` is always the newest.
    pub api_version: Option<Option<ApiVersion>>,
    /// Another quota of its own.
    pub quota: QuotaChange,
}

/// A key to be kept.
#[derive(Debug, Clone, Copy)]
pub struct NewKey<'a> {
    /// Whose it is.
    pub account: &'a AccountName,
    /// The key.
    pub key: &'a ApiKey,
    /// Where a public key may be used from; at most [`ORIGINS_MAX`]; none for a secret key.
    pub origins: &'a [Origin],
}

/// A key as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The store's number.
    pub id: KeyId,
    /// Whose it is.
    pub account: AccountName,
    /// Public or secret.
    pub kind: KeyKind,
    /// The text's beginning.
    pub label: String,
    /// Where a public key may be used from, ascending.
    pub origins: Vec<Origin>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked; `None` for a live key.
    pub revoked_at: Option<Timestamp>,
}

/// Which key is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySelector {
    /// The key with this number.
    Id(KeyId),
    /// The key whose text has this hash.
    Hash(KeyHash),
    /// The one live key with this label.
    Label(String),
}

/// A text names no key in any of the three ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySelectorFault {
    /// It begins like a key and is neither a whole one nor a label.
    #[error(
        "a key is named by its number, by its first {KEY_LABEL_LENGTH} characters as \
         `daicho key list` shows them, or by all of it; found part of a key or a mistyped one ({0})"
    )]
    Key(KeyFault),
    /// It is something else.
    #[error(
        "a key is named by its number, by its first {KEY_LABEL_LENGTH} characters as \
         `daicho key list` shows them, or by all of it; found none of these"
    )]
    Other,
}

impl KeySelector {
    /// Reads a number, a label (with or without its `…`) or a whole key.
    pub fn parse(text: &str) -> Result<KeySelector, KeySelectorFault> {
        if text.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(id) = text.parse()
        {
            return Ok(KeySelector::Id(KeyId(id)));
        }
        let label = text.strip_suffix('…').unwrap_or(text);
        match ApiKey::parse(text) {
            Ok(key) => Ok(KeySelector::Hash(key.hash())),
            Err(KeyFault::Prefix) => Err(KeySelectorFault::Other),
            Err(_) if label.len() == KEY_LABEL_LENGTH => Ok(KeySelector::Label(label.to_owned())),
            Err(fault) => Err(KeySelectorFault::Key(fault)),
        }
    }
}

impl fmt::Display for KeySelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySelector::Id(id) => write!(f, "number {id}"),
            KeySelector::Hash(_) => f.write_str("this text"),
            KeySelector::Label(label) => write!(f, "the beginning {label}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::keyring::tests::key;

    #[test]
    fn a_key_is_named_in_three_ways() {
        #[track_caller]
        fn check(text: &str, expected: Result<KeySelector, KeySelectorFault>) {
            assert_eq!(KeySelector::parse(text), expected, "{text:?}");
        }
        let whole = key(1, KeyKind::Secret);
        let label = || Ok(KeySelector::Label("dk_sec_aaaa".to_owned()));
        let length = |found| Err(KeySelectorFault::Key(KeyFault::Length { found }));
        check("7", Ok(KeySelector::Id(KeyId(7))));
        check("dk_sec_aaaa", label());
        check("dk_sec_aaaa…", label());
        check(whole.reveal(), Ok(KeySelector::Hash(whole.hash())));
        check(&whole.reveal()[..30], length(30));
        check("dk_sec_", length(7));
        check(
            &format!("{}a", &whole.reveal()[..45]),
            Err(KeySelectorFault::Key(KeyFault::Checksum)),
        );
        check("", Err(KeySelectorFault::Other));
        check("-1", Err(KeySelectorFault::Other));
        check("99999999999999999999", Err(KeySelectorFault::Other));
        check("demo", Err(KeySelectorFault::Other));
    }
}
