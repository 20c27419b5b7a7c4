//! The HTTP transport: sockets, connections, workers, limits, refusals, access log, metrics.
//!
//! [`accept`] accepts connections and assigns each to one of the [`workers`]; [`crowd`] tracks all of them. [`drive`]
//! serves one of them until it ends, or until the [`phase`] of the server ends it. [`preface`] detects its protocol.
//! [`socket`] is its byte stream, in which [`frames`] counts HTTP/2 frames. [`connection`] is its state, whose times
//! [`watch`] limits. [`exchange`] calls the [`service`] and records the answer in [`metrics`] and in [`access_log`],
//! which [`log_queue`] writes. [`held`] counts the memory of answers in a [`pool`]. [`process`] has statistics of the
//! process, [`drain`] the moments at which connections are asked to close before a stop. The limits are in
//! [`limits`]. Knows no endpoint and no resource.

pub mod accept;
pub mod access_log;
pub mod blocking;
pub mod body;
pub mod coding;
pub mod connection;
pub mod crowd;
pub mod date;
pub mod drain;
pub mod drive;
pub mod exchange;
pub mod frames;
pub mod held;
pub mod limits;
pub mod log_clock;
pub mod log_queue;
pub mod log_sample;
pub mod metrics;
pub mod page_headers;
pub mod phase;
pub mod pool;
pub mod preface;
pub mod process;
pub mod proxies;
pub mod refusal;
pub mod service;
pub mod socket;
pub mod watch;
pub mod workers;
