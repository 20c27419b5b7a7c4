//! The access log: one line a request, on standard error.
//!
//! A request formats its line by hand into the buffer of its thread, and is done; one thread empties
//! the buffers at least every [`FLUSH_TIME_MAX`]. Where standard error blocks, lines are dropped and
//! counted, and no request waits. In a flush a line may precede one that is up to that time older.
//! A line never holds a key: headers are not logged, and the query string only at level debug.

use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hyper::{Method, StatusCode};

use super::metrics::{self, Metrics, SHARDS};
use crate::json::{push_number, push_or_null, push_string, put};

/// A line is written at most this long after its request.
pub const FLUSH_TIME_MAX: Duration = Duration::from_millis(100);

/// A buffer of this size wakes the writer early.
const WAKE_BYTES: usize = 256 * 1024;

/// How long the two clocks may run apart before they are compared again.
const MOMENT_AGE_MAX: Duration = Duration::from_secs(1);

/// Room for a usual line, so that its parts find it there.
const LINE_BYTES_USUAL: usize = 512;

/// A buffer of this size takes no more lines: 16 MiB in all.
const BUFFER_BYTES_MAX: usize = 1024 * 1024;

/// The form of a line.
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
    /// The connection and the request's place on it: the request id.
    pub id: RequestId,
    pub method: &'a Method,
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub status: StatusCode,
    /// The answer's body in bytes, as sent; not known of one that is written while it is sent.
    pub bytes: Option<usize>,
    /// When the answer was ready for sending.
    pub ended: Instant,
    /// From the end of the request until then.
    pub took: Duration,
    pub api_version: &'static str,
    pub account: Option<&'a str>,
    pub remote: &'a str,
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

/// The log. Dropping the last handle writes what is buffered and ends the thread.
#[derive(Debug)]
pub struct AccessLog {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    config: AccessLogConfig,
    buffers: Box<[Mutex<Buffer>]>,
    wake: Mutex<Wake>,
    woken: Condvar,
    metrics: Arc<Metrics>,
}

#[derive(Debug, Default)]
struct Wake {
    early: bool,
    stop: bool,
}

/// Lines not yet written, and the text of the current second.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Buffer {
    lines: Vec<u8>,
    /// One moment by both clocks, so that a line need not ask the clock on the wall.
    moment: Option<(Instant, Duration)>,
    second: u64,
    /// `2026-11-20T23:55:48`, of `second`.
    second_text: String,
}

impl AccessLog {
    /// Starts the thread that writes to `sink`.
    pub fn start(
        config: AccessLogConfig,
        metrics: Arc<Metrics>,
        sink: impl Write + Send + 'static,
    ) -> std::io::Result<AccessLog> {
        let shared = Arc::new(Shared {
            config,
            buffers: (0..SHARDS).map(|_| Mutex::default()).collect(),
            wake: Mutex::default(),
            woken: Condvar::new(),
            metrics,
        });
        let thread = std::thread::Builder::new().name("access-log".to_owned());
        let writer = thread.spawn({
            let shared = shared.clone();
            move || shared.write_until_stopped(sink)
        })?;
        Ok(AccessLog { shared, writer: Some(writer) })
    }

    /// Adds a line to the buffer of this thread. Never waits for standard error.
    pub fn push(&self, line: &Line<'_>) {
        let mut buffer = lock(&self.shared.buffers[metrics::shard()]);
        let before = buffer.lines.len();
        if before >= BUFFER_BYTES_MAX {
            self.shared.metrics.log_lines_dropped.fetch_add(1, Relaxed);
            return;
        }
        buffer.push(line, self.shared.config);
        if before < WAKE_BYTES && buffer.lines.len() >= WAKE_BYTES {
            drop(buffer);
            lock(&self.shared.wake).early = true;
            self.shared.woken.notify_one();
        }
    }
}

