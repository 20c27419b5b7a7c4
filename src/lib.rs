//! daicho (台帳, a register): Japanese reference data, compiled into memory-mapped snapshots and served
//! over HTTP.
//!
//! **A build.** [`cli`] opens the official files and calls [`compile`]. It reads rows and rejects
//! (package `build_tools`), makes [`record`]s, builds each [`index`] and the gazetteer of
//! [`address`], and [`snapshot`] writes one immutable file for each data version.
//!
//! **A request.** [`server`] reads a request within its limits and hands it to [`api`], which finds
//! the endpoint in its table, checks key and quota with [`account`], and calls the handler. The
//! handler asks [`query`], which finds rows in an [`index`] or splits an [`address`], and reads views
//! of [`record`]s in place. [`json`] writes the bytes, and [`server`] sends, counts and logs them.
//!
//! **A notification.** [`radar`] compares the changes of a day with the watch lists of accounts and
//! sends webhooks. **Pages** are in [`dashboard`], the documentation in [`docs`], the script for forms of other
//! pages in [`forms`]; **files of addresses** go through [`normalize`], records become tables in [`export`];
//! **agents** have tools in `mcp`, which ask [`api`] (feature `mcp`). **Many machines** get their snapshots from an
//! object store: `release` publishes a folder there (feature `object-store`).
//!
//! The core ([`text`], [`calendar`], [`snapshot`], [`record`], [`index`], [`address`], [`query`]) is
//! pure: no clock, no sockets, no HTTP types, and of the disk only snapshot files. Each room names only
//! rooms below it; ARCHITECTURE.md has the table.

pub mod account;
pub mod address;
pub mod api;
pub mod calendar;
pub mod cli;
pub mod compile;
pub mod dashboard;
pub mod docs;
pub mod export;
pub mod forms;
pub mod index;
pub mod json;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod normalize;
pub mod query;
pub mod radar;
pub mod record;
#[cfg(feature = "object-store")]
pub mod release;
pub mod server;
pub mod snapshot;
pub mod text;
pub mod tls;
pub mod update;

#[cfg(test)]
#[path = "../tests/support/shared_data.rs"]
mod shared_data;
