//! Faults of the machine under the real binary: outputs that nobody reads, a store that is away, killed builds,
//! damaged files, too few descriptors. Times are bounded only so that "it ends" fails where it does not.

mod outputs;
mod server;
#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
mod support;
