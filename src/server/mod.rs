//! How bytes travel: sockets, connections, workers, bounds, replies on the wire, access log, metrics.
//!
//! [`accept`] takes connections and gives each to one of the [`workers`]; [`crowd`] has all of them. [`preface`] tells
//! a connection's protocol, [`socket`] is its stream of bytes, in which [`frames`] counts those of HTTP/2, and
//! [`connection`] what it is doing, which [`watch`] bounds in time. [`exchange`] asks the [`service`] and notes the
//! answer in [`metrics`] and [`access_log`], which [`log_queue`] writes; [`held`] counts in a [`pool`] what answers
//! take. [`process`] has figures of the process, [`drain`] when a connection is asked to go before the stop. The bounds stand in [`limits`]. Knows no endpoint and no resource.

pub mod accept;
pub mod access_log;
pub mod blocking;
pub mod body;
pub mod coding;
pub mod connection;
pub mod crowd;
pub mod date;
pub mod drain;
pub mod exchange;
pub mod frames;
pub mod held;
pub mod limits;
pub mod log_clock;
pub mod log_queue;
pub mod log_sample;
pub mod metrics;
pub mod page_headers;
pub mod pool;
pub mod preface;
pub mod process;
pub mod proxies;
pub mod refusal;
pub mod service;
pub mod socket;
pub mod watch;
pub mod workers;
