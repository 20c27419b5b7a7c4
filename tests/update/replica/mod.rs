//! A replica of the official sites: an HTTP server on loopback whose routes and faults a test sets.
//!
//! Files have an `ETag`: range requests and conditional requests work as at the real sites. Each connection carries one
//! request; there is no TLS.

pub mod abr;
pub mod cao;
pub mod invoice;
pub mod japanpost;
pub mod mext;
pub mod nta;
pub mod zengin;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A received request.
#[derive(Debug, Clone, Default)]
pub struct Received {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The fields of a form.
    pub form: BTreeMap<String, String>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub fault: Option<Fault>,
}

/// A fault while a response is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends after so many bytes of the body.
    Cut(usize),
    /// After so many bytes of the body nothing is sent for so long.
    Silence(usize, Duration),
    /// Each byte of the body is sent after this pause.
    Slow(Duration),
    /// The connection ends before the response.
    NoAnswer,
}

impl Answer {
    pub fn status(status: u16) -> Answer {
        let html = format!("<!DOCTYPE html><html><head><title>{status}</title></head></html>");
        Answer { status, ..Answer::html(&html) }
    }

    pub fn html(text: &str) -> Answer {
        Answer { status: 200, headers: Vec::new(), body: text.into(), fault: None }
            .header("content-type", "text/html; charset=UTF-8")
    }

    /// A page in Shift_JIS that declares its encoding in a meta element, as Japan Post's pages do.
    pub fn shift_jis(text: &str) -> Answer {
        let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(text);
        Answer { status: 200, headers: Vec::new(), body: bytes.into_owned(), fault: None }
            .header("content-type", "text/html")
    }

    /// A file with an `ETag` of its content.
    pub fn file(bytes: &[u8]) -> Answer {
        let tag = format!("\"{:08x}-{}\"", crc32fast::hash(bytes), bytes.len());
        Answer { status: 200, headers: Vec::new(), body: bytes.to_vec(), fault: None }
            .header("content-type", "application/octet-stream")
            .header("etag", &tag)
    }

    pub fn header(mut self, name: &str, value: &str) -> Answer {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Answer {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub fn fault(self, fault: Fault) -> Answer {
        Answer { fault: Some(fault), ..self }
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The response to a conditional request (304) or a range request (206).
    fn narrowed(self, asked: &Received) -> Answer {
        let Some(tag) = self.value("etag").filter(|_| self.status == 200) else { return self };
        if asked.header("if-none-match") == Some(tag) {
            return Answer { status: 304, body: Vec::new(), ..self };
        }
        let range = asked.header("range").and_then(|range| range.strip_prefix("bytes="));
        let start = range.and_then(|range| range.strip_suffix('-')?.parse::<usize>().ok());
        match start.filter(|_| asked.header("if-range") == Some(tag)) {
            Some(start) if start < self.body.len() => {
                let end = self.body.len();
                let body = self.body[start..].to_vec();
                let range = format!("bytes {start}-{}/{end}", end - 1);
                Answer { status: 206, body, ..self }.header("content-range", &range)
            }
            Some(_) => Answer { status: 416, body: Vec::new(), ..self },
            None => self,
        }
    }
}

type Route = Arc<dyn Fn(&Received) -> Answer + Send + Sync>;

#[derive(Default)]
struct Shared {
    routes: Mutex<HashMap<(String, String), Route>>,
    asked: Mutex<Vec<Received>>,
}

pub struct Replica {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Replica {
    /// Paths without a route return 404 with a page. The threads end with the test's process.
    pub fn start() -> Replica {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let shared = Arc::<Shared>::default();
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                thread::spawn(move || serve(tcp, &shared));
            }
        });
        Replica { address, shared }
    }

    pub fn origin(&self) -> url::Url {
        format!("http://{}", self.address).parse().expect("an origin")
    }

    /// Sets the route of a method and path; replaces an earlier one.
    pub fn route(
        &self,
        method: &str,
        path: &str,
        answer: impl Fn(&Received) -> Answer + Send + Sync + 'static,
    ) {
        let mut routes = self.shared.routes.lock().expect("no panic");
        routes.insert((method.to_owned(), path.to_owned()), Arc::new(answer));
    }

    /// Sets the response to every GET of a path.
    pub fn get(&self, path: &str, answer: Answer) {
        self.route("GET", path, move |_asked| answer.clone());
    }

    /// Sets the responses to the GETs of a path in turn; the last one repeats.
    pub fn get_in_turn(&self, path: &str, answers: Vec<Answer>) {
        let number = Mutex::new(0);
        self.route("GET", path, move |_asked| {
            let mut number = number.lock().expect("no panic");
            let answer = answers[(*number).min(answers.len() - 1)].clone();
            *number += 1;
            answer
        });
    }

    pub fn remove(&self, path: &str) {
        self.shared.routes.lock().expect("no panic").retain(|(_, known), _| known != path);
    }

    /// Every request so far, in order.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.asked.lock().expect("no panic").clone()
    }

    /// How often a path was requested.
    pub fn count(&self, path: &str) -> usize {
        self.requests().iter().filter(|asked| asked.path == path).count()
    }

    pub fn forget_requests(&self) {
        self.shared.asked.lock().expect("no panic").clear();
    }
}

fn serve(mut tcp: TcpStream, shared: &Shared) {
    let Some(asked) = read(&mut tcp) else { return };
    shared.asked.lock().expect("no panic").push(asked.clone());
    let route = {
        let routes = shared.routes.lock().expect("no panic");
        routes.get(&(asked.method.clone(), asked.path.clone())).cloned()
    };
    let answer = route.map_or_else(|| Answer::status(404), |route| route(&asked)).narrowed(&asked);
    // Ignore write errors: a client may close the connection at any time.
    let _ = write(&mut tcp, &answer);
    let _ = tcp.shutdown(Shutdown::Both);
}

fn write(tcp: &mut TcpStream, answer: &Answer) -> std::io::Result<()> {
    if answer.fault == Some(Fault::NoAnswer) {
        return Ok(());
    }
    let mut head = format!("HTTP/1.1 {} Replica\r\nconnection: close\r\n", answer.status);
    head.push_str(&format!("content-length: {}\r\n", answer.body.len()));
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    tcp.write_all(format!("{head}\r\n").as_bytes())?;
    match answer.fault {
        Some(Fault::Cut(at)) => tcp.write_all(&answer.body[..at.min(answer.body.len())]),
        Some(Fault::Silence(at, time)) => {
            tcp.write_all(&answer.body[..at.min(answer.body.len())])?;
            tcp.flush()?;
            thread::sleep(time);
            Ok(())
        }
        Some(Fault::Slow(pause)) => answer.body.iter().try_for_each(|byte| {
            thread::sleep(pause);
            tcp.write_all(&[*byte])
        }),
        _ => tcp.write_all(&answer.body),
    }
}

fn read(tcp: &mut TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(tcp);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut parts = line.split(' ');
    let mut asked = Received { method: parts.next()?.to_owned(), ..Received::default() };
    let target = parts.next()?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    asked.path = path.to_owned();
    asked.query = pairs(query.as_bytes());
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        asked.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    asked.form = pairs(&body);
    Some(asked)
}

fn pairs(text: &[u8]) -> BTreeMap<String, String> {
    url::form_urlencoded::parse(text).into_owned().collect()
}