impl Drop for AccessLog {
    fn drop(&mut self) {
        lock(&self.shared.wake).stop = true;
        self.shared.woken.notify_one();
        if let Some(writer) = self.writer.take() {
            // The thread has no panic of its own to report; a sink's is not worth one more here.
            let _ = writer.join();
        }
    }
}

impl Shared {
    fn write_until_stopped(&self, mut sink: impl Write) {
        let mut batch = Vec::new();
        loop {
            let mut wake = lock(&self.wake);
            if !wake.early && !wake.stop {
                let waited = self.woken.wait_timeout(wake, FLUSH_TIME_MAX);
                wake = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            wake.early = false;
            let stop = wake.stop;
            drop(wake);
            for buffer in &self.buffers {
                std::mem::swap(&mut lock(buffer).lines, &mut batch);
                // Standard error that is closed or full has nobody to be told of it.
                let _ = sink.write_all(&batch);
                batch.clear();
            }
            let _ = sink.flush();
            if stop {
                return;
            }
        }
    }
}

/// Locks; a panic elsewhere leaves at worst half a line.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Buffer {
    fn push(&mut self, line: &Line<'_>, config: AccessLogConfig) {
        let since = self.since_epoch(line.ended);
        if since.as_secs() != self.second || self.second_text.is_empty() {
            self.second = since.as_secs();
            self.second_text = second_text(self.second);
        }
        let query = line.query.filter(|_| config.with_query);
        self.lines.reserve(LINE_BYTES_USUAL);
        match config.format {
            LogFormat::Json => self.push_json(line, query, since.subsec_millis()),
            LogFormat::Text => self.push_text(line, query, since.subsec_millis()),
        }
    }

