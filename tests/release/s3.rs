//! A small S3 server over a socket, with what releases need: conditional writes, ranges, multipart uploads, listings.
//! At any request it can refuse, break off, stall, or return wrong bytes. It checks no signatures.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use jiff::Timestamp;
use percent_encoding::percent_decode_str;

pub const BUCKET: &str = "depot";

/// A fault injected into one request.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// A response with this status and S3 error code.
    Refused(u16, &'static str),
    /// The response stops in the middle of its body.
    BrokenOff,
    /// The body of the response has wrong bytes of the same length.
    WrongBytes,
    /// The request is not carried out, and gets no response.
    Silence,
    /// The request is carried out, but gets no response.
    SilenceAfterwards,
}

/// Chooses the fault of a request by its number from 0, its method, and its path with query and range.
type Rule = dyn Fn(usize, &str, &str) -> Option<Fault> + Send;

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Object>,
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    /// Method and target of every request.
    requests: Vec<String>,
    rule: Option<Box<Rule>>,
    ignores_conditions: bool,
    next_tag: u64,
    bytes_in: u64,
}

#[derive(Clone)]
struct Object {
    bytes: Vec<u8>,
    tag: String,
    modified: Timestamp,
}

/// A running server; its threads end with the process. Clones share its state.
#[derive(Clone)]
pub struct S3 {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct Request {
    method: String,
    key: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl S3 {
    pub fn start() -> S3 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = S3 { address, state: Arc::default() };
        let accepting = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = accepting.clone();
                thread::spawn(move || server.serve(&stream));
            }
        });
        server
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names of the objects.
    pub fn names(&self) -> Vec<String> {
        self.state().objects.keys().cloned().collect()
    }

    pub fn object(&self, name: &str) -> Option<Vec<u8>> {
        self.state().objects.get(name).map(|object| object.bytes.clone())
    }

    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.state().store(name, bytes.to_vec());
    }

    pub fn remove(&self, name: &str) {
        self.state().objects.remove(name);
    }

    /// Moves the modification time of an object back by so many hours.
    pub fn make_older(&self, name: &str, hours: i64) {
        let mut state = self.state();
        let object = state.objects.get_mut(name).expect("an object");
        object.modified -= jiff::SignedDuration::from_hours(hours);
    }

    pub fn ignore_conditions(&self) {
        self.state().ignores_conditions = true;
    }

    /// Sets the rule for the following requests, and restarts their count at 0.
    pub fn rule(&self, rule: impl Fn(usize, &str, &str) -> Option<Fault> + Send + 'static) {
        let mut state = self.state();
        state.requests.clear();
        state.bytes_in = 0;
        state.rule = Some(Box::new(rule));
    }

    /// Ends all faults, and restarts the count of requests at 0.
    pub fn heal(&self) {
        self.rule(|_, _, _| None);
    }

    pub fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    /// Received bytes of files since the last rule was set.
    pub fn bytes_in(&self) -> u64 {
        self.state().bytes_in
    }

    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read(&mut reader) {
            let fault = {
                let mut state = self.state();
                let number = state.requests.len();
                let query: Vec<String> =
                    request.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
                let mut target = format!("{}?{}", request.key, query.join("&"));
                if let Some(range) = request.headers.get("range") {
                    target.push_str(&format!(" range={range}"));
                }
                state.requests.push(format!("{} {target}", request.method));
                state.rule.as_ref().and_then(|rule| rule(number, &request.method, &target))
            };
            let is_head = request.method == "HEAD";
            let answer = match fault {
                Some(Fault::Silence) => stall(stream),
                Some(Fault::Refused(status, code)) => refused(status, code),
                _ => self.state().answer(request),
            };
            if write(stream, answer, fault, is_head).is_none() {
                return;
            }
        }
    }
}

/// Waits until the client closes the connection.
fn stall(mut stream: &TcpStream) -> Answer {
    let _ = stream.read(&mut [0; 1]);
    refused(500, "InternalError")
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut parts = line.split(' ');
    let (method, target) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    });
    Some(Request { method, key: decode(path), query: query.collect(), headers, body })
}

fn write(
    mut stream: &TcpStream,
    mut answer: Answer,
    fault: Option<Fault>,
    is_head: bool,
) -> Option<()> {
    if matches!(fault, Some(Fault::SilenceAfterwards)) {
        stall(stream);
        return None;
    }
    let mut head =
        format!("HTTP/1.1 {} X\r\ncontent-length: {}\r\n", answer.status, answer.body.len());
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    if is_head {
        return Some(());
    }
    match fault {
        Some(Fault::WrongBytes) => answer.body.iter_mut().for_each(|byte| *byte ^= 1),
        Some(Fault::BrokenOff) => {
            let half = answer.body.len() / 2;
            stream.write_all(&answer.body[..half]).ok()?;
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return None;
        }
        _ => {}
    }
    stream.write_all(&answer.body).ok()
}

