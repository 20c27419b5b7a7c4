//! What can be wrong with a store or with what it is asked, each with its remedy.

use super::place::StatePlace;
use super::{KeySelector, ORIGINS_MAX};
use crate::account::KeyId;

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
    /// An account is told of nothing: it has no webhook.
    #[error(
        "the account has no webhook; register one with `daicho account set NAME --webhook URL`"
    )]
    NoWebhook,
    /// More numbers than an account may watch.
    #[error(
        "an account watches at most {count_max} numbers, this would make {found}; remove some, or \
         raise --watch-limit"
    )]
    WatchListFull {
        /// How many it may watch.
        count_max: u64,
        /// How many it would.
        found: u64,
    },
    /// No delivery has that id.
    #[error("no delivery has the id {id}; `daicho webhook list` shows those there are")]
    NoSuchDelivery {
        /// The id.
        id: String,
    },
    /// The store itself cannot be used.
    #[error("{place}: {fault}")]
    Unusable {
        /// Which store.
        place: StatePlace,
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
    /// A database without tables, where one with accounts was meant.
    #[error(
        "a store was expected, found an empty database; `daicho account create` begins one, \
         --state names another"
    )]
    EmptyDatabase,
    /// Some other kind of file.
    #[error("an SQLite file was expected, found another kind; name the right file with --state")]
    NotADatabase,
    /// An SQLite file that some other program made.
    #[error("a state file of daicho was expected, found the SQLite file of another program")]
    OtherDatabase,
    /// A PostgreSQL database that other programs use.
    #[error(
        "an empty database or daicho's was expected, found {tables} tables of other programs in \
         its schema; give daicho a database of its own, or a schema of its own with \
         ?options=-csearch_path%3DNAME"
    )]
    OtherTables {
        /// Tables and views there.
        tables: i64,
    },
    /// The search path names no schema that is there.
    #[error(
        "a schema was expected, found none of the search path; create it (CREATE SCHEMA), or name \
         another with ?options=-csearch_path%3DNAME"
    )]
    NoSchema,
    /// Written by a later daicho.
    #[error("schema {expected} or below was expected, found {found}; use the newer daicho")]
    NewerSchema {
        /// The newest schema this program knows.
        expected: usize,
        /// The file's.
        found: i64,
    },
    /// Cannot be written.
    #[error("it cannot be written; give this user the right to write it and the folder it is in")]
    ReadOnly,
    /// Cannot be opened by this user.
    #[error("access is denied; give this user the right to write the file and its folder")]
    Denied,
    /// Another program holds it.
    #[error("another program kept it locked for {0} seconds; try again, or end that program")]
    Busy(u64),
    /// The database server does not answer, or ended the connection.
    #[error("the database server cannot be reached: {0}; start it, or correct --state")]
    Unreachable(String),
    /// The database server knows the user or the database not, or gives it no right.
    #[error("the database server refuses: {0}; correct --state, or the server's rights")]
    Refused(String),
    /// The certificates of this machine cannot be read.
    #[error(
        "certificates to verify the database server by were expected, found none; install \
         ca-certificates, or name a file of them in SSL_CERT_FILE"
    )]
    NoCertificates,
    /// No answer in time.
    #[error("the database server did not answer within {0} seconds; try again, or look at it")]
    Slow(u64),
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
    #[error("{expected} was expected, found {found:?}; restore it from a backup")]
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
    /// PostgreSQL did.
    #[error("the database server reports: {0}")]
    Postgres(String),
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
                    | StoreFault::OtherTables { .. }
                    | StoreFault::NewerSchema { .. }
                    | StoreFault::Corrupt(_)
                    | StoreFault::BadValue { .. },
                ..
            }
        )
    }

    /// Whether it is the store that failed, rather than what it was asked.
    pub fn is_unusable(&self) -> bool {
        matches!(self, StoreError::Unusable { .. })
    }
}

/// The numbers with commas between them.
fn join(ids: &[KeyId]) -> String {
    ids.iter().map(KeyId::to_string).collect::<Vec<_>>().join(", ")
}
