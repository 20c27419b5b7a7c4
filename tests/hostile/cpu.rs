//! Connections that do nothing, and what watching them costs.

use std::time::Duration;

use crate::attacker::{Attacker, crowd_size};
use crate::cost::cpu_seconds;
use crate::support::Served;

#[test]
fn connections_that_hold_the_first_byte_of_a_preface_cost_no_time() {
    let served = Served::over(None, &["--connections-per-address", "off"]);
    let mut crowd: Vec<Attacker> = Vec::new();
    for _ in 0..crowd_size(1000) {
        let mut attacker = Attacker::connect(served.address);
        attacker.push(b"P");
        crowd.push(attacker);
    }
    // All of them have been taken once a later one is answered.
    assert_eq!(crate::support::ask(served.address, "GET /healthz").status, 200);
    let before = cpu_seconds(served.pid());
    std::thread::sleep(Duration::from_secs(3));
    let spent = cpu_seconds(served.pid()) - before;
    println!("{} connections, 3 s: {spent} s of processor time", crowd.len());
    assert!(spent < 0.6, "{} connections cost {spent} s of processor time in 3 s", crowd.len());
}
