//! Faults of the machine under the real binary: outputs that nobody reads, a store that is away, killed builds,
//! damaged files, too few descriptors. Times are bounded only so that "it ends" fails where it does not.

mod answers;
mod clock;
#[path = "../account_store/cluster.rs"]
#[allow(dead_code, reason = "made for the tests of the store, which use all of it")]
mod cluster;
mod descriptors;
mod outputs;
mod server;
mod snapshot;
mod steps;
mod store;
#[path = "../support/strace.rs"]
mod strace;
#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
mod support;
#[path = "../support/zipped.rs"]
mod zipped;
