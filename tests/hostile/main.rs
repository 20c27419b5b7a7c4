//! Attacks on connections over real sockets, with bounds on what they cost the server in memory and processor time.
//!
//! Sizes are small enough for every run; `DAICHO_HOSTILE_CONNECTIONS` makes the crowds larger, up to what the limit
//! of open files gives. Nothing is measured by the clock on the wall.

mod attacker;
mod cost;
mod cpu;
mod crowd;
mod floods;
mod http2;
mod memory;
#[path = "../api/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "made for the tests of the API, which use all of it")]
mod support;
