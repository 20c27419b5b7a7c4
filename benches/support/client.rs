//! An HTTP client over one keep-alive connection.

use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};

pub struct Client {
    pub stream: BufReader<TcpStream>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a TCP option");
        Client { stream: BufReader::new(stream) }
    }

    /// The status and the bytes of the body.
    pub fn get(&mut self, key: &str, path: &str) -> (u16, usize) {
        self.try_get(key, path).expect("the server answers")
    }

    pub fn try_get(&mut self, key: &str, path: &str) -> io::Result<(u16, usize)> {
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Token {key}\r\n\r\n");
        self.stream.get_mut().write_all(head.as_bytes())?;
        let (mut line, mut status, mut length) = (String::new(), 0, 0);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end().split_once(' ') {
                _ if line == "\r\n" => break,
                Some(("HTTP/1.1", code)) => status = code[..3].parse().expect("a status"),
                Some((name, value)) if name.eq_ignore_ascii_case("content-length:") => {
                    length = value.parse().expect("a length");
                }
                _ => {}
            }
        }
        let copied = io::copy(&mut self.stream.by_ref().take(length), &mut io::sink())?;
        Ok((status, copied as usize))
    }
}
