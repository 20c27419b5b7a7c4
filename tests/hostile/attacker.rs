//! A client connection for attacks. It sends bytes as given and reads only when a test asks it to.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::support::DEADLINE;

/// The number of connections to open: `DAICHO_HOSTILE_CONNECTIONS`, or `usual` if it is not set.
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

    /// Sends all bytes, waiting while the server does not read. Returns `false` if the connection is closed.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends as many of the bytes as the socket buffer takes now, without waiting.
    pub fn push(&mut self, bytes: &[u8]) {
        self.stream.set_nonblocking(true).expect("a socket");
        // Ignore errors: tests check with `is_closed` whether the server has closed the connection.
        let _ = self.stream.write(bytes);
        self.stream.set_nonblocking(false).expect("a socket");
    }

    /// Reads everything that the server sends until it closes the connection.
    pub fn read_to_end(&mut self) -> Vec<u8> {
        let mut sent = Vec::new();
        // A reset is an end too: the server closes without reading what the attacker still sends.
        if let Err(error) = self.stream.read_to_end(&mut sent) {
            assert_eq!(
                error.kind(),
                ErrorKind::ConnectionReset,
                "{error} after {} bytes",
                sent.len()
            );
        }
        sent
    }

    /// Whether the server has closed the connection. Does not wait.
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
