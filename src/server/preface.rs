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

/// The bytes read for detection, which the protocol reads again.
#[derive(Debug, Clone, Default)]
pub struct FirstBytes {
    bytes: [u8; PREFACE.len()],
    /// How many of `bytes` were read from the client.
    length: usize,
    position: usize,
}

impl FirstBytes {
    pub fn is_empty(&self) -> bool {
        self.position == self.length
    }

    pub fn read_into(&mut self, buffer: &mut ReadBuf<'_>) {
        let rest = &self.bytes[self.position..self.length];
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        self.position += count;
    }

    fn protocol(&self) -> Option<Protocol> {
        if self.bytes[..self.length] != PREFACE[..self.length] {
            Some(Protocol::Http1)
        } else if self.length == PREFACE.len() {
            Some(Protocol::Http2)
        } else {
            None
        }
    }
}

/// Reads until the bytes decide the protocol; `None` if the client disconnects first.
pub async fn detect(tcp: &mut TcpStream) -> Option<(Protocol, FirstBytes)> {
    let mut first_bytes = FirstBytes::default();
    loop {
        let count = tcp.read(&mut first_bytes.bytes[first_bytes.length..]).await.ok()?;
        if count == 0 {
            return None;
        }
        first_bytes.length += count;
        if let Some(protocol) = first_bytes.protocol() {
            return Some((protocol, first_bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_bytes(text: &[u8]) -> FirstBytes {
        let mut first_bytes = FirstBytes { length: text.len(), ..FirstBytes::default() };
        first_bytes.bytes[..text.len()].copy_from_slice(text);
        first_bytes
    }

    #[test]
    fn the_protocol_is_detected_from_the_first_bytes() {
        #[track_caller]
        fn check(text: &[u8], expected: Option<Protocol>) {
            assert_eq!(first_bytes(text).protocol(), expected, "{text:?}");
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
    fn every_byte_is_read_once_and_in_order() {
        let mut first_bytes = first_bytes(b"GET /healthz");
        let mut read = Vec::new();
        for room in [0, 5, 1, 100, 100] {
            let mut room = vec![0; room];
            let mut buffer = ReadBuf::new(&mut room);
            first_bytes.read_into(&mut buffer);
            read.extend_from_slice(buffer.filled());
        }
        assert_eq!(read, b"GET /healthz");
        assert!(first_bytes.is_empty());
    }
}
