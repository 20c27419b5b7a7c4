//! The memory that requests and answers take, charged to their connection for as long as they take it.
//!
//! A [`Charge`] counts at the connection and in the total of all connections until it is dropped. An answer is sent
//! in pieces that carry their part of the charge, so written or discarded bytes no longer count. Only counts: the
//! limits are enforced by `hyper_service.rs`, which lets requests wait, and by `connection_table.rs`, which closes
//! connections.

use std::sync::Arc;

use bytes::Bytes;

use super::budget::ChargeKind;
use super::connection::Connection;

/// Overhead of a request or an answer beside its bytes: its task and table entries.
pub const OVERHEAD_BYTES: usize = 4 * 1024;

/// Bytes that count as held by a connection until this is dropped.
#[derive(Debug)]
pub struct Charge {
    connection: Arc<Connection>,
    kind: ChargeKind,
    bytes: usize,
}

impl Charge {
    pub fn of(connection: &Arc<Connection>, kind: ChargeKind, bytes: usize) -> Charge {
        connection.charge(kind, bytes);
        Charge { connection: Arc::clone(connection), kind, bytes }
    }

    /// Splits off a part that is dropped at another time.
    fn split(&mut self, bytes: usize) -> Charge {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Charge { connection: Arc::clone(&self.connection), kind: self.kind, bytes }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.connection.release(self.kind, self.bytes);
    }
}

/// Charge for each piece of an answer whose bytes are shared: the piece's entry in hyper's queue.
const SHARED_PIECE_OVERHEAD_BYTES: usize = 256;

/// The rest of an answer that was not handed to hyper yet, with the charge for it.
#[derive(Debug)]
pub struct ChargedBytes {
    rest: Bytes,
    charge: Charge,
    piece_bytes: usize,
    are_shared: bool,
}

impl ChargedBytes {
    /// Shared bytes, such as a mapped file, take no memory of this answer. Only their overhead is charged, so that it
    /// shows whether the client reads.
    pub fn of(
        rest: Bytes,
        are_shared: bool,
        connection: &Arc<Connection>,
        piece_bytes: usize,
    ) -> ChargedBytes {
        let bytes = OVERHEAD_BYTES + if are_shared { 0 } else { rest.len() };
        let charge = Charge::of(connection, ChargeKind::Answer, bytes);
        ChargedBytes { rest, charge, piece_bytes, are_shared }
    }

    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next piece; its charge lasts until the sender drops it.
    pub fn next_piece(&mut self) -> Option<Bytes> {
        if self.rest.is_empty() {
            return None;
        }
        let bytes = self.rest.split_to(self.rest.len().min(self.piece_bytes));
        let charge = match self.are_shared {
            true => {
                Charge::of(&self.charge.connection, ChargeKind::Answer, SHARED_PIECE_OVERHEAD_BYTES)
            }
            false => self.charge.split(bytes.len()),
        };
        Some(Bytes::from_owner(ChargedPiece { bytes, _charge: charge }))
    }
}

struct ChargedPiece {
    bytes: Bytes,
    _charge: Charge,
}

impl AsRef<[u8]> for ChargedPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::metrics::Metrics;

    #[test]
    fn an_answer_is_counted_until_its_last_piece_is_dropped() {
        let metrics = Arc::new(Metrics::over(Vec::new()));
        let remote = std::net::Ipv4Addr::LOCALHOST.into();
        let connection = Arc::new(Connection::open(1, remote, 0, Arc::clone(&metrics)));
        let counted = || metrics.memory.bytes();
        let mut answer = ChargedBytes::of(vec![b'x'; 40].into(), false, &connection, 16);
        assert_eq!(counted(), OVERHEAD_BYTES + 40);
        let pieces: Vec<Bytes> = std::iter::from_fn(|| answer.next_piece()).collect();
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [16, 16, 8]);
        assert_eq!(counted(), OVERHEAD_BYTES + 40);
        drop(answer);
        assert_eq!(counted(), 40);
        let part = pieces[0].slice(..1);
        drop(pieces);
        assert_eq!(counted(), 16);
        drop(part);
        assert_eq!(counted(), 0);
    }

    #[test]
    fn shared_bytes_are_charged_little_until_their_last_piece_is_dropped() {
        let metrics = Arc::new(Metrics::over(Vec::new()));
        let remote = std::net::Ipv4Addr::LOCALHOST.into();
        let connection = Arc::new(Connection::open(1, remote, 0, Arc::clone(&metrics)));
        let counted = || metrics.memory.bytes();
        let mut answer = ChargedBytes::of(vec![b'x'; 1_000_000].into(), true, &connection, 16_384);
        assert_eq!(counted(), OVERHEAD_BYTES);
        let pieces: Vec<Bytes> = std::iter::from_fn(|| answer.next_piece()).take(3).collect();
        assert_eq!(counted(), OVERHEAD_BYTES + 3 * SHARED_PIECE_OVERHEAD_BYTES);
        drop(answer);
        assert_eq!(counted(), 3 * SHARED_PIECE_OVERHEAD_BYTES);
        drop(pieces);
        assert_eq!(counted(), 0);
    }
}
