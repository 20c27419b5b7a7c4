//! The access log: one line a request, on standard error.
//!
//! A request formats its line by hand into the buffer of its thread; [`LogQueue`] writes it. Past a rate, requests
//! without a valid key are sampled ([`LogSample`](super::log_queue::LogSample)). No line holds a key, only its id: of the
//! headers a line has `User-Agent` and `traceparent`, the query string only at level debug, and a key in any of these,
//! in the path or in the method is cut to its label. Method and path are cut too: they may have 64 KiB.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::{Method, StatusCode};
use jiff::Timestamp;
use percent_encoding::{CONTROLS, percent_encode, utf8_percent_encode};

use super::log_queue::{Buffer, LogQueue};
use super::trace_context::TraceParent;
use crate::json::{push_number, push_or_null, push_string, put};
use crate::text::key_mask::mask_keys;

/// Most bytes of a `User-Agent` in a line; those of browsers have half as many.
const USER_AGENT_BYTES_MAX: usize = 256;

/// Most bytes of a method or a path in a line, before they are encoded.
const PART_BYTES_MAX: usize = 200;

/// Initial capacity; a usual line fits.
const LINE_BYTES_USUAL: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line, for programs; each has timestamp, level and message.
    Json,
    /// Words in a row, for people.
    Text,
}

#[derive(Debug, Clone, Copy)]
pub struct AccessLogConfig {
    pub format: LogFormat,
    pub with_query: bool,
}

#[derive(Debug)]
pub struct Line<'a> {
    pub id: RequestId,
    pub method: &'a Method,
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub status: StatusCode,
    /// Bytes of the answer's body as sent; `None` if it is streamed.
    pub bytes: Option<usize>,
    /// When the answer was ready for sending.
    pub ended: Instant,
    /// The same by the clock, since 1970.
    pub ended_at: Duration,
    /// From the complete request head until `ended`.
    pub duration: Duration,
    pub api_version: &'static str,
    pub caller: Option<&'a KnownCaller>,
    /// The client's address.
    pub remote: &'a str,
    pub user_agent: Option<&'a [u8]>,
    pub trace: Option<TraceParent>,
}

/// Who made a request, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownCaller {
    /// The name of the account.
    pub account: Arc<str>,
    /// The id of the key; `None` for a session of the dashboard.
    pub key: Option<i64>,
}

/// Names a request within the life of a server: `2f-3` is the third on connection 47.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId {
    pub connection: u64,
    /// The request's number on it, from 1.
    pub request: u32,
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x}-{}", self.connection, self.request)
    }
}

#[derive(Debug)]
pub struct AccessLog {
    pub config: AccessLogConfig,
    pub queue: LogQueue,
}

impl AccessLog {
    /// Adds a line to the buffer of this thread, unless the sample omits it.
    pub fn push(&self, line: &Line<'_>) {
        let push = || self.queue.push(|buffer| push_line(buffer, line, self.config));
        match line.caller {
            Some(_) => drop(push()),
            None => self.queue.sample().push(line.ended, push),
        }
    }
}

fn push_line(buffer: &mut Buffer, line: &Line<'_>, config: AccessLogConfig) {
    let query = line.query.filter(|_| config.with_query);
    let second = buffer.second.get(line.ended_at.as_secs(), second_text);
    let millis = line.ended_at.subsec_millis();
    let out = &mut buffer.lines;
    out.reserve(LINE_BYTES_USUAL);
    match config.format {
        LogFormat::Json => push_json(out, line, query, (second, millis)),
        LogFormat::Text => push_text(out, line, query, (second, millis)),
    }
}

fn second_text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

