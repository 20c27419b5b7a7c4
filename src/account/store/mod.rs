//! The store: accounts, keys, and all other persistent state of a server.
//!
//! One set of statements runs on SQLite (a file, for one machine) and on PostgreSQL (for several), which
//! implement the trait [`Database`]. Every write is one transaction; callers pass the time. `migrations/`
//! defines the tables. Each file of statements adds its methods to [`Store`]; other modules run theirs through
//! [`Store::read`] and [`Store::write`]. Requests use the [`Keyring`](super::Keyring) from
//! [`Store::load_keyring`] instead.

mod accounts;
mod attempts;
mod columns;
mod connection;
mod database;
mod deletion;
mod disabling;
mod error;
mod figures;
mod health;
mod keys;
mod location;
mod pool;
mod postgres;
mod quotas;
mod schema;
mod server_address;
mod sign_in;
mod sqlite;
mod transaction;
mod upsert;
mod usage;
mod value;

pub use accounts::{AccountChange, NewAccount};
pub use connection::{Generation, Store};
pub use database::{Access, Database, IfMissing};
pub use deletion::Holdings;
pub use error::{StoreError, StoreFault, TransactionError};
pub use figures::{EndpointUsage, Figure};
pub use health::Health;
pub use keys::{KeyRecord, NewKey};
pub use location::{StoreLocation, StoreLocationFault};
pub use pool::StorePool;
pub use postgres::NamedLock;
pub use server_address::ServerAddress;
pub use sign_in::NewSession;
pub use transaction::Transaction;
pub use usage::Usage;
pub use value::{FromValue, Row, Value};
pub(crate) use value::{from_text, into_value};
