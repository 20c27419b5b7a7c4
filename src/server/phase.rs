//! The phases of a server, from serving to its end, as its connections learn of them.

use std::time::Instant;

use tokio::sync::watch;

use super::drain::Drain;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Serve,
    /// Connections close over time; requests and new connections are still served.
    Drain(Drain),
    /// Requests in flight get their answers; no others are accepted.
    Finish,
    /// Everything ends at once.
    Drop,
}

impl Phase {
    /// Whether no new requests are accepted.
    pub fn is_end(&self) -> bool {
        matches!(self, Phase::Finish | Phase::Drop)
    }
}

/// Waits until no new requests are accepted.
pub async fn wait_for_end(phase: &mut watch::Receiver<Phase>) {
    // A closed channel has ended too.
    let _ = phase.wait_for(Phase::is_end).await;
}

/// When the connection of this number is to close; `None` unless a drain is under way.
pub fn drain_time(phase: &mut watch::Receiver<Phase>, number: u64) -> Option<Instant> {
    match *phase.borrow_and_update() {
        Phase::Drain(drain) => Some(drain.close_time(number)),
        Phase::Serve | Phase::Finish | Phase::Drop => None,
    }
}
