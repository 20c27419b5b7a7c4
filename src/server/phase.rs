//! The phases of a server, from serving to its end, as its connections learn of them.

use std::convert::Infallible;
use std::time::Instant;

use tokio::sync::{mpsc, watch};

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

    /// When the connection of this number is to close; `None` unless a drain is under way.
    pub fn drain_time(&self, number: u64) -> Option<Instant> {
        match self {
            Phase::Drain(drain) => Some(drain.close_time(number)),
            Phase::Serve | Phase::Finish | Phase::Drop => None,
        }
    }
}

/// Waits until no new requests are accepted.
pub async fn wait_for_end(phase: &mut watch::Receiver<Phase>) {
    // A closed channel has ended too.
    let _ = phase.wait_for(Phase::is_end).await;
}

/// What a connection has until it acts on the end of the server. Nothing is sent: dropping it is the message.
#[derive(Debug, Clone)]
pub struct EndUnseen {
    _sender: mpsc::Sender<Infallible>,
}

/// Waits for the connections that have an [`EndUnseen`].
#[derive(Debug)]
pub struct EndSeen(mpsc::Receiver<Infallible>);

impl EndUnseen {
    pub fn new() -> (EndUnseen, EndSeen) {
        let (sender, receiver) = mpsc::channel(1);
        (EndUnseen { _sender: sender }, EndSeen(receiver))
    }
}

impl EndSeen {
    /// Waits until every connection acts on the end, or has ended.
    pub async fn by_all(mut self) {
        // Without senders, the channel is closed.
        let _ = self.0.recv().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn the_end_is_seen_by_all_once_each_connection_has_dropped_its_part() {
        let (unseen, seen) = EndUnseen::new();
        let other = unseen.clone();
        let mut by_all = std::pin::pin!(seen.by_all());
        drop(unseen);
        assert!(
            tokio::time::timeout(Duration::ZERO, by_all.as_mut()).await.is_err(),
            "one has not seen it"
        );
        drop(other);
        assert!(tokio::time::timeout(Duration::ZERO, by_all).await.is_ok());
    }
}
