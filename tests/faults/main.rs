//! The real binary on a machine with faults: outputs that nobody reads, an unreachable store, killed builds, damaged
//! files, too few file descriptors, a clock that jumps. Time limits are wide; they only make a test fail that would
//! hang.

mod answers;
mod clock;
#[path = "../account_store/cluster.rs"]
#[allow(dead_code, reason = "made for the tests of the store, which use all of it")]
mod cluster;
mod descriptors;
mod doctor;
mod lines;
mod outputs;
mod server;
mod settings;
mod snapshot;
mod steps;
mod store;
#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
mod support;
#[path = "../support/zipped.rs"]
mod zipped;
