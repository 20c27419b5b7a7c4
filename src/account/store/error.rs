//! Errors of the store and of requests to it, each with its remedy.

use super::location::StoreLocation;
use crate::account::{KeyId, KeySelector, ORIGINS_MAX};

pub type StoreResult<T = ()> = Result<T, StoreError>;

/// A store operation failed; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("an account named {name:?} exists already; choose another name")]
    AccountExists { name: String },
    #[error("no account is named {name:?}; `daicho account list` shows the existing accounts")]
    NoSuchAccount { name: String },
    #[error("no key has {which}; `daicho key list` shows the existing keys")]
    NoSuchKey { which: KeySelector },
    #[error("{} keys begin with {beginning}; name one of them by its number: {}",
        .ids.len(), join(.ids))]
    KeyAmbiguous { beginning: String, ids: Vec<KeyId> },
    /// A secret key works from anywhere, so an origin on it would protect nothing.
    #[error(
        "origins restrict public keys only, found {found} for a secret key; leave them out, \
         or create a public key"
    )]
    OriginsOnSecretKey { found: usize },
    #[error("a key takes at most {ORIGINS_MAX} origins; found {found}; create several keys")]
    TooManyOrigins { found: usize },
    #[error(
        "an account has at most {keys_max} live keys; {name} has {found}; revoke some, or allow more with \
         --account-keys-max"
    )]
    TooManyKeys { name: String, keys_max: u64, found: u64 },
    #[error("{location}: {fault}")]
    Unusable { location: StoreLocation, fault: StoreFault },
}

#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    #[error(
        "the file does not exist; create it with `daicho account create`, or name another with --state"
    )]
    Missing,
    #[error("its folder does not exist; create the folder, or name another file with --state")]
    NoFolder,
    #[error("expected a file, found something else; name a file with --state")]
    NotAFile,
    /// An empty file does not count as a store without accounts.
    #[error(
        "expected a store, found an empty file; restore it, or remove it to start with a new store"
    )]
    Empty,
    #[error(
        "expected a store, found an empty database; create the store with `daicho account create`, \
         or name another with --state"
    )]
    EmptyDatabase,
    #[error("expected an SQLite file, found another kind; name the right file with --state")]
    NotADatabase,
    #[error(
        "expected a state file of daicho, found the SQLite file of another program; name the \
         right file with --state"
    )]
    OtherDatabase,
    #[error(
        "expected an empty database or daicho's, found {tables} tables of other programs in \
         its schema; give daicho a database of its own, or a schema of its own with \
         ?options=-csearch_path%3DNAME"
    )]
    OtherTables { tables: i64 },
    #[error(
        "expected a schema, found none in the search path; create it (CREATE SCHEMA), or name \
         another with ?options=-csearch_path%3DNAME"
    )]
    NoSchema,
    #[error("expected schema {expected} or older, found {found}; use a newer daicho")]
    NewerSchema { expected: usize, found: i64 },
    #[error("it is read-only; allow this user to write the file and its folder")]
    ReadOnly,
    #[error(
        "the database is read-only, as a standby is; name the primary, or all servers with \
         ?target_session_attrs=read-write"
    )]
    ReadOnlyServer,
    #[error("access is denied; allow this user to read and write the file and its folder")]
    Denied,
    #[error("another program kept it locked for {0} seconds; try again, or end that program")]
    Busy(u64),
    /// A deadlock, which the database server detects before the time limit of a lock.
    #[error("another transaction changed the same data at the same time; try again")]
    Conflict,
    #[error("the database server is unreachable: {0}; start it, or correct --state")]
    Unreachable(String),
    /// The server does not know the user or the database, or denies access.
    #[error(
        "the database server refused access: {0}; correct --state, or the permissions on the server"
    )]
    Refused(String),
    #[error(transparent)]
    NoCertificates(#[from] crate::tls::NoRootCertificates),
    #[error(
        "the database server did not respond within {0} seconds; try again, or check the server"
    )]
    Slow(u64),
    #[error("the disk is full; free some space")]
    Full,
    /// SQLite reports a full disk like this where it cannot lengthen its index of the journal.
    #[error("the system cannot read or write it: {0}; free some space, or check the disk")]
    Disk(#[source] rusqlite::Error),
    #[error("the file was replaced by another one after it was opened")]
    Replaced,
    #[error("it is damaged; restore it from a backup ({0})")]
    Corrupt(#[source] rusqlite::Error),
    /// A value that this program never writes.
    #[error("expected {expected}, found {found:?}; restore it from a backup")]
    BadValue { expected: &'static str, found: String },
    #[error("{0}")]
    Io(#[source] std::io::Error),
    /// An SQLite error without a specific remedy.
    #[error("{0}")]
    Sqlite(#[source] rusqlite::Error),
    #[error(
        "expected a PostgreSQL database, found a file, whose locks are not visible to other machines; name a database with \
         --state postgres://…"
    )]
    NoNamedLocks,
    #[error(
        "expected the primary, found a standby, which has separate locks; name the primary, or all servers with \
         ?target_session_attrs=read-write"
    )]
    Standby,
    #[error(
        "expected to get the lock within {seconds} seconds, but {holder} holds it; wait until it is done, or end \
         it"
    )]
    Locked { holder: String, seconds: u64 },
    #[error("the database server reports: {0}")]
    Postgres(String),
}

impl StoreFault {
    pub fn bad_value(expected: &'static str, found: impl ToString) -> StoreFault {
        StoreFault::BadValue { expected, found: found.to_string() }
    }
}

/// An error with which a transaction may end: the store's own, or one of the module that runs it.
pub trait TransactionError: From<StoreError> {
    /// The store's error, if the store failed rather than the request.
    fn unusable_store(&self) -> Option<&StoreError>;
}

impl TransactionError for StoreError {
    fn unusable_store(&self) -> Option<&StoreError> {
        self.is_unusable().then_some(self)
    }
}

impl StoreError {
    /// Whether the stored data are damaged, rather than the request wrong or the system failing.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            StoreError::Unusable {
                fault: StoreFault::Empty
                    | StoreFault::NotADatabase
                    | StoreFault::OtherDatabase
                    | StoreFault::OtherTables { .. }
                    | StoreFault::NewerSchema { .. }
                    | StoreFault::Corrupt(_)
                    | StoreFault::BadValue { .. },
                ..
            }
        )
    }

    pub fn is_unusable(&self) -> bool {
        matches!(self, StoreError::Unusable { .. })
    }
}

fn join(ids: &[KeyId]) -> String {
    ids.iter().map(KeyId::to_string).collect::<Vec<_>>().join(", ")
}
