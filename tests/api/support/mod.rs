//! Shared by the tests: a raw HTTP/1.1 client, the real binary as a server, and a server inside the test.

mod client;
mod in_process_server;
#[path = "../../support/sample.rs"]
mod sample;
mod server_process;

pub use client::{Answer, Client, ask, encoded, post};
pub use in_process_server::{InProcessServer, short_timeouts};
pub use sample::sample;
pub use server_process::{SHOP, ServerProcess};

use std::time::{Duration, Instant};

/// The newest API version: tests name it only here. The program's own constant is another one, so that a change of it
/// is noticed.
pub const NEWEST: &str = "2026-08-01";

/// Every API version.
pub const API_VERSIONS: [&str; 6] =
    ["2022-09-01", "2022-11-01", "2023-09-01", "2024-01-01", "2025-01-01", NEWEST];

/// How long a test waits for anything before it fails. Long enough for a busy machine: no test measures performance
/// with it.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Polls `done` every 20 ms until it is true. Panics with `what` after [`DEADLINE`].
#[track_caller]
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < DEADLINE, "timed out waiting for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