fn refused(status: u16, code: &str) -> Answer {
    let body =
        format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>no</Message></Error>");
    Answer { status, headers: Vec::new(), body: body.into_bytes() }
}

fn xml(body: String) -> Answer {
    let body = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{body}").into_bytes();
    Answer { status: 200, headers: vec![("content-type", "application/xml".to_owned())], body }
}

impl State {
    fn store(&mut self, name: &str, bytes: Vec<u8>) -> String {
        self.next_tag += 1;
        let tag = format!("\"{}\"", self.next_tag);
        let object = Object { bytes, tag: tag.clone(), modified: Timestamp::now() };
        self.objects.insert(name.to_owned(), object);
        tag
    }

    fn answer(&mut self, request: Request) -> Answer {
        let Some(key) = request.key.strip_prefix(&format!("/{BUCKET}")) else {
            return refused(404, "NoSuchBucket");
        };
        let key = key.trim_start_matches('/').to_owned();
        let upload = request.query.get("uploadId").cloned();
        match (request.method.as_str(), upload) {
            ("GET", _) if request.query.contains_key("list-type") => self.list(&request),
            ("GET" | "HEAD", _) => self.get(&key, &request),
            ("PUT", None) => self.put(&key, request),
            ("POST", None) => {
                self.next_tag += 1;
                let id = self.next_tag.to_string();
                self.uploads.insert(id.clone(), BTreeMap::new());
                xml(format!(
                    "<InitiateMultipartUploadResult><Bucket>{BUCKET}</Bucket><Key>{key}</Key><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                ))
            }
            ("PUT", Some(id)) => {
                let part = request.query["partNumber"].parse().expect("a number");
                self.bytes_in += request.body.len() as u64;
                let Some(parts) = self.uploads.get_mut(&id) else {
                    return refused(404, "NoSuchUpload");
                };
                parts.insert(part, request.body);
                Answer {
                    status: 200,
                    headers: vec![("etag", format!("\"p{part}\""))],
                    body: Vec::new(),
                }
            }
            ("POST", Some(id)) => {
                let Some(parts) = self.uploads.remove(&id) else {
                    return refused(404, "NoSuchUpload");
                };
                let tag = self.store(&key, parts.into_values().flatten().collect());
                xml(format!(
                    "<CompleteMultipartUploadResult><Bucket>{BUCKET}</Bucket><Key>{key}</Key><ETag>{tag}</ETag></CompleteMultipartUploadResult>"
                ))
            }
            ("DELETE", Some(id)) => {
                self.uploads.remove(&id);
                Answer { status: 204, headers: Vec::new(), body: Vec::new() }
            }
            ("DELETE", None) => {
                self.objects.remove(&key);
                Answer { status: 204, headers: Vec::new(), body: Vec::new() }
            }
            _ => refused(405, "MethodNotAllowed"),
        }
    }

    fn put(&mut self, key: &str, request: Request) -> Answer {
        let there = self.objects.get(key).map(|object| &object.tag);
        let exists = request.headers.get("if-none-match").is_some_and(|_any| there.is_some());
        let differs = request.headers.get("if-match").is_some_and(|tag| there != Some(tag));
        if (exists || differs) && !self.ignores_conditions {
            return refused(412, "PreconditionFailed");
        }
        if key.contains("/files/") {
            self.bytes_in += request.body.len() as u64;
        }
        let tag = self.store(key, request.body);
        Answer { status: 200, headers: vec![("etag", tag)], body: Vec::new() }
    }

    fn get(&self, key: &str, request: &Request) -> Answer {
        let Some(object) = self.objects.get(key) else { return refused(404, "NoSuchKey") };
        let modified = object.modified.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let mut headers = vec![("etag", object.tag.clone()), ("last-modified", modified)];
        let range = request.headers.get("range").and_then(|range| {
            let (begin, end) = range.strip_prefix("bytes=")?.split_once('-')?;
            Some((begin.parse::<usize>().ok()?, end.parse::<usize>().ok()?))
        });
        let Some((begin, end)) = range else {
            return Answer { status: 200, headers, body: object.bytes.clone() };
        };
        let end = end.min(object.bytes.len() - 1);
        headers.push(("content-range", format!("bytes {begin}-{end}/{}", object.bytes.len())));
        Answer { status: 206, headers, body: object.bytes[begin..=end].to_vec() }
    }

    fn list(&self, request: &Request) -> Answer {
        let prefix = request.query.get("prefix").map_or("", String::as_str);
        let found = self.objects.iter().filter(|(key, _)| key.starts_with(prefix));
        let contents: String = found
            .map(|(key, object)| {
                format!(
                    "<Contents><Key>{key}</Key><LastModified>{:.0}</LastModified><ETag>{}</ETag><Size>{}</Size></Contents>",
                    object.modified, object.tag, object.bytes.len()
                )
            })
            .collect();
        xml(format!(
            "<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
        ))
    }
}
