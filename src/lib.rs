//! daicho (台帳): Japanese reference data, compiled into memory-mapped snapshots and served over HTTP.
//!
//! The core (`text`, `calendar`, `record`, `snapshot`) is pure but for the mapping of files: it names no
//! HTTP type and no clock. `account` holds who may ask; `http` turns requests into look-ups; `webhook`
//! tells accounts what changed; `command` is the command line's verbs.

pub mod account;
pub mod address;
pub mod api;
pub mod calendar;
pub mod cli;
pub mod compile;
pub mod dashboard;
pub mod index;
pub mod json;
pub mod normalize;
pub mod query;
pub mod radar;
pub mod record;
pub mod server;
pub mod snapshot;
pub mod text;
pub mod tls;

#[cfg(test)]
#[path = "../tests/support/shared_data.rs"]
mod shared_data;
