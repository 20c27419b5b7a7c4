//! daicho (台帳, a register): Japanese reference data, compiled into memory-mapped snapshots and served
//! over HTTP.
//!
//! **A build.** [`cli`] opens the official files and calls [`compile`]. It reads rows and rejects
//! (package `build_tools`), makes [`record`]s, builds each [`index`] and the gazetteer of
//! [`address`], and [`snapshot`] writes one immutable file for each data version.
//!
//! **A request.** [`server`] reads a request within its limits and passes it to [`api`], which finds
//! the endpoint in its table, checks key and quota with [`account`], and calls the handler. The
//! handler asks [`query`], which finds rows in an [`index`] or splits an [`address`], and reads views
//! of [`record`]s in place. [`json`] writes the bytes, and [`server`] sends, counts and logs them.
//!
//! **A notification.** [`radar`] compares the changes of a day with the watch lists of accounts and
//! sends webhooks.
//!
//! **Other rooms.** [`dashboard`] has the web pages, [`docs`] the documentation, [`forms`] the script that fills forms
//! on other pages. [`normalize`] adds address components to files, [`export`] writes records as tables. `mcp` has
//! tools for agents, which call [`api`] (feature `mcp`). `release` publishes snapshots for many machines in an object
//! store (feature `object-store`).
//!
//! The core ([`text`], [`calendar`], [`snapshot`], [`record`], [`index`], [`address`], [`query`]) is
//! pure: no clock, no sockets, no HTTP types, and from the disk only snapshot files. Each room imports only
//! rooms below it; ARCHITECTURE.md has the table.

pub mod account;
pub mod address;
pub mod api;
pub mod calendar;
pub mod cli;
pub mod compile;
pub mod dashboard;
pub mod dataset;
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
