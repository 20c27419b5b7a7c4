//! Connections of an attacker: they send, and read only where a test says so.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::support::DEADLINE;

/// How many connections a crowd has: as the variable says, or few enough for every run.
pub fn crowd_size(usual: usize) -> usize {
    let named = std::env::var("DAICHO_HOSTILE_CONNECTIONS").ok();
    named.map_or(usual, |text| text.parse().expect("a number of connections"))
}

pub struct Attacker {
    stream: TcpStream,
}

impl Attacker {
    #[track_caller]
    pub fn connect(address: SocketAddr) -> Attacker {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a time-out");
        stream.set_write_timeout(Some(DEADLINE)).expect("a time-out");
        Attacker { stream }
    }

    /// Sends these bytes, waiting for the server to take them. `false` where it has closed.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends as much of these bytes as the system takes now.
    pub fn push(&mut self, bytes: &[u8]) {
        self.stream.set_nonblocking(true).expect("a socket");
        // A server that has closed is what the test looks for elsewhere.
        let _ = self.stream.write(bytes);
        self.stream.set_nonblocking(false).expect("a socket");
    }

    /// All that the server sends until it closes.
    pub fn read_to_end(&mut self) -> Vec<u8> {
        let mut sent = Vec::new();
        // A reset ends it too: the server does not read what comes behind its end.
        if let Err(error) = self.stream.read_to_end(&mut sent) {
            assert_eq!(
                error.kind(),
                ErrorKind::ConnectionReset,
                "{error} behind {} bytes",
                sent.len()
            );
        }
        sent
    }

    /// Whether the server has closed it; looks without waiting.
    pub fn is_closed(&self) -> bool {
        self.stream.set_nonblocking(true).expect("a socket");
        let found = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false).expect("a socket");
        match found {
            Ok(count) => count == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }
}
