//! How bytes travel: sockets, connections, workers, bounds, replies, access log, metrics.

pub mod accept;
pub mod access_log;
pub mod body;
pub mod connection;
pub mod limits;
pub mod metrics;
pub mod workers;
