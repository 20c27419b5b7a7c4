//! The phases of a server, from serving to its end, as its connections learn of them.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

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

/// The time between the signal to stop and the stop, in which connections close.
///
/// Each connection has a time of its own, so that not all clients reconnect to the other servers at once. The times
/// lie in the middle half of the drain: earlier, a balancer may not have noticed yet and would send the client here
/// again; later, a client with infrequent requests would not learn of it in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drain {
    pub began: Instant,
    pub time: Duration,
}

/// 2^32 divided by the golden ratio: its multiples modulo 2^32 are evenly spread, however many there are.
const STEP: u32 = 0x9E37_79B9;

impl Drain {
    pub fn close_time(&self, number: u64) -> Instant {
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are what counts")]
        let share = f64::from((number as u32).wrapping_mul(STEP)) / 2_f64.powi(32);
        self.began + self.time / 4 + self.time.mul_f64(share / 2.0)
    }
}

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

    #[test]
    fn connections_close_evenly_in_the_middle_half_of_the_drain() {
        for time in [Duration::from_millis(1), Duration::from_secs(5), Duration::from_secs(3600)] {
            let drain = Drain { began: Instant::now(), time };
            for first in [0, 1, 1_000, u64::from(u32::MAX) - 50, u64::MAX - 100] {
                let mut eighths = [0; 8];
                for number in first..first + 100 {
                    let passed = drain.close_time(number) - drain.began;
                    let part = 8.0 * passed.as_secs_f64() / time.as_secs_f64();
                    eighths[part as usize] += 1;
                }
                let [0, 0, middle @ .., 0, 0] = eighths else {
                    panic!("from {first}: {eighths:?}")
                };
                assert!(middle.iter().all(|count| (20..=30).contains(count)), "{eighths:?}");
            }
        }
    }
}