fn push_json(out: &mut Vec<u8>, line: &Line<'_>, query: Option<&str>, time: (&str, u32)) {
    // Each fixed text is appended by itself, which takes a few instructions and no call.
    out.extend_from_slice(b"{\"timestamp\":\"");
    out.extend_from_slice(time.0.as_bytes());
    put_millis(out, time.1);
    out.extend_from_slice(b"\",\"level\":\"INFO\",\"message\":\"request\",\"id\":\"");
    put_id(out, line.id);
    out.extend_from_slice(b"\",\"method\":\"");
    // A method is a token: it holds nothing that JSON escapes.
    put_method(out, line.method);
    out.extend_from_slice(b"\",\"path\":");
    push_path(out, line.path);
    if let Some(query) = query {
        out.extend_from_slice(b",\"query\":");
        push_string(out, &mask_keys(&ascii(query)));
    }
    out.extend_from_slice(b",\"status\":");
    out.extend_from_slice(line.status.as_str().as_bytes());
    out.extend_from_slice(b",\"bytes\":");
    put_bytes(out, line.bytes, "null");
    out.extend_from_slice(b",\"duration_us\":");
    push_number(out, micros(line.duration));
    out.extend_from_slice(b",\"api_version\":\"");
    out.extend_from_slice(line.api_version.as_bytes());
    out.extend_from_slice(b"\",\"account\":");
    push_or_null(out, line.caller.map(|caller| &*caller.account));
    if let Some(key) = line.caller.and_then(|caller| caller.key) {
        put(out, &[",\"key\":", itoa::Buffer::new().format(key)]);
    }
    out.extend_from_slice(b",\"remote\":\"");
    out.extend_from_slice(line.remote.as_bytes());
    out.push(b'"');
    if let Some(agent) = line.user_agent {
        out.extend_from_slice(b",\"user_agent\":");
        push_string(out, &mask_keys(&user_agent(agent)));
    }
    if let Some(trace) = &line.trace {
        put(out, &[",\"traceparent\":\"", trace.as_str(), "\""]);
    }
    out.extend_from_slice(b"}\n");
}

fn push_text(out: &mut Vec<u8>, line: &Line<'_>, query: Option<&str>, time: (&str, u32)) {
    put(out, &[time.0]);
    put_millis(out, time.1);
    put(out, &[" ", line.status.as_str(), " "]);
    put_method(out, line.method);
    put(out, &[" ", &part(line.path)]);
    if let Some(query) = query {
        put(out, &["?", &mask_keys(&ascii(query))]);
    }
    put(out, &[" "]);
    put_bytes(out, line.bytes, "-");
    put(out, &["B "]);
    push_number(out, micros(line.duration));
    put(out, &["us api=", line.api_version, " account="]);
    match line.caller {
        Some(caller) => push_string(out, &caller.account),
        None => put(out, &["-"]),
    }
    if let Some(key) = line.caller.and_then(|caller| caller.key) {
        put(out, &[" key=", itoa::Buffer::new().format(key)]);
    }
    put(out, &[" remote=", line.remote, " id="]);
    put_id(out, line.id);
    if let Some(agent) = line.user_agent {
        put(out, &[" user_agent="]);
        push_string(out, &mask_keys(&user_agent(agent)));
    }
    if let Some(trace) = &line.trace {
        put(out, &[" traceparent=", trace.as_str()]);
    }
    put(out, &["\n"]);
}

/// The beginning of a `User-Agent`, in ASCII without control characters.
fn user_agent(value: &[u8]) -> Cow<'_, str> {
    let (start, is_cut) = match value.get(..USER_AGENT_BYTES_MAX) {
        Some(start) if start.len() < value.len() => (start, true),
        _ => (value, false),
    };
    if !is_cut && let Ok(text) = str::from_utf8(start) {
        let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if is_plain {
            return Cow::Borrowed(text);
        }
    }
    let encoded = percent_encode(start, CONTROLS).to_string();
    Cow::Owned(if is_cut { encoded + "..." } else { encoded })
}

fn put_method(out: &mut Vec<u8>, method: &Method) {
    match *method {
        // Nearly every request.
        Method::GET => out.extend_from_slice(b"GET"),
        Method::POST => out.extend_from_slice(b"POST"),
        _ => out.extend_from_slice(part(method.as_str()).as_bytes()),
    }
}

