//! Deliveries to real receivers on loopback sockets: single attempts, the server that makes them, and
//! servers that die at it.

mod attempt;
mod crash;
mod receiver;
#[cfg(feature = "object-store")]
mod releases;
#[path = "../support/sample.rs"]
mod sample;
mod secrets;
mod served;
mod server;
mod steps;
#[path = "../support/strace.rs"]
mod strace;
