//! What happens in a run: servers, the operations of publishers, and faults, each at its time. All of it comes from the
//! seed, and each part can be left out, to find out which parts a failure needs.

use std::collections::BTreeSet;
use std::fmt;

use super::editions::EDITIONS;
use super::stranger::Intrusion;
use crate::simulation::random::Random;
use crate::simulation::scheduler::{MILLISECOND, Machine, SECOND, Time};
use crate::simulation::site::Network;
use crate::simulation::without;

/// Machines 1 to 3 are servers, the next ones publishers; the last one is a stranger who may write to the store.
pub const SERVERS_MAX: usize = 3;
pub const PUBLISHERS: usize = 2;
pub const STRANGER: Machine = 1 + SERVERS_MAX + PUBLISHERS;
pub const MACHINES: usize = 1 + STRANGER;

/// Which random numbers decide about signatures.
const SIGNED: u64 = 1;

/// Operations and faults begin before this time.
pub const END: Time = 60 * SECOND;

/// The label of the servers that get a release before the others.
pub const LABEL: &str = "canary";

#[derive(Debug, Clone)]
pub struct Plan {
    /// Whether publishers sign their releases, and servers serve no others.
    pub is_signed: bool,
    /// Whether servers scan their folders again and again.
    pub reloads: bool,
    pub latency_max: Time,
    /// How often servers look for another release.
    pub poll: &'static str,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub enum Part {
    Server {
        machine: Machine,
        has_label: bool,
        clock_ahead: i64,
    },
    Operation {
        machine: Machine,
        at: Time,
        operation: Operation,
    },
    Fault {
        machine: Machine,
        at: Time,
        fault: Fault,
    },
    /// What a stranger does to the store of signed releases.
    Intrusion {
        at: Time,
        intrusion: Intrusion,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Publishes the editions from `first` to `last`.
    Push {
        first: usize,
        last: usize,
        activates: bool,
        for_label: bool,
    },
    /// Activates the release of this number, counted back from the newest.
    Activate {
        back: u32,
        for_label: bool,
    },
    RollBack {
        for_label: bool,
    },
    Prune {
        keep: usize,
    },
}

#[derive(Debug, Clone)]
pub enum Fault {
    Network {
        network: Network,
        time: Time,
    },
    /// The process dies, with its machine if `loses_changes`; at once, or after so many changes of its disk.
    Crash {
        loses_changes: bool,
        after_changes: Option<u64>,
        down: Time,
    },
    FullDisk {
        time: Time,
    },
    Clock {
        by: i64,
    },
}

impl Plan {
    pub fn of_seed(seed: u64) -> Plan {
        let mut random = Random::of_seed(seed);
        let random = &mut random;
        let latency_max = *random.choose(&[5, 40, 300]) * MILLISECOND;
        let poll = *random.choose(&["2s", "5s", "5s", "10s"]);
        let (reloads, has_label) = (random.percent(20), random.percent(30));
        let mut parts = Vec::new();
        for machine in 1..=*random.choose(&[1, 2, 2, SERVERS_MAX]) {
            let ahead = i64::try_from(random.below(2_000 * MILLISECOND)).expect("a time");
            let clock_ahead = ahead - 1_000_000_000;
            parts.push(Part::Server { machine, has_label: has_label && machine == 1, clock_ahead });
        }
        let servers = parts.len();
        let publisher = |random: &mut Random| {
            1 + SERVERS_MAX + usize::try_from(random.below(PUBLISHERS as u64)).expect("a number")
        };
        let first = Operation::Push { first: 0, last: 1, activates: true, for_label: false };
        parts.push(Part::Operation { machine: 1 + SERVERS_MAX, at: SECOND, operation: first });
        for _ in 0..random.between(3, 9) {
            let (machine, at) = (publisher(random), random.below(END));
            let operation = operation(random, has_label);
            parts.push(Part::Operation { machine, at, operation });
        }
        // Some runs have no faults: nothing may fail in them.
        let faults = if random.percent(20) { 0 } else { random.between(1, 5) };
        for _ in 0..faults {
            let is_server = random.percent(65);
            let machine = match is_server {
                true => 1 + usize::try_from(random.below(servers as u64)).expect("a number"),
                false => publisher(random),
            };
            let (at, fault) = (random.below(END), fault(random, is_server));
            parts.push(Part::Fault { machine, at, fault });
        }
        let mut later = Random::of_later_part(seed, SIGNED);
        let is_signed = later.percent(30);
        let intrusions = if is_signed { later.between(1, 4) } else { 0 };
        for _ in 0..intrusions {
            let (at, intrusion) = (later.below(END), Intrusion::random(&mut later));
            parts.push(Part::Intrusion { at, intrusion });
        }
        Plan { is_signed, reloads, latency_max, poll, parts }
    }

    /// The plan without the parts of these numbers.
    pub fn without(self, dropped: &BTreeSet<usize>) -> Plan {
        Plan { parts: without(self.parts, dropped), ..self }
    }

    pub fn has_faults(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Fault { .. }))
    }

    pub fn has_intrusions(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Intrusion { .. }))
    }

    pub fn fills_disk(&self) -> bool {
        let is_full =
            |part: &Part| matches!(part, Part::Fault { fault: Fault::FullDisk { .. }, .. });
        self.parts.iter().any(is_full)
    }
}

fn operation(random: &mut Random, has_label: bool) -> Operation {
    let for_label = has_label && random.percent(40);
    match random.below(100) {
        0..45 => {
            let last = usize::try_from(random.below(EDITIONS as u64)).expect("a number");
            let first = last.saturating_sub(usize::try_from(random.below(3)).expect("a number"));
            Operation::Push { first, last, activates: random.percent(75), for_label }
        }
        45..60 => {
            let back = u32::try_from(random.below(4)).expect("a number");
            Operation::Activate { back, for_label }
        }
        60..75 => Operation::RollBack { for_label },
        _ => Operation::Prune { keep: usize::try_from(random.between(1, 3)).expect("a number") },
    }
}

fn fault(random: &mut Random, is_server: bool) -> Fault {
    let time = random.between(2 * SECOND, 30 * SECOND);
    match random.below(100) {
        0..30 => {
            let network = Network { faults: random.between(5, 60), ..Network::default() };
            Fault::Network { network, time }
        }
        30..45 => Fault::Network { network: Network { is_cut: true, ..Network::default() }, time },
        45..72 => Fault::Crash {
            loses_changes: random.percent(70),
            after_changes: random.percent(60).then(|| random.between(1, 25)),
            down: random.below(10 * SECOND),
        },
        72..90 if is_server => Fault::FullDisk { time },
        _ => {
            let by = i64::try_from(random.below(120 * SECOND)).expect("a time");
            Fault::Clock { by: by - 60_000_000_000 }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: &Time| *time as f64 / SECOND as f64;
        match self {
            Part::Server { machine, has_label, clock_ahead } => {
                let label = if *has_label { " with the label" } else { "" };
                let ahead_ms = clock_ahead / 1_000_000;
                write!(out, "server {machine}{label}, its clock {ahead_ms} ms ahead")
            }
            Part::Operation { machine, at, operation } => {
                write!(out, "{:.3} s  publisher {machine}: {operation:?}", seconds(at))
            }
            Part::Fault { machine, at, fault } => {
                write!(out, "{:.3} s  machine {machine}: {fault:?}", seconds(at))
            }
            Part::Intrusion { at, intrusion } => {
                write!(out, "{:.3} s  a stranger: {intrusion:?}", seconds(at))
            }
        }
    }
}
