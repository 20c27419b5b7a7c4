//! The HTTP transport: sockets, connections, limits, refusals, access log, metrics.
//!
//! [`accept`] accepts connections and starts a task for each; the [`connection_table`] has all of them. The
//! [`driver`] serves one of them until it ends, or until the [`phase`] of the server ends it. [`preface`]
//! detects its protocol. [`socket`] is its byte stream, in which [`frames`] counts HTTP/2 frames. [`connection`] is
//! its state, whose times the [`watchdog`] limits. [`hyper_service`] calls the [`service`] and records the answer in
//! [`metrics`] and in the [`access_log`], which [`log_queue`] writes. A [`charge`] counts the memory of a request or
//! an answer in a [`budget`]. The limits are in [`limits`]. Knows no endpoint and no resource.

pub mod accept;
pub mod access_log;
pub mod blocking;
pub mod body;
pub mod budget;
pub mod charge;
pub mod coding;
pub mod connection;
pub mod connection_table;
pub mod driver;
pub mod frames;
pub mod hyper_service;
pub mod limits;
pub mod log_queue;
pub mod log_sample;
pub mod metrics;
pub mod page_headers;
pub mod phase;
pub mod preface;
pub mod process;
pub mod proxies;
pub mod requested_site;
pub mod service;
pub mod socket;
pub mod wall_clock;
pub mod watchdog;