/// The bytes of usual paths. JSON escapes none of them, and a key has another one: its underscore, plain or encoded.
const BARE: [bool; 256] = {
    let mut bare = [false; 256];
    let mut byte = 0;
    while byte < bare.len() {
        bare[byte] =
            matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.');
        byte += 1;
    }
    bare
};

/// Appends a path as a JSON string. One look at each byte of a usual path takes less than a search for each of what
/// others may have.
fn push_path(out: &mut Vec<u8>, path: &str) {
    if path.len() > PART_BYTES_MAX || !path.bytes().all(|byte| BARE[usize::from(byte)]) {
        return push_string(out, &part(path));
    }
    out.push(b'"');
    out.extend_from_slice(path.as_bytes());
    out.push(b'"');
}

/// The beginning of a method or a path, in ASCII, without keys. Cut first: a key that is cut is masked as well.
fn part(text: &str) -> Cow<'_, str> {
    if text.len() <= PART_BYTES_MAX && text.is_ascii() {
        return mask_keys(text);
    }
    let end = (0..=PART_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end));
    let start = &text[..end.unwrap_or_default()];
    let is_cut = start.len() < text.len();
    let encoded = ascii(start);
    let masked = mask_keys(&encoded);
    Cow::Owned(format!("{masked}{}", if is_cut { "..." } else { "" }))
}

/// A part of a target with everything but ASCII percent-encoded. hyper refuses spaces and the control characters of
/// ASCII, but not those beyond it, which a terminal would obey.
fn ascii(target: &str) -> Cow<'_, str> {
    // Nearly every target; this check costs less than the encoder.
    if target.is_ascii() {
        return Cow::Borrowed(target);
    }
    utf8_percent_encode(target, CONTROLS).into()
}

fn put_bytes(out: &mut Vec<u8>, bytes: Option<usize>, unknown: &str) {
    match bytes {
        Some(bytes) => push_number(out, bytes as u64),
        None => put(out, &[unknown]),
    }
}

fn put_millis(out: &mut Vec<u8>, millis: u32) {
    let digit = |unit: u32| b'0' + u8::try_from(millis / unit % 10).expect("one digit");
    out.extend_from_slice(&[b'.', digit(100), digit(10), digit(1), b'Z']);
}

