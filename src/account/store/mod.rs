//! The store: accounts, keys, and all other persistent state of a server.
//!
//! One set of statements runs on SQLite (a file, for one machine) and on PostgreSQL (for several), which
//! implement the trait [`Database`]. Every write is one transaction; callers pass the time. `migrations/`
//! defines the tables. Each file of statements adds its methods to [`Store`]; other modules run theirs through
//! [`Store::read`] and [`Store::write`]. Requests use the [`Keyring`](super::Keyring) from
//! [`Store::load_keyring`] instead.

mod accounts;
mod attempts;
mod connection;
mod database;
mod error;
mod health;
mod keys;
mod location;
mod postgres;
mod quotas;
mod schema;
mod sign_in;
mod sqlite;
mod usage;
mod value;

pub use accounts::{AccountChange, Holdings, NewAccount};
pub use connection::{Generation, Store, StorePool, Transaction};
pub use database::{Access, Database, IfMissing};
pub use error::{StoreError, StoreFault, StoreResult, TransactionError};
pub use health::Health;
pub use keys::{KeyRecord, NewKey};
pub use location::{ServerAddress, StoreLocation, StoreLocationFault};
pub use postgres::NamedLock;
pub use sign_in::NewSession;
pub use usage::{EndpointUsage, Figure, Usage};
pub use value::{FromValue, Row, Value};
pub(crate) use value::{from_text, into_value};
