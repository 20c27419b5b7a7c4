//! Tests of the HTTP API over real sockets, one file for each subject.
//!
//! Most tests send requests to the real binary with the sample data. Tests of limits run the server inside the
//! test, with short time limits. Requests are written as raw text, exactly as they are sent.

mod age;
mod auth;
mod bank;
mod bank_transfer;
mod batch;
mod caching;
mod cities;
#[path = "../account_store/cluster.rs"]
mod cluster;
mod compat;
mod connection_thread;
mod corporate;
mod corporate_history;
mod corporate_search;
mod correction_marks;
mod corrections;
mod cors;
mod download;
mod explain;
mod handover;
mod holidays;
mod invoice;
mod invoice_batch;
mod invoice_nta;
mod language;
mod limits;
mod log;
mod masked;
mod matching;
mod metrics;
mod notice;
mod nta;
mod operation;
mod paths;
mod points;
mod postal;
mod posted;
mod protocol;
mod proxy;
mod quota;
mod radar;
mod reload;
mod reverse;
mod school;
mod school_search;
mod search;
mod service_manager;
#[path = "../support/shared_data.rs"]
mod shared_data;
mod sources;
mod started;
mod starvation;
mod state;
mod stop;
mod suggest;
mod support;
mod tls;
mod versions;
#[cfg(target_os = "linux")]
mod written_in_place;
