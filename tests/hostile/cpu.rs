//! CPU time that idle connections cost.

use std::time::Duration;

use crate::attacker::{Attacker, crowd_size};
use crate::cost::cpu_seconds;
use crate::support::ServerProcess;

#[test]
fn connections_idle_after_the_first_preface_byte_cost_little_cpu() {
    let served = ServerProcess::with_snapshots(None, &["--connections-per-address", "off"]);
    let mut crowd: Vec<Attacker> = Vec::new();
    for _ in 0..crowd_size(1000) {
        let mut attacker = Attacker::connect(served.address);
        attacker.push(b"P");
        crowd.push(attacker);
    }
    // The server accepts in order: once a later connection is answered, it has accepted all of these.
    assert_eq!(crate::support::ask(served.address, "GET /healthz").status, 200);
    let before = cpu_seconds(served.pid());
    std::thread::sleep(Duration::from_secs(3));
    let spent = cpu_seconds(served.pid()) - before;
    println!("{} connections, 3 s: {spent} s of CPU time", crowd.len());
    assert!(spent < 0.6, "{} connections cost {spent} s of CPU time in 3 s", crowd.len());
}
