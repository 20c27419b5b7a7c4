//! The clients: the requests of each kind of client, and their rate.
//!
//! Clients send at a fixed rate, not at full speed: on a fully busy machine the times would measure waiting and not the
//! server. Clients that disconnect are in `leavers`, HTTP/2 in `streams`, the radar in `radar`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::leavers;
use crate::radar::RadarClient;
use crate::seeded::SeededRandom;
use crate::streams;
use crate::tally::Load;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    LookUp,
    Search,
    Batch,
    Wrong,
    Leaver,
    Streams,
    WithStore,
    Version,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::LookUp => "look-up",
            Kind::Search => "search",
            Kind::Batch => "batch",
            Kind::Wrong => "wrong request",
            Kind::Leaver => "slow client",
            Kind::Streams => "HTTP/2",
            Kind::WithStore => "radar",
            Kind::Version => "named version",
        }
    }

    /// The interval between two requests of a client.
    fn pace(self) -> Duration {
        Duration::from_millis(match self {
            Kind::LookUp => 4,
            Kind::Search => 20,
            Kind::Batch | Kind::WithStore => 200,
            Kind::Wrong => 50,
            Kind::Leaver | Kind::Streams | Kind::Version => 100,
        })
    }
}

/// Number of clients of each kind for each four that look up.
const PER_FOUR: &[(Kind, usize)] = &[
    (Kind::LookUp, 4),
    (Kind::Search, 2),
    (Kind::Batch, 1),
    (Kind::Wrong, 1),
    (Kind::Leaver, 2),
    (Kind::Streams, 1),
    (Kind::Version, 1),
];

/// Starts `fours` times four clients that look up, and the clients of the other kinds.
pub fn start(load: &Arc<Load>, fours: usize) -> Vec<JoinHandle<()>> {
    let kinds = PER_FOUR.iter().flat_map(|(kind, count)| vec![*kind; count * fours]);
    // Only one client of the watch list: its change must still be there at its next request.
    let kinds = kinds.chain([Kind::WithStore]);
    kinds.zip(1..).map(|(kind, seed)| start_one(load, kind, seed)).collect()
}

fn start_one(load: &Arc<Load>, kind: Kind, seed: u64) -> JoinHandle<()> {
    let load = Arc::clone(load);
    thread::spawn(move || {
        let mut connection = Connection::new(&load, kind.name(), kind == Kind::LookUp);
        let mut seeded = SeededRandom::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut radar = RadarClient::default();
        let mut next = Instant::now();
        while !load.stopping.load(Ordering::Relaxed) {
            match kind {
                Kind::LookUp => connection.send_random(&load.questions.look_ups, &mut seeded),
                Kind::Search => connection.send_random(&load.questions.searches, &mut seeded),
                Kind::Batch => connection.send_random(&load.questions.batches, &mut seeded),
                Kind::Wrong => connection.send_random(&load.questions.wrong, &mut seeded),
                Kind::Leaver => leavers::visit(&load, &mut seeded),
                Kind::Streams => streams::run_connection(&load, &mut seeded),
                Kind::WithStore => radar.send_next(&mut connection),
                Kind::Version => connection.check_named_version(),
            }
            next = (next + kind.pace()).max(Instant::now());
            thread::sleep(next - Instant::now());
        }
    })
}
