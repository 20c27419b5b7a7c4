//! A run that once broke a promise and that seeds find too rarely, written by hand.

use super::plan::{Fault, Operation, PUBLISHERS, Part, Plan, SERVERS_MAX};
use super::run_plan;
use crate::simulation::scheduler::{MILLISECOND, SECOND, Time};
use crate::simulation::trace::Trace;

const SERVER: usize = 1;
/// The publishers.
const ONE: usize = 1 + SERVERS_MAX;
const OTHER: usize = SERVERS_MAX + PUBLISHERS;

fn push(machine: usize, at: Time, edition: usize) -> Part {
    let (first, last) = (edition, edition);
    let operation = Operation::Push { first, last, activates: true, for_label: false };
    Part::Operation { machine, at, operation }
}

fn crash(machine: usize, at: Time, down: Time) -> Part {
    let fault = Fault::Crash { loses_changes: false, after_changes: None, down };
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
        Part::Fault { machine: SERVER, at: 26 * SECOND + 2 * MILLISECOND, fault: full },
        push(OTHER, 29 * SECOND, 2),
        crash(OTHER, 31 * SECOND, 60 * SECOND),
    ];
    let plan = Plan { reloads: false, latency_max: 5 * MILLISECOND, poll: "2s", parts };
    let outcome = run_plan(1, plan, Trace::with_lines());
    assert_eq!(outcome.failure, None, "{}", outcome.trace.lines());
}
