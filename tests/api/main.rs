//! The HTTP interface over real sockets, a file a subject.
//!
//! Most tests ask the real binary on the sample data; those of the bounds run the server inside the
//! test with short waiting times. Requests are written as they go over the wire.

mod age;
mod auth;
mod bank;
mod batch;
mod caching;
mod cities;
#[path = "../account_store/cluster.rs"]
mod cluster;
mod corporate;
mod corporate_history;
mod corporate_search;
mod cors;
mod download;
mod explain;
mod holidays;
mod invoice;
mod limits;
mod log;
mod masked;
mod metrics;
mod notice;
mod operation;
mod paths;
mod points;
mod postal;
mod posted;
mod protocol;
mod quota;
mod radar;
mod reload;
mod school;
mod school_search;
mod search;
mod starvation;
mod state;
mod stop;
mod suggest;
mod support;
mod versions;