    /// The time on the wall at an instant. The two clocks are compared once in [`MOMENT_AGE_MAX`].
    fn since_epoch(&mut self, instant: Instant) -> Duration {
        if let Some((then, since)) = self.moment
            && let Some(passed) = instant.checked_duration_since(then)
            && passed < MOMENT_AGE_MAX
        {
            return since + passed;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.moment = Some((Instant::now(), since));
        since
    }

    fn push_json(&mut self, line: &Line<'_>, query: Option<&str>, millis: u32) {
        let out = &mut self.lines;
        put(out, &["{\"timestamp\":\"", &self.second_text]);
        put_millis(out, millis);
        put(out, &["\",\"level\":\"INFO\",\"message\":\"request\",\"id\":\""]);
        put_id(out, line.id);
        // A method is a token: it holds nothing that JSON escapes.
        put(out, &["\",\"method\":\"", line.method.as_str(), "\",\"path\":"]);
        push_string(out, line.path);
        if let Some(query) = query {
            put(out, &[",\"query\":"]);
            push_string(out, query);
        }
        put(out, &[",\"status\":", line.status.as_str(), ",\"bytes\":"]);
        put_bytes(out, line.bytes, "null");
        put(out, &[",\"duration_us\":"]);
        push_number(out, micros(line.took));
        put(out, &[",\"api_version\":\"", line.api_version, "\",\"account\":"]);
        push_or_null(out, line.account);
        put(out, &[",\"remote\":\"", line.remote, "\"}\n"]);
    }

    fn push_text(&mut self, line: &Line<'_>, query: Option<&str>, millis: u32) {
        let out = &mut self.lines;
        put(out, &[&self.second_text]);
        put_millis(out, millis);
        put(out, &[" ", line.status.as_str(), " ", line.method.as_str(), " "]);
        // A target holds neither spaces nor control characters: hyper refuses them.
        put(out, &[line.path]);
        if let Some(query) = query {
            put(out, &["?", query]);
        }
        put(out, &[" "]);
        put_bytes(out, line.bytes, "-");
        put(out, &["B "]);
        push_number(out, micros(line.took));
        put(out, &["us api=", line.api_version, " account="]);
        match line.account {
            Some(account) => push_string(out, account),
            None => put(out, &["-"]),
        }
        put(out, &[" remote=", line.remote, " id="]);
        put_id(out, line.id);
        put(out, &["\n"]);
    }
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

/// As [`RequestId`] displays, without the machinery of formatting.
fn put_id(out: &mut Vec<u8>, id: RequestId) {
    let nibbles = (u64::BITS - id.connection.leading_zeros()).div_ceil(4).max(1);
    for nibble in (0..nibbles).rev() {
        out.push(b"0123456789abcdef"[(id.connection >> (4 * nibble) & 15) as usize]);
    }
    put(out, &["-"]);
    push_number(out, id.request.into());
}

fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

fn second_text(second: u64) -> String {
    let second = i64::try_from(second).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_second(second).unwrap_or(jiff::Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn line() -> Line<'static> {
        Line {
            id: RequestId { connection: 47, request: 3 },
            method: &Method::GET,
            path: "/v1/postalcode/1000001",
            query: Some("version=2026-05-29"),
            status: StatusCode::OK,
            bytes: Some(1034),
            ended: Instant::now(),
            took: Duration::from_nanos(12_900),
            api_version: "2026-08-01",
            account: Some("demo \"shop\""),
            remote: "127.0.0.1",
        }
    }

    fn text(config: AccessLogConfig) -> String {
        let line = line();
        let since = Duration::from_millis(1_795_132_548_007);
        let mut buffer = Buffer { moment: Some((line.ended, since)), ..Buffer::default() };
        buffer.push(&line, config);
        String::from_utf8(buffer.lines).expect("text")
    }

    #[test]
    fn a_json_line_is_one_object() {
        let config = AccessLogConfig { format: LogFormat::Json, with_query: false };
        assert_eq!(
            text(config),
            "{\"timestamp\":\"2026-11-19T23:55:48.007Z\",\"level\":\"INFO\",\"message\":\"request\",\
             \"id\":\"2f-3\",\"method\":\"GET\",\"path\":\"/v1/postalcode/1000001\",\"status\":200,\"bytes\":1034,\"duration_us\":12,\
             \"api_version\":\"2026-08-01\",\"account\":\"demo \\\"shop\\\"\",\"remote\":\"127.0.0.1\"}\n"
        );
        let with_query = text(AccessLogConfig { with_query: true, ..config });
        let value: serde_json::Value = serde_json::from_str(&with_query).expect("JSON");
        assert_eq!(value["query"], "version=2026-05-29");
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
             api=2026-08-01 account=\"demo \\\"shop\\\"\" remote=127.0.0.1 id=2f-3\n"
        );
    }

    /// A sink that hands every write over and blocks until it is taken.
    struct Blocking(mpsc::SyncSender<Vec<u8>>);

    impl Write for Blocking {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(|_gone| std::io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_blocked_sink_costs_lines_and_not_requests() {
        let metrics = Arc::new(Metrics::over(Vec::new()));
        let (sender, receiver) = mpsc::sync_channel(0);
        let config = AccessLogConfig { format: LogFormat::Json, with_query: false };
        let log =
            AccessLog::start(config, metrics.clone(), Blocking(sender)).expect("a thread starts");
        let length = text(config).len();
        let pushed = 3 * BUFFER_BYTES_MAX / length;
        for _ in 0..pushed {
            log.push(&line());
        }
        let drain = std::thread::spawn(move || receiver.iter().flatten().count());
        drop(log);
        let written = drain.join().expect("drained") / length;
        let dropped = metrics.log_lines_dropped.load(Relaxed);
        assert!(dropped > 0, "nothing was dropped");
        assert_eq!(written as u64 + dropped, pushed as u64);
    }

    #[test]
    fn dropping_the_log_writes_what_is_buffered() {
        let (sender, receiver) = mpsc::sync_channel(100);
        let config = AccessLogConfig { format: LogFormat::Text, with_query: false };
        let log = AccessLog::start(config, Arc::new(Metrics::over(Vec::new())), Blocking(sender))
            .expect("starts");
        std::thread::scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| log.push(&line()));
            }
        });
        drop(log);
        let written: Vec<u8> = receiver.iter().flatten().collect();
        assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 5);
    }
}
