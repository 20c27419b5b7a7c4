//! A server in this process over the sample data, and requests to it over its socket.
//!
//! Every request uses a new connection and HTTP/1.0, so the response ends when the connection does.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

use clap::Parser;
use daicho::cli::Args;

/// A running server with the sample data and an account that has all rights.
pub struct SampleServer {
    /// The folder with the snapshots of the sample data.
    pub snapshots: PathBuf,
    address: String,
    key: String,
}

pub struct Response {
    pub status: u16,
    /// Empty without a header of this name.
    pub content_type: String,
    pub body: Vec<u8>,
}

pub static SERVER: LazyLock<SampleServer> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    let (snapshots, state) = (folder.join("snapshots"), folder.join("daicho.db"));
    let (snapshots_name, state) = (path_text(&snapshots), path_text(&state));
    command(&["build", "sample", "--out", &snapshots_name]);
    command(&["account", "create", "fuzz", "--plan", "enterprise", "--batch", "--state", &state]);
    let key = ["key", "create", "--account", "fuzz", "--kind", "secret", "--json"];
    let key = command(&[&key[..], &["--state", &state]].concat());
    let key: serde_json::Value = serde_json::from_slice(&key).expect("a key as JSON");
    let key = key["key"].as_str().expect("the text of a key").to_owned();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--query-grouping"];
    let compat = ["--compat", "all", "--compat-account", "fuzz"];
    let serve =
        [&serve[..], &compat, &["--snapshots", &snapshots_name, "--state", &state]].concat();
    SampleServer { snapshots, address: start(&serve), key }
});

fn path_text(path: &std::path::Path) -> String {
    path.to_str().expect("temporary folders have plain names").to_owned()
}

/// Runs a command of the program in this process and returns what it prints.
pub fn try_command(arguments: &[&str]) -> Result<Vec<u8>, String> {
    let arguments = ["daicho"].iter().chain(arguments);
    let args = Args::try_parse_from(arguments).map_err(|error| error.to_string())?;
    let mut printed = Vec::new();
    args.run(&mut printed).map_err(|error| error.to_string())?;
    Ok(printed)
}

fn command(arguments: &[&str]) -> Vec<u8> {
    try_command(arguments).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

/// Starts the server on its own thread and returns its address.
fn start(arguments: &[&str]) -> String {
    let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
    let (sender, printed) = mpsc::channel();
    thread::spawn(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let args = Args::try_parse_from(["daicho"].iter().chain(&arguments));
        let result = args
            .expect("these options are known")
            .run(&mut StdoutChannel { text: Vec::new(), sender });
        panic!("the server ended: {:?}", result.map_err(|error| error.to_string()));
    });
    let printed = printed.recv().expect("the server prints its address");
    let address = printed.split("http://").nth(1).and_then(|rest| rest.lines().next());
    address.expect("the server prints its address").to_owned()
}

/// Sends the printed text of the server to a channel at each flush.
struct StdoutChannel {
    text: Vec<u8>,
    sender: mpsc::Sender<String>,
}

impl Write for StdoutChannel {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.text).into_owned();
        self.sender.send(text).map_err(io::Error::other)
    }
}

impl SampleServer {
    pub fn get(&self, target: &str) -> Response {
        self.request("GET", target, b"")
    }

    pub fn request(&self, method: &str, target: &str, body: &[u8]) -> Response {
        self.request_with(method, target, "", body)
    }

    /// Sends a request with the key of an account with all rights, and these header lines, each with its line end.
    pub fn request_with(&self, method: &str, target: &str, lines: &str, body: &[u8]) -> Response {
        let (key, length) = (&self.key, body.len());
        let head = format!(
            "{method} {target} HTTP/1.0\r\nHost: daicho\r\nAuthorization: Token {key}\r\n\
             {lines}Content-Length: {length}\r\n\r\n"
        );
        let mut stream = TcpStream::connect(&self.address).expect("the server accepts");
        stream.set_read_timeout(Some(TIME_MAX)).expect("the time is not zero");
        let mut response = Vec::new();
        let sent = stream.write_all(&[head.as_bytes(), body].concat());
        let received = stream.read_to_end(&mut response);
        sent.and(received.map(|_length| ())).expect("the server answers");
        let (head, body) = split(&response).expect("a response has a head");
        let head = std::str::from_utf8(head).expect("a head is text").to_ascii_lowercase();
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        let content_type = head.lines().find_map(|line| line.strip_prefix("content-type: "));
        Response {
            status: status.expect("a response has a status"),
            content_type: content_type.unwrap_or_default().to_owned(),
            body: body.to_vec(),
        }
    }

    /// Sends these bytes and returns all bytes of the response. If the server waits for more, ends the sending side.
    pub fn send(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        // Ignore write errors: the server may answer and close before it has read everything.
        drop(stream.write_all(bytes));
        let mut response = Vec::new();
        stream.set_read_timeout(Some(RESPONSE_START_MAX))?;
        if stream
            .read_to_end(&mut response)
            .is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
        {
            drop(stream.shutdown(Shutdown::Write));
            stream.set_read_timeout(Some(TIME_MAX))?;
            stream.read_to_end(&mut response).or_else(reset_as_end)?;
        }
        Ok(response)
    }
}

/// Treats a reset connection as the end of the response.
fn reset_as_end(error: io::Error) -> io::Result<usize> {
    if error.kind() == io::ErrorKind::ConnectionReset { Ok(0) } else { Err(error) }
}

/// A response begins within this time; otherwise the server waits for more bytes.
const RESPONSE_START_MAX: Duration = Duration::from_millis(20);
/// A response is complete within this time.
const TIME_MAX: Duration = Duration::from_secs(20);

/// The head and the body of a response.
fn split(response: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = response.windows(4).position(|part| part == b"\r\n\r\n")?;
    Some((&response[..end], &response[end + 4..]))
}

impl Response {
    /// The body as JSON. Panics if it is not JSON or if the status is 500 or above.
    pub fn json(&self, request: &dyn std::fmt::Debug) -> serde_json::Value {
        let text = String::from_utf8_lossy(&self.body);
        assert!(self.status < 500, "{request:?}: {} {text}", self.status);
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{request:?}: no JSON: {error}: {text}"))
    }
}

/// A text for a query string, with every byte percent-encoded.
pub fn percent_encoded(text: &[u8]) -> String {
    text.iter().map(|byte| format!("%{byte:02X}")).collect()
}
