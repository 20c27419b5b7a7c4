//! The HTTP transport: sockets, connections, limits, refusals, access log, metrics. Knows no endpoint and no resource.
//!
//! [`accept`] starts a task for each connection, which the [`driver`] serves until it ends: [`http1`] or hyper reads it
//! through [`socket`] and calls [`connection_service`] for each request, which calls the [`service`] and records the answer.

pub mod accept;
pub mod access_log;
pub mod answered;
pub mod body;
pub mod budget;
pub mod certificate;
pub mod coding;
pub mod connection;
pub mod connection_service;
pub mod connection_table;
pub mod driver;
pub mod forwarded;
pub mod frames;
pub mod http1;
pub mod keyless_budget;
pub mod limits;
pub mod listener;
pub mod log_queue;
pub mod metrics;
pub mod process_metrics;
pub mod proxies;
pub mod proxy_header;
pub mod public_site;
pub mod served_connection;
pub mod service;
pub mod socket;
pub mod stream;
pub mod thread_time;
pub mod trace_context;
pub mod unix_socket;
pub mod wall_clock;
pub mod watchdog;
