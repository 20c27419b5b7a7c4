//! What happens in a run of the accounts: what the operator does, and faults, each at its time.

use std::collections::BTreeSet;
use std::fmt;

use crate::simulation::random::Random;
use crate::simulation::scheduler::{MILLISECOND, Machine, SECOND, Time};
use crate::simulation::site::Network;
use crate::simulation::without;
use crate::text::codes::Register;

/// Machines 1 to 3 are servers; then come the operator, and who guesses passwords.
pub const SERVERS_MAX: usize = 3;
pub const OPERATOR: Machine = SERVERS_MAX + 1;
pub const GUESSER: Machine = SERVERS_MAX + 2;
/// The last one only waits for the times of faults.
pub const MACHINES: usize = 2 + GUESSER;

/// Which random numbers decide about transactions that overlap, and about invoice issuers.
const OVERLAPS: u64 = 42;

/// Operations and faults begin before this time.
pub const END: Time = 25 * SECOND;

/// The days whose changes are announced.
pub const DAYS: u64 = 3;

#[derive(Debug, Clone)]
pub struct Plan {
    pub servers: usize,
    /// Whether a transaction takes several requests, between which others run.
    pub overlaps: bool,
    /// Of a hundred attempts to deliver, so many fail at the receiver.
    pub receiver_faults: u64,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub enum Part {
    Operation {
        at: Time,
        operation: Operation,
    },
    /// A server begins to answer from the data of this day.
    Day {
        register: Register,
        machine: Machine,
        at: Time,
        day: u64,
    },
    Fault {
        machine: Machine,
        at: Time,
        fault: Fault,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    CreateKey {
        expires_after: Option<Time>,
    },
    /// Revokes one of the keys that were created so far.
    RevokeKey {
        index: u64,
    },
    /// Requests of the account in a month.
    SetQuota {
        monthly: u64,
    },
    /// Watches a number for one of the accounts.
    Watch {
        account: u64,
    },
    /// Sends a delivery again.
    Redeliver,
}

#[derive(Debug, Clone)]
pub enum Fault {
    Network { network: Network, time: Time },
    Crash { down: Time },
}

impl Plan {
    pub fn of_seed(seed: u64) -> Plan {
        let mut random = Random::of_seed(seed);
        let random = &mut random;
        let servers = *random.choose(&[1, 2, 2, SERVERS_MAX]);
        let mut parts = days(random, Register::Corporate, servers);
        for _ in 0..random.between(3, 9) {
            parts.push(Part::Operation { at: random.below(END), operation: operation(random) });
        }
        let faults = if random.percent(20) { 0 } else { random.between(1, 4) };
        for _ in 0..faults {
            let machine = match random.percent(80) {
                true => 1 + usize::try_from(random.below(servers as u64)).expect("a number"),
                false => OPERATOR,
            };
            let at = random.below(END);
            parts.push(Part::Fault { machine, at, fault: fault(random) });
        }
        let receiver_faults = *random.choose(&[0, 0, 20, 60]);
        let mut later = Random::of_later_part(seed, OVERLAPS);
        let overlaps = later.percent(50);
        if overlaps {
            parts.extend(days(&mut later, Register::Invoice, servers));
        }
        Plan { servers, overlaps, receiver_faults, parts }
    }

    /// The plan without the parts of these numbers.
    pub fn without(self, dropped: &BTreeSet<usize>) -> Plan {
        Plan { parts: without(self.parts, dropped), ..self }
    }

    pub fn has_faults(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Fault { .. }))
    }

    /// Whether a server may not reach the database.
    pub fn cuts_network(&self) -> bool {
        let is_cut = |part: &Part| matches!(part, Part::Fault { fault: Fault::Network { .. }, .. });
        self.parts.iter().any(is_cut)
    }

    pub fn crashes(&self) -> u64 {
        let is_crash =
            |part: &&Part| matches!(part, Part::Fault { fault: Fault::Crash { .. }, .. });
        self.parts.iter().filter(is_crash).count() as u64
    }
}

/// The days of a register, each on all servers.
fn days(random: &mut Random, register: Register, servers: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for day in 1..=DAYS {
        let first = (day - 1) * END / 4 + random.below(4 * SECOND);
        for machine in 1..=servers {
            let at = first + random.below(6 * SECOND);
            parts.push(Part::Day { register, machine, at, day });
        }
    }
    parts
}

fn operation(random: &mut Random) -> Operation {
    match random.below(100) {
        0..25 => {
            let after = random.between(SECOND, 20 * SECOND);
            Operation::CreateKey { expires_after: random.percent(40).then_some(after) }
        }
        25..50 => Operation::RevokeKey { index: random.below(4) },
        50..65 => Operation::SetQuota { monthly: random.between(10, 120) },
        65..90 => Operation::Watch { account: random.below(2) },
        _ => Operation::Redeliver,
    }
}

fn fault(random: &mut Random) -> Fault {
    let time = random.between(SECOND, 15 * SECOND);
    match random.below(100) {
        0..35 => {
            let network = Network { faults: random.between(5, 50), ..Network::default() };
            Fault::Network { network, time }
        }
        35..55 => Fault::Network { network: Network { is_cut: true, ..Network::default() }, time },
        _ => Fault::Crash { down: random.below(6 * SECOND) },
    }
}

/// The network that a fault does not touch.
pub fn network() -> Network {
    Network { latency_max: 20 * MILLISECOND, ..Network::default() }
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: &Time| *time as f64 / SECOND as f64;
        match self {
            Part::Operation { at, operation } => {
                write!(out, "{:.3} s  operator: {operation:?}", seconds(at))
            }
            Part::Day { register, machine, at, day } => {
                write!(
                    out,
                    "{:.3} s  server {machine} answers from day {day} of {register}",
                    seconds(at)
                )
            }
            Part::Fault { machine, at, fault } => {
                write!(out, "{:.3} s  machine {machine}: {fault:?}", seconds(at))
            }
        }
    }
}