/// Same text as `Display` of [`RequestId`], without the cost of `fmt`.
fn put_id(out: &mut Vec<u8>, id: RequestId) {
    let nibbles = (u64::BITS - id.connection.leading_zeros()).div_ceil(4).max(1);
    for nibble in (0..nibbles).rev() {
        out.push(b"0123456789abcdef"[(id.connection >> (4 * nibble) & 15) as usize]);
    }
    put(out, &["-"]);
    push_number(out, id.request.into());
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{LazyLock, Mutex};

    use super::*;
    use crate::server::log_queue::LogSample;

    static CALLER: LazyLock<KnownCaller> =
        LazyLock::new(|| KnownCaller { account: "demo \"shop\"".into(), key: Some(7) });

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_user_agent_is_bounded_and_in_ascii() {
        for (value, expected) in [
            (&b"Mozilla/5.0 (X11)"[..], "Mozilla/5.0 (X11)".to_owned()),
            ("\u{9b}31m京".as_bytes(), "%C2%9B31m%E4%BA%AC".to_owned()),
            (b"a\tb\xff", "a%09b%FF".to_owned()),
            (b"", String::new()),
            (&[b'a'; 256], "a".repeat(256)),
            (&[b'a'; 257], "a".repeat(256) + "..."),
        ] {
            assert_eq!(user_agent(value), expected);
        }
    }

    fn line() -> Line<'static> {
        Line {
            id: RequestId { connection: 47, request: 3 },
            method: &Method::GET,
            path: "/v1/postalcode/1000001",
            query: Some("version=2026-05-29"),
            status: StatusCode::OK,
            bytes: Some(1034),
            ended: Instant::now(),
            ended_at: Duration::from_millis(1_795_132_548_007),
            duration: Duration::from_nanos(12_900),
            api_version: "2026-08-01",
            caller: Some(&CALLER),
            remote: "127.0.0.1",
            user_agent: Some(b"curl/8.5 \"x\""),
            trace: TraceParent::parse(TRACE.as_bytes()),
        }
    }

    fn text(config: AccessLogConfig) -> String {
        let line = line();
        let mut buffer = Buffer::default();
        push_line(&mut buffer, &line, config);
        String::from_utf8(buffer.lines).expect("text")
    }

    #[test]
    fn a_json_line_is_one_object() {
        let config = AccessLogConfig { format: LogFormat::Json, with_query: false };
        assert_eq!(
            text(config),
            "{\"timestamp\":\"2026-11-19T23:55:48.007Z\",\"level\":\"INFO\",\"message\":\"request\",\
             \"id\":\"2f-3\",\"method\":\"GET\",\"path\":\"/v1/postalcode/1000001\",\"status\":200,\"bytes\":1034,\"duration_us\":12,\
             \"api_version\":\"2026-08-01\",\"account\":\"demo \\\"shop\\\"\",\"key\":7,\"remote\":\"127.0.0.1\",\
             \"user_agent\":\"curl/8.5 \\\"x\\\"\",\
             \"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"}\n"
        );
        let with_query = text(AccessLogConfig { with_query: true, ..config });
        let value: serde_json::Value = serde_json::from_str(&with_query).expect("JSON");
        assert_eq!(value["query"], "version=2026-05-29");
    }

    #[test]
    fn a_key_in_path_or_query_is_cut_to_its_label() {
        const LETTERS: &str = "qeayeaudaocajbifqydiob4ibceqtutt4soy";
        let path = format!("/v1/dk_sec_aaa{LETTERS}");
        let query = format!("key=dk%5Fpub%5faaa{LETTERS}&q=1");
        let line = Line { path: &path, query: Some(&query), ..line() };
        for format in [LogFormat::Json, LogFormat::Text] {
            let mut buffer = Buffer::default();
            push_line(&mut buffer, &line, AccessLogConfig { format, with_query: true });
            let text = String::from_utf8(buffer.lines).expect("text");
            assert!(!text.contains(&LETTERS[1..]), "{text}");
            assert!(text.contains("/v1/dk_sec_aaaq…"), "{text}");
            assert!(text.contains("key=dk%5Fpub%5faaaq…&q=1"), "{text}");
        }
    }

    #[test]
    fn method_and_path_are_masked_and_cut() {
        const LETTERS: &str = "qeayeaudaocajbifqydiob4ibceqtutt4soy";
        let method: Method = format!("dk_sec_aaa{LETTERS}").parse().expect("a token");
        let long: Method = "M".repeat(300).parse().expect("a token");
        let (at_end, wide) = (format!("/{}dk_sec_aaa{LETTERS}", "a".repeat(180)), "/é".repeat(100));
        for (method, path, expected) in [
            (&method, "/", ["dk_sec_aaaq…".to_owned(), "/".to_owned()]),
            (&long, "/", ["M".repeat(200) + "...", "/".to_owned()]),
            (
                &Method::GET,
                &at_end,
                ["GET".to_owned(), format!("/{}dk_sec_aaaq…...", "a".repeat(180))],
            ),
            (&Method::GET, &wide, ["GET".to_owned(), "/%C3%A9".repeat(66) + "/..."]),
        ] {
            let line = Line { method, path, ..line() };
            let config = AccessLogConfig { format: LogFormat::Json, with_query: false };
            let mut buffer = Buffer::default();
            push_line(&mut buffer, &line, config);
            let value: serde_json::Value = serde_json::from_slice(&buffer.lines).expect("JSON");
            assert_eq!([&value["method"], &value["path"]], [&expected[0], &expected[1]]);
            buffer.lines.clear();
            push_line(&mut buffer, &line, AccessLogConfig { format: LogFormat::Text, ..config });
            let text = String::from_utf8(buffer.lines).expect("text");
            assert!(text.contains(&expected.join(" ")), "{text}");
        }
    }

    #[test]
    fn usual_methods_and_paths_are_written_as_all_others() {
        for path in [
            "",
            "/",
            "/v1/postalcode/1000001",
            "/v1/download/postalcode/latest/kenall.json.xz",
            "/v1/houjinbangou/radar/corporate_numbers",
            "/v1/bank/a\"b",
            "/%E4%BA%AC",
            "/京",
            "*",
            &"/a".repeat(100),
            &"/a".repeat(101),
        ] {
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            push_path(&mut found, path);
            push_string(&mut expected, &part(path));
            assert_eq!(found, expected, "{path}");
        }
        for method in [Method::GET, Method::POST, Method::HEAD, Method::OPTIONS] {
            let mut found = Vec::new();
            put_method(&mut found, &method);
            assert_eq!(found, method.as_str().as_bytes());
        }
    }

    #[test]
    fn a_target_is_logged_in_ascii() {
        // U+009B begins an escape sequence.
        let line = Line { path: "/\u{9b}31m/京", query: Some("q=\u{85}é"), ..line() };
        for format in [LogFormat::Json, LogFormat::Text] {
            let mut buffer = Buffer::default();
            push_line(&mut buffer, &line, AccessLogConfig { format, with_query: true });
            let text = String::from_utf8(buffer.lines).expect("text");
            assert!(text.is_ascii(), "{text:?}");
            assert!(text.contains("/%C2%9B31m/%E4%BA%AC"), "{text}");
            assert!(text.contains("q=%C2%85%C3%A9"), "{text}");
        }
    }

    #[test]
    fn an_id_is_written_as_it_displays() {
        for (connection, request) in [(0, 0), (1, 9), (15, 10), (16, 1), (u64::MAX, u32::MAX)] {
            let id = RequestId { connection, request };
            let mut out = Vec::new();
            put_id(&mut out, id);
            assert_eq!(String::from_utf8(out), Ok(id.to_string()));
        }
    }

    #[test]
    fn a_text_line_reads_from_left_to_right() {
        assert_eq!(
            text(AccessLogConfig { format: LogFormat::Text, with_query: true }),
            "2026-11-19T23:55:48.007Z 200 GET /v1/postalcode/1000001?version=2026-05-29 1034B 12us \
             api=2026-08-01 account=\"demo \\\"shop\\\"\" key=7 remote=127.0.0.1 id=2f-3 \
             user_agent=\"curl/8.5 \\\"x\\\"\" \
             traceparent=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n"
        );
    }

    #[test]
    fn requests_of_accounts_are_logged_and_others_sampled() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let sink = MemorySink(Arc::clone(&written));
        let queue = LogQueue::start(LogSample::above(3), sink).expect("starts");
        let config = AccessLogConfig { format: LogFormat::Text, with_query: false };
        let log = AccessLog { config, queue };
        let unknown = Line { caller: None, ..line() };
        (0..20).for_each(|_| log.push(&unknown));
        (0..20).for_each(|_| log.push(&line()));
        assert!(log.queue.finish(Duration::from_secs(30)));
        let text = String::from_utf8(written.lock().expect("sound").clone()).expect("text");
        assert_eq!(text.matches("account=\"demo").count(), 20, "{text}");
        assert_eq!(text.matches("account=-").count(), 3, "{text}");
        assert_eq!(log.queue.sample().left_out(), 17);
    }

    struct MemorySink(Arc<Mutex<Vec<u8>>>);

    impl Write for MemorySink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("sound").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
}
