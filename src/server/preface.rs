//! Detects the protocol of a connection by its first bytes.
//!
//! The bytes are read from the socket, so that the system reports when more arrive, and are passed to the protocol
//! before all others. Knows the HTTP/2 preface and nothing else of either protocol.

use tokio::io::{AsyncReadExt, ReadBuf};
use tokio::net::TcpStream;

/// The bytes that an HTTP/2 client sends before its first frame.
pub const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Http1,
    Http2,
}

/// The bytes read for detection that were not passed on yet.
#[derive(Debug, Clone, Default)]
pub struct FirstBytes {
    bytes: [u8; PREFACE.len()],
    given: usize,
    count: usize,
}

impl FirstBytes {
    pub fn is_empty(&self) -> bool {
        self.given == self.count
    }

    /// Moves as many bytes as fit into `buffer`.
    pub fn give(&mut self, buffer: &mut ReadBuf<'_>) {
        let left = &self.bytes[self.given..self.count];
        let fitting = left.len().min(buffer.remaining());
        buffer.put_slice(&left[..fitting]);
        self.given += fitting;
    }

    /// The protocol, if these bytes decide it.
    fn protocol(&self) -> Option<Protocol> {
        match self.count {
            count if self.bytes[..count] != PREFACE[..count] => Some(Protocol::Http1),
            count if count == PREFACE.len() => Some(Protocol::Http2),
            _ => None,
        }
    }
}

/// Reads until the bytes decide the protocol; `None` if the client disconnects first.
pub async fn detect(tcp: &mut TcpStream) -> Option<(Protocol, FirstBytes)> {
    let mut first = FirstBytes::default();
    loop {
        let count = tcp.read(&mut first.bytes[first.count..]).await.ok();
        first.count += count.filter(|count| *count > 0)?;
        if let Some(protocol) = first.protocol() {
            return Some((protocol, first));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &[u8]) -> FirstBytes {
        let mut first = FirstBytes { count: text.len(), ..FirstBytes::default() };
        first.bytes[..text.len()].copy_from_slice(text);
        first
    }

    #[test]
    fn the_protocol_is_detected_from_the_first_bytes() {
        #[track_caller]
        fn check(text: &[u8], expected: Option<Protocol>) {
            assert_eq!(first(text).protocol(), expected, "{text:?}");
        }
        check(b"", None);
        check(b"P", None);
        check(b"PO", Some(Protocol::Http1));
        check(b"PRI", None);
        check(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r", None);
        check(PREFACE, Some(Protocol::Http2));
        check(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\rx", Some(Protocol::Http1));
        check(b"GET / HTTP/1.1\r\n", Some(Protocol::Http1));
    }

    #[test]
    fn every_byte_is_given_once_and_in_order() {
        let mut first = first(b"GET /healthz");
        let mut given = Vec::new();
        for room in [0, 5, 1, 100, 100] {
            let mut room = vec![0; room];
            let mut buffer = ReadBuf::new(&mut room);
            first.give(&mut buffer);
            given.extend_from_slice(buffer.filled());
        }
        assert_eq!(given, b"GET /healthz");
        assert!(first.is_empty());
    }
}
