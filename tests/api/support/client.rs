//! A raw HTTP/1.1 client: it sends the text of a test unchanged, without HTTP libraries.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::DEADLINE;

/// Percent-encodes a query value: every byte except ASCII letters and digits.
pub fn encoded(text: impl AsRef<[u8]>) -> String {
    let encode = |byte: &u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.as_ref().iter().map(encode).collect()
}

/// A parsed response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers in the order received; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as received, without chunk framing.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of the first header with this name (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{error} in {self:?}"),
        }
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Asserts that this is the error with this code, with every member and header that the API documents.
    #[track_caller]
    pub fn expect_error(&self, status: u16, code: &str, parameter: Option<&str>) {
        let body = self.json();
        assert_eq!((self.status, body["code"].as_str()), (status, Some(code)), "{body}");
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("/docs/errors#{code}"));
        assert!(body["title"].is_string() && body["detail"].is_string(), "{body}");
        assert_eq!(body.get("parameter").and_then(|name| name.as_str()), parameter, "{body}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert!(self.header("api-version").is_some(), "{:?}", self.headers);
    }
}

/// One connection.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    /// Connects. Reads and writes time out after [`DEADLINE`].
    #[track_caller]
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a time-out");
        stream.set_write_timeout(Some(DEADLINE)).expect("a time-out");
        Client { stream: BufReader::new(stream) }
    }

    /// Sends bytes unchanged. Returns `false` if the server has closed the connection.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> bool {
        self.stream.get_mut().write_all(bytes).is_ok()
    }

    /// Sends a request head: the lines of `head`, each trimmed and ended with CRLF, then an empty line.
    #[track_caller]
    pub fn send(&mut self, head: &str) {
        let lines: Vec<&str> = head.lines().map(str::trim).collect();
        let text = format!("{}\r\n\r\n", lines.join("\r\n"));
        assert!(
            self.send_bytes(text.as_bytes()),
            "the server closed the connection before {head:?}"
        );
    }

    /// Receives the answer to a request other than `HEAD`.
    #[track_caller]
    pub fn receive(&mut self) -> Answer {
        self.receive_any(true).expect("an answer before the server closed")
    }

    /// Receives an answer; `None` if the server closes the connection before its end.
    pub fn receive_any(&mut self, with_body: bool) -> Option<Answer> {
        let status = self.line()?;
        let status = status.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        if with_body && status != 304 && status != 204 {
            match answer.header("content-length") {
                Some(length) => {
                    answer.body.resize(length.parse().ok()?, 0);
                    self.stream.read_exact(&mut answer.body).ok()?;
                }
                None => answer.body = self.chunks()?,
            }
        }
        Some(answer)
    }

    /// Reads a chunked body; `None` if it is incomplete.
    fn chunks(&mut self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let size = usize::from_str_radix(&self.line()?, 16).ok()?;
            let start = body.len();
            body.resize(start + size, 0);
            self.stream.read_exact(&mut body[start..]).ok()?;
            self.line()?;
            if size == 0 {
                return Some(body);
            }
        }
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end().to_owned()),
        }
    }

    /// Waits until the server closes the connection. Whether it sent nothing more before that.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => rest.is_empty(),
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

/// Sends one request on a new connection and receives the answer. `head` is the request line without the HTTP
/// version, then header lines.
#[track_caller]
pub fn ask(address: SocketAddr, head: &str) -> Answer {
    let (line, rest) = head.trim().split_once('\n').unwrap_or((head.trim(), ""));
    let mut client = Client::connect(address);
    client.send(format!("{line} HTTP/1.1\nHost: test\nConnection: close\n{rest}").trim_end());
    client.receive_any(!line.starts_with("HEAD ")).expect("an answer")
}

/// Posts a JSON body with an API key on a new connection. Also receives an answer that comes before the whole body
/// is sent.
#[track_caller]
pub fn post(address: SocketAddr, target: &str, key: &str, body: &[u8]) -> Answer {
    let mut client = Client::connect(address);
    let length = body.len();
    client.send(&format!(
        "POST {target} HTTP/1.1\nHost: test\nConnection: close\nAuthorization: Token {key}\n\
         Content-Type: application/json\nContent-Length: {length}"
    ));
    client.send_bytes(body);
    client.receive()
}
