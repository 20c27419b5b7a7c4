//! What happens in a run of updates: editions that come out, updates that run, and faults, each at its time.

use std::collections::BTreeSet;
use std::fmt;

use crate::simulation::random::Random;
use crate::simulation::releases::editions::EDITIONS;
use crate::simulation::scheduler::{Machine, SECOND, Time};
use crate::simulation::site::Network;
use crate::simulation::without;

/// Two machines update their folders and publish them, a server reloads the folder of the first, another follows the
/// releases, and an operator rolls back.
pub const UPDATERS: [Machine; 2] = [1, 2];
pub const RELOADS: Machine = 3;
pub const FOLLOWS: Machine = 4;
pub const OPERATOR: Machine = 5;
/// The last one only waits for the times of faults.
pub const MACHINES: usize = 7;

/// Which random numbers decide about faults of disks.
const DISKS: u64 = 2;

/// Operations and faults begin before this time.
pub const END: Time = 45 * SECOND;

#[derive(Debug, Clone)]
pub struct Plan {
    /// Whether the disks of updaters can fail.
    pub has_disks: bool,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub enum Part {
    /// The official list of an edition comes out.
    Edition {
        at: Time,
        edition: usize,
    },
    Update {
        machine: Machine,
        at: Time,
    },
    RollBack {
        at: Time,
    },
    Fault {
        machine: Machine,
        at: Time,
        fault: Fault,
    },
}

#[derive(Debug, Clone)]
pub enum Fault {
    Network {
        network: Network,
        time: Time,
    },
    /// The process dies, at once or after so many steps of its work.
    Crash {
        after_steps: Option<u64>,
        down: Time,
    },
    /// An updater's machine loses its power, at once or after so many steps of its work.
    PowerFailure {
        after_steps: Option<u64>,
        down: Time,
    },
    FullDisk {
        time: Time,
    },
}

impl Plan {
    pub fn of_seed(seed: u64) -> Plan {
        let mut random = Random::of_seed(seed);
        let random = &mut random;
        let mut parts = vec![Part::Edition { at: 0, edition: 0 }];
        // The last edition comes out after the faults.
        for edition in 1..EDITIONS - 1 {
            parts.push(Part::Edition { at: random.below(END), edition });
        }
        for _ in 0..random.between(3, 8) {
            let machine = *random.choose(&UPDATERS);
            parts.push(Part::Update { machine, at: random.below(END) });
        }
        if random.percent(50) {
            parts.push(Part::RollBack { at: random.below(END) });
        }
        let faults = if random.percent(20) { 0 } else { random.between(1, 4) };
        for _ in 0..faults {
            let machine = *random.choose(&[1, 1, 2, 2, RELOADS, FOLLOWS]);
            let (at, fault) = (random.below(END), fault(random));
            parts.push(Part::Fault { machine, at, fault });
        }
        let mut later = Random::of_later_part(seed, DISKS);
        let has_disks = later.percent(50);
        let faults = if has_disks { later.between(1, 3) } else { 0 };
        for _ in 0..faults {
            let machine = *later.choose(&UPDATERS);
            let (at, fault) = (later.below(END), disk_fault(&mut later));
            parts.push(Part::Fault { machine, at, fault });
        }
        Plan { has_disks, parts }
    }

    /// The plan without the parts of these numbers.
    pub fn without(self, dropped: &BTreeSet<usize>) -> Plan {
        Plan { parts: without(self.parts, dropped), ..self }
    }

    pub fn has_faults(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Fault { .. }))
    }
}

fn fault(random: &mut Random) -> Fault {
    let time = random.between(SECOND, 20 * SECOND);
    match random.below(100) {
        0..30 => {
            let network = Network { faults: random.between(5, 50), ..Network::default() };
            Fault::Network { network, time }
        }
        30..40 => Fault::Network { network: Network { is_cut: true, ..Network::default() }, time },
        _ => Fault::Crash {
            after_steps: random.percent(70).then(|| random.between(1, 25)),
            down: random.below(6 * SECOND),
        },
    }
}

fn disk_fault(random: &mut Random) -> Fault {
    match random.percent(75) {
        true => Fault::PowerFailure {
            after_steps: random.percent(70).then(|| random.between(1, 40)),
            down: random.below(6 * SECOND),
        },
        false => Fault::FullDisk { time: random.between(SECOND, 20 * SECOND) },
    }
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: &Time| *time as f64 / SECOND as f64;
        match self {
            Part::Edition { at, edition } => {
                write!(out, "{:.3} s  edition {edition} comes out", seconds(at))
            }
            Part::Update { machine, at } => {
                write!(out, "{:.3} s  machine {machine}: updates and publishes", seconds(at))
            }
            Part::RollBack { at } => write!(out, "{:.3} s  operator: rolls back", seconds(at)),
            Part::Fault { machine, at, fault } => {
                write!(out, "{:.3} s  machine {machine}: {fault:?}", seconds(at))
            }
        }
    }
}
