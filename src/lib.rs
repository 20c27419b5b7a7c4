//! daicho (台帳, a register): Japanese reference data, compiled into memory-mapped snapshots and served
//! over HTTP.
//!
//! **A build.** [`cli`] opens the official files and calls the build of a [`dataset`]. It reads rows and rejects
//! (package `build_tools`), makes records, builds each [`index`] and the gazetteer of [`address`], and
//! [`snapshot`] writes one immutable file for each data version; [`compile`] has what builds have in common.
//!
//! **A request.** [`server`] reads a request within its limits and passes it to [`api`], which finds
//! the endpoint in its table, checks key and quota with [`account`], and calls the handler. The
//! handler asks a [`dataset`], which finds rows in an [`index`] or splits an [`address`], and reads views
//! of [`record`]s in place. [`json`] writes the bytes, and [`server`] sends, counts and logs them.
//!
//! **A notification.** [`radar`] compares the changes of a day with the watch lists of accounts and
//! sends webhooks.
//!
//! **Other rooms.** [`compat`] answers in the protocols of other services. [`dashboard`] has the web pages, [`docs`] the documentation, [`forms`] the script that fills forms
//! on other pages. [`normalize`] adds address components to files, [`export`] writes records as tables. `mcp` has
//! tools for agents, which call [`api`] (feature `mcp`). `release` publishes snapshots for many machines in an object
//! store (feature `object-store`).
//!
//! The core is a package of its own, `core/`, whose modules are named here as if they were of this crate: [`text`],
//! [`calendar`], [`snapshot`], [`record`], [`index`], [`address`], [`query`], and [`system`], which has what differs by
//! operating system. It has no clock, no sockets and no HTTP types, and reads only snapshot files. ARCHITECTURE.md says which room may import which.

pub use daicho_core::{address, calendar, index, query, record, snapshot, system, text, work};

pub mod account;
pub mod api;
pub mod backup;
pub mod channel;
pub mod cli;
pub mod clock;
pub mod compat;
pub mod compile;
pub mod dashboard;
pub mod dataset;
pub mod docs;
pub mod export;
pub mod forms;
pub mod json;
pub mod language;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod normalize;
pub mod radar;
pub mod random;
#[cfg(feature = "object-store")]
pub mod release;
pub mod server;
pub mod signals;
#[cfg(test)]
pub mod simulated;
pub mod tls;
pub mod update;
pub mod worker;

/// Here instead of in a test program, because it runs private parts of the server, with its own clock, network and disks.
#[cfg(all(test, unix, feature = "object-store"))]
#[path = "../tests/simulation/mod.rs"]
mod simulation;

#[cfg(test)]
#[path = "../tests/support/shared_data.rs"]
mod shared_data;
