//! What the tests share: a client that speaks raw HTTP/1.1, and servers to ask.

mod client;
mod local;
#[path = "../../support/sample.rs"]
mod sample;
mod served;

pub use client::{Answer, Client, ask, encoded, post};
pub use local::{Local, impatient};
pub use sample::sample;
pub use served::{SHOP, Served};

use std::time::{Duration, Instant};

/// How long anything may take before a test fails. No promise is measured by it: a busy machine
/// gets all the time it needs.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Waits until `done`, or fails with what was waited for.
#[track_caller]
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < DEADLINE, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
