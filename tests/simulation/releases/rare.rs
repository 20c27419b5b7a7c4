//! Runs that once broke a promise and that seeds find too rarely, written by hand.

use super::plan::{Fault, Operation, PUBLISHERS, Part, Plan, SERVERS_MAX};
use super::run_plan;
use crate::simulation::scheduler::{MILLISECOND, SECOND, Time};
use crate::simulation::site::Network;
use crate::simulation::trace::Trace;

const SERVER: usize = 1;
/// The publishers.
const ONE: usize = 1 + SERVERS_MAX;
const OTHER: usize = SERVERS_MAX + PUBLISHERS;

/// These parts, with a fast store and servers that poll often.
fn plan(parts: Vec<Part>) -> Plan {
    Plan { is_signed: false, reloads: false, latency_max: 5 * MILLISECOND, poll: "2s", parts }
}

fn push(machine: usize, at: Time, edition: usize) -> Part {
    let (first, last) = (edition, edition);
    let operation = Operation::Push { first, last, activates: true, for_label: false };
    Part::Operation { machine, at, operation }
}

fn crash(machine: usize, at: Time, down: Time) -> Part {
    fault(machine, at, Fault::Crash { loses_changes: false, after_changes: None, down })
}

fn fault(machine: usize, at: Time, fault: Fault) -> Part {
    Part::Fault { machine, at, fault }
}

/// A release becomes active while a server is down. When it is back, its disk is full. Meanwhile another release is
/// announced, and its publisher dies.
#[test]
fn a_release_that_failed_is_tried_again_while_another_is_announced() {
    let _prepared = super::prepare();
    let full = Fault::FullDisk { time: 8 * SECOND };
    let parts = vec![
        Part::Server { machine: SERVER, has_label: false, clock_ahead: 0 },
        push(ONE, SECOND, 0),
        crash(SERVER, 10 * SECOND, 16 * SECOND),
        push(ONE, 24 * SECOND, 1),
        fault(SERVER, 26 * SECOND + 2 * MILLISECOND, full),
        push(OTHER, 29 * SECOND, 2),
        crash(OTHER, 31 * SECOND, 60 * SECOND),
    ];
    let outcome = run_plan(1, plan(parts), Trace::with_lines());
    assert_eq!(outcome.failure, None, "{}", outcome.trace.lines());
}

/// A push waits with its activation for the switch of another. The other publisher then pushes a newer release without
/// activating it, and prunes all but that.
#[test]
fn a_prune_keeps_a_release_whose_push_is_about_to_activate_it() {
    let _prepared = super::prepare();
    for step in 0..24 {
        // Its clock is behind, so that it ends its wait after the other publisher.
        let behind = Fault::Clock { by: -400_000_000 };
        let operation = Operation::Push { first: 3, last: 3, activates: false, for_label: false };
        let begin = 20 * SECOND;
        let parts = vec![
            Part::Server { machine: SERVER, has_label: false, clock_ahead: 0 },
            push(ONE, SECOND, 0),
            fault(OTHER, 2 * SECOND, behind),
            push(ONE, begin, 1),
            push(OTHER, begin + step * 250 * MILLISECOND, 2),
            Part::Operation { machine: ONE, at: begin + MILLISECOND, operation },
            Part::Operation {
                machine: ONE,
                at: begin + 2 * MILLISECOND,
                operation: Operation::Prune { keep: 1 },
            },
        ];
        let outcome = run_plan(step, plan(parts), Trace::with_lines());
        assert_eq!(outcome.failure, None, "{step}: {}", outcome.trace.lines());
    }
}

/// A server is killed after it has replaced the link to the served folder and before the link is durable. Started again, it
/// removes the folder that the link led to, to prepare another release. Then the power fails.
#[test]
fn a_link_that_was_not_durable_is_so_before_its_old_folder_is_removed() {
    let _prepared = super::prepare();
    for seed in 0..12 {
        let down = 5 * SECOND;
        // The folder of the link is written to the disk in the 16th change.
        let killed = Fault::Crash { loses_changes: false, after_changes: Some(16), down };
        let no_power = Fault::Crash { loses_changes: true, after_changes: None, down };
        let parts = vec![
            Part::Server { machine: SERVER, has_label: false, clock_ahead: 0 },
            push(ONE, SECOND, 0),
            fault(SERVER, 15 * SECOND, killed),
            push(ONE, 16 * SECOND, 1),
            push(ONE, 40 * SECOND, 2),
            fault(SERVER, 42 * SECOND, no_power),
        ];
        let outcome = run_plan(seed, plan(parts), Trace::with_lines());
        assert_eq!(outcome.failure, None, "{seed}: {}", outcome.trace.lines());
    }
}

/// A publisher may have read that a server has a release loaded just before the server dropped it, and schedule the switch
/// to it. So a server still looks often for a while, although it looks every ten seconds otherwise. Once a stranger's
/// activation came between, and the server heard of the switch too late.
#[test]
fn a_server_still_looks_often_after_its_work() {
    let _prepared = super::prepare();
    let parts = vec![
        Part::Server { machine: SERVER, has_label: false, clock_ahead: 0 },
        push(ONE, SECOND, 0),
    ];
    let outcome = run_plan(1, Plan { poll: "10s", ..plan(parts) }, Trace::with_lines());
    let lines = outcome.trace.lines();
    assert_eq!(outcome.failure, None, "{lines}");
    let time = |line: &str| -> u64 {
        let (time, _) = line.trim_start().split_once(" ms").expect("a time");
        time.parse().expect("milliseconds")
    };
    let switch = lines.lines().find(|line| line.contains("switches")).map(time).expect("a switch");
    let looks = lines.lines().filter(|line| line.ends_with("  1  get current"));
    let ahead: Vec<u64> = looks.map(time).filter_map(|look| look.checked_sub(switch)).collect();
    let often = ahead.iter().filter(|look| **look < 9_000).count();
    let later = ahead.iter().filter(|look| (12_000..30_000).contains(*look)).count();
    assert!((16..20).contains(&often) && (1..3).contains(&later), "{often}, {later}: {lines}");
}

/// A removal of a prune arrives after the prune has failed, and after a push that counts on the file.
#[test]
fn a_removal_that_arrives_late_takes_nothing_that_a_push_needs() {
    let _prepared = super::prepare();
    for seed in [9, 58, 86, 113, 163] {
        let network = Network { faults: 70, ..Network::default() };
        let cut = Fault::Network { network, time: 40 * SECOND };
        let at = 10 * SECOND;
        let parts = vec![
            push(ONE, SECOND, 0),
            push(ONE, 3 * SECOND, 1),
            push(ONE, 5 * SECOND, 2),
            push(ONE, 7 * SECOND, 3),
            fault(OTHER, at + 40 * MILLISECOND, cut),
            Part::Operation { machine: OTHER, at, operation: Operation::Prune { keep: 1 } },
            push(ONE, 52 * SECOND, 0),
        ];
        let outcome = run_plan(seed, plan(parts), Trace::default());
        assert_eq!(outcome.failure, None, "seed {seed}");
    }
}
