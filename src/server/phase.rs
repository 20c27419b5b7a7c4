//! The phases of a server, from serving to its end, as its connections learn of them.

use std::time::Instant;

use tokio::sync::watch;

use super::drain::Drain;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Serve,
    Drain(Drain),
    Finish,
    Drop,
}

impl Phase {
    /// Whether no new requests are accepted.
    pub fn is_end(&self) -> bool {
        matches!(self, Phase::Finish | Phase::Drop)
    }
}

/// Waits until no new requests are accepted.
pub async fn ended(phase: &mut watch::Receiver<Phase>) {
    // A closed channel has ended too.
    let _ = phase.wait_for(Phase::is_end).await;
}

/// When the connection of this number is asked to close; `None` unless a drain is under way.
pub fn moment_to_go(phase: &mut watch::Receiver<Phase>, number: u64) -> Option<Instant> {
    match *phase.borrow_and_update() {
        Phase::Drain(drain) => Some(drain.moment(number)),
        Phase::Serve | Phase::Finish | Phase::Drop => None,
    }
}
