//! Attacks on connections over real sockets, with limits on the memory and CPU time that they cost the server.
//!
//! The default sizes are small enough for every run. `DAICHO_HOSTILE_CONNECTIONS` sets a larger number of connections,
//! up to the limit of open files. No assertion depends on wall-clock time, except that waiting has a deadline.

mod attacker;
mod bystanders;
mod cost;
mod cpu;
mod crowd;
mod floods;
mod http2;
mod memory;
#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the API tests use the rest of it")]
mod support;
