//! A receiver of webhooks: a socket that records requests and sends the responses that a test sets. The soak
//! benchmark uses it too.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A wait that takes longer fails its test. It is no performance limit.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// A received request.
#[derive(Debug, Clone)]
pub struct Received {
    /// Method, target and version.
    pub line: String,
    /// Lower-case names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Received {
    /// The value of a header, which must occur exactly once.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        let (_, value) = values.next().unwrap_or_else(|| panic!("{name} in {self:?}"));
        assert!(values.next().is_none(), "{name} twice in {self:?}");
        value
    }

    /// Whether one of the signatures is valid for this secret, checked as a receiver's library does.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let secret = secret.strip_prefix("whsec_").expect("a secret");
        let secret = BASE64.decode(secret.as_bytes()).expect("base64");
        let (id, at) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret).expect("any length");
        mac.update(format!("{id}.{at}.{}", self.body).as_bytes());
        let expected = format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes()));
        self.header("webhook-signature").split(' ').any(|found| found == expected)
    }
}

/// Reads one request; `None` if the connection ends before it is complete.
pub fn read(stream: &mut (impl Read + ?Sized)) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).expect("UTF-8");
    Some(Received { line: line.trim_end().to_owned(), headers, body })
}

/// A receiver that records its requests.
pub struct Receiver {
    /// Where it listens.
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    /// A receiver that sends `answer(n)` as the response to request `n` (from 0), then closes the connection.
    pub fn start(answer: impl Fn(usize) -> &'static str + Send + 'static) -> Receiver {
        Receiver::with(move |mut tcp, received| {
            let Some(request) = read(&mut tcp) else { return };
            let number = {
                let mut received = received.lock().expect("no panic");
                received.push(request);
                received.len() - 1
            };
            let _ = tcp.write_all(answer(number).as_bytes());
        })
    }

    /// A receiver that responds with 204 to every request.
    pub fn willing() -> Receiver {
        Receiver::start(|_number| "HTTP/1.1 204 No Content\r\n\r\n")
    }

    /// A receiver that calls `serve` for each connection, one after the other.
    pub fn with(serve: impl Fn(TcpStream, &Mutex<Vec<Received>>) + Send + 'static) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let noted = Arc::clone(&received);
        // The thread ends with the test's process.
        thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                serve(tcp, &noted);
            }
        });
        Receiver { address, received }
    }

    /// The requests received so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic").clone()
    }

    /// Waits until so many requests were received.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let started = Instant::now();
        while self.received().len() < count {
            assert!(started.elapsed() < DEADLINE, "{count} awaited, found {:?}", self.received());
            thread::sleep(Duration::from_millis(20));
        }
        self.received()
    }

    /// A URL of this receiver.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }
}
