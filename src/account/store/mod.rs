//! Where accounts and keys are kept.
//!
//! [`Store`] is what any kind of store can do; [`sqlite`] is the one in a file. Every write is one
//! transaction: it happened, or nothing did. Times are given by the caller.
//!
//! Does not decide who may do what, nor serve requests: those read the
//! [`Keyring`] that [`Store::load_keyring`] makes.

mod schema;
pub mod sqlite;

pub use sqlite::{IfMissing, SqliteStore};

use std::fmt;
use std::path::PathBuf;

use jiff::Timestamp;

use super::{
    Account, AccountName, ApiKey, KeyFault, KeyHash, KeyId, KeyKind, Keyring, Origin, Plan,
};
use crate::account::key::KEY_LABEL_LENGTH;
use crate::text::codes::ApiVersion;

/// The most origins registered on one key; each request from an unknown origin reads them all.
pub const ORIGINS_MAX: usize = 100;

/// A store of accounts and keys. One value is one connection.
pub trait Store: Send {
    /// Makes an account; its name must be free.
    fn create_account(
        &mut self,
        account: &NewAccount,
        now: Timestamp,
    ) -> Result<Account, StoreError>;

    /// Every account, by name.
    fn accounts(&self) -> Result<Vec<Account>, StoreError>;

    /// The account of this name.
    fn account(&self, name: &AccountName) -> Result<Account, StoreError>;

    /// Changes what `change` names and answers with the account as it then is.
    fn set_account(
        &mut self,
        name: &AccountName,
        change: &AccountChange,
    ) -> Result<Account, StoreError>;

    /// Keeps a key's hash and label, live from now on.
    fn create_key(&mut self, key: &NewKey<'_>, now: Timestamp) -> Result<KeyRecord, StoreError>;

    /// Every key ever made, of one account or of all, by number.
    fn keys(&self, account: Option<&AccountName>) -> Result<Vec<KeyRecord>, StoreError>;

    /// Ends a key. One that was revoked before stays as it was: see [`KeyRecord::revoked_at`].
    fn revoke_key(&mut self, which: &KeySelector, now: Timestamp) -> Result<KeyRecord, StoreError>;

    /// Every live key, as of one moment.
    fn load_keyring(&self) -> Result<Keyring, StoreError>;

    /// A mark that differs whenever anybody wrote since the last call on this connection. Cheap.
    /// Fails where the store is gone or another one stands in its place: then [`reopen`](Self::reopen).
    fn generation(&self) -> Result<Generation, StoreError>;

    /// Connects anew to a store that is there already, and never makes an empty one.
    fn reopen(&mut self) -> Result<(), StoreError>;
}

/// A state of the store; only whether two are equal means anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generation {
    /// Changes with the writes of other connections.
    pub others: i64,
    /// Changes with this connection's own writes.
    pub own: u64,
}

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

/// The store did not do what it was asked; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The name is taken.
    #[error("an account needs a name of its own; found that {name:?} exists already")]
    AccountExists {
        /// The name.
        name: String,
    },
    /// Nobody has that name.
    #[error("no account is named {name:?}; `daicho account list` shows those there are")]
    NoSuchAccount {
        /// The name.
        name: String,
    },
    /// No key answers to that.
    #[error("no key has {which}; `daicho key list` shows those there are")]
    NoSuchKey {
        /// What was looked for.
        which: KeySelector,
    },
    /// Several live keys begin so.
    #[error("one key was meant, and {} begin with {label}; name it by its number: {}",
        .ids.len(), join(.ids))]
    KeyAmbiguous {
        /// The label.
        label: String,
        /// The keys with it.
        ids: Vec<KeyId>,
    },
    /// A secret key works from anywhere, so an origin on it would protect nothing.
    #[error(
        "origins restrict public keys only, found {found} for a secret key; leave them out, \
         or make a public key"
    )]
    OriginsOnSecretKey {
        /// Origins given.
        found: usize,
    },
    /// More origins than a key takes.
    #[error("a key takes at most {ORIGINS_MAX} origins; found {found}; make several keys")]
    TooManyOrigins {
        /// Origins given.
        found: usize,
    },
    /// The store itself cannot be used.
    #[error("the state file {}: {fault}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: StoreFault,
    },
}

/// What is wrong with a store. Each has one remedy.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    /// Nothing is there.
    #[error("there is no such file; `daicho account create` makes it, --state names another")]
    Missing,
    /// Not even the folder it would be in.
    #[error("its folder does not exist; create the folder, or name another file with --state")]
    NoFolder,
    /// A folder or a device.
    #[error("a file was expected, found something else; name a file with --state")]
    NotAFile,
    /// A file without content, which nobody may take for a store without accounts.
    #[error("a store was expected, found an empty file; restore it, or remove it to begin anew")]
    Empty,
    /// Some other kind of file.
    #[error("an SQLite file was expected, found another kind; name the right file with --state")]
    NotADatabase,
    /// An SQLite file that some other program made.
    #[error("a state file of daicho was expected, found the SQLite file of another program")]
    OtherDatabase,
    /// Written by a later daicho.
    #[error("schema {expected} or below was expected, found {found}; use the newer daicho")]
    NewerSchema {
        /// The newest schema this program knows.
        expected: usize,
        /// The file's.
        found: i64,
    },
    /// Cannot be written.
    #[error("it cannot be written; give this user the right to write the file and its folder")]
    ReadOnly,
    /// Cannot be opened by this user.
    #[error("access is denied; give this user the right to write the file and its folder")]
    Denied,
    /// Another program holds it.
    #[error("another program kept it locked for {0} seconds; try again, or end that program")]
    Busy(u64),
    /// The disk has no room.
    #[error("the disk is full; make room")]
    Full,
    /// The file that was opened is no longer the one of that name.
    #[error("another file has taken its place since it was opened")]
    Replaced,
    /// SQLite finds the file's structure broken.
    #[error("it is damaged; restore it from a backup ({0})")]
    Corrupt(#[source] rusqlite::Error),
    /// A value that this program never writes.
    #[error("{expected} was expected, found {found:?}; restore the file from a backup")]
    BadValue {
        /// What the value should be.
        expected: &'static str,
        /// The value.
        found: String,
    },
    /// The system refused.
    #[error("{0}")]
    Io(#[source] std::io::Error),
    /// SQLite refused for a reason with no remedy of its own.
    #[error("{0}")]
    Sqlite(#[source] rusqlite::Error),
}

impl StoreError {
    /// Whether the data is at fault, rather than what was asked or the system.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            StoreError::Unusable {
                fault: StoreFault::Empty
                    | StoreFault::NotADatabase
                    | StoreFault::OtherDatabase
                    | StoreFault::NewerSchema { .. }
                    | StoreFault::Corrupt(_)
                    | StoreFault::BadValue { .. },
                ..
            }
        )
    }
}

/// The numbers with commas between them.
fn join(ids: &[KeyId]) -> String {
    ids.iter().map(KeyId::to_string).collect::<Vec<_>>().join(", ")
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
