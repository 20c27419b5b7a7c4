//! Queue of log lines to standard error: access lines and events alike.
//!
//! A logging thread adds a line to its own buffer and continues. One thread writes: at once for an event, else at
//! least every [`FLUSH_TIME_MAX`]. While standard error accepts nothing, lines are dropped and counted; write
//! errors are counted and otherwise ignored. Only the writing thread blocks on standard error, never an answer or
//! the end of the process: see [`LogQueue::finish`]. Within a flush a line may precede one that is up to
//! [`FLUSH_TIME_MAX`] older.
//!
//! Anybody can send requests without a valid key, and make their lines long. So past a rate of lines or bytes
//! [`LogSample`] lets only a sample be logged, up to a limit, and counts the others. Requests of an account are limited by
//! its quota and are all logged.

use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use tracing_subscriber::fmt::MakeWriter;

use super::metrics::{self, SHARDS, plain_counter};
use super::wall_clock::SecondCache;
use crate::text::printable::printable_event;

/// A line is written at most this long after its request.
pub const FLUSH_TIME_MAX: Duration = Duration::from_millis(100);

/// A buffer of this size wakes the writer before its next flush.
const WAKE_BYTES: usize = 256 * 1024;

/// A buffer of this size takes no more lines: 16 MiB in all.
pub(super) const BUFFER_BYTES_MAX: usize = 1024 * 1024;

/// Minimum interval between reports of dropped or omitted lines.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Pause after standard error returned "would block", as a shared terminal may.
const BLOCKED_PAUSE: Duration = Duration::from_millis(10);

/// A handle; all clones share one queue.
#[derive(Debug, Clone)]
pub struct LogQueue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    buffers: Box<[Mutex<Buffer>]>,
    /// Has room for one signal: more would not wake the writer sooner.
    wake: SyncSender<()>,
    stop: AtomicBool,
    /// Disconnected once the writer has ended.
    ended: Mutex<Receiver<()>>,
    sample: LogSample,
    dropped: AtomicU64,
    errors: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Buffer {
    pub lines: Vec<u8>,
    /// The text of the second, such as `2026-11-20T23:55:48`.
    pub second: SecondCache<String>,
}

impl LogQueue {
    pub fn start(
        sample: LogSample,
        sink: impl Write + Send + 'static,
    ) -> std::io::Result<LogQueue> {
        let (wake, woken) = sync_channel(1);
        let (end, ended) = sync_channel(0);
        let shared = Arc::new(Shared {
            buffers: (0..SHARDS).map(|_| Mutex::default()).collect(),
            wake,
            stop: AtomicBool::new(false),
            ended: Mutex::new(ended),
            sample,
            dropped: AtomicU64::new(0),
            errors: AtomicU64::new(0),
        });
        let writer = Arc::clone(&shared);
        let thread = thread::Builder::new().name("log".to_owned());
        thread.spawn(move || {
            let _end = end;
            writer.write_until_stopped(sink, &woken);
        })?;
        Ok(LogQueue(shared))
    }

    /// Calls `write` to append one line to the buffer of this thread, and returns its bytes: 0 if it is dropped. Never
    /// waits for standard error.
    pub fn push(&self, write: impl FnOnce(&mut Buffer)) -> usize {
        let mut buffer = lock(&self.0.buffers[metrics::shard()]);
        let before = buffer.lines.len();
        if before >= BUFFER_BYTES_MAX {
            self.0.dropped.fetch_add(1, Relaxed);
            return 0;
        }
        write(&mut buffer);
        let after = buffer.lines.len();
        if before < WAKE_BYTES && after >= WAKE_BYTES {
            drop(buffer);
            self.0.wake_early();
        }
        after - before
    }

    /// Decides which requests without a valid key are logged.
    pub fn sample(&self) -> &LogSample {
        &self.0.sample
    }

    /// Number of lines dropped because standard error did not accept them.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Relaxed)
    }

    /// Tells the thread to write the queued lines and end. Returns whether it did so within this time; if
    /// standard error is stalled it does not, and ends with the process.
    pub fn finish(&self, within: Duration) -> bool {
        self.0.stop.store(true, Relaxed);
        self.0.wake_early();
        lock(&self.0.ended).recv_timeout(within) == Err(RecvTimeoutError::Disconnected)
    }
}

impl Shared {
    fn wake_early(&self) {
        // A full channel has a signal already.
        let _ = self.wake.try_send(());
    }

    fn write_until_stopped(&self, sink: impl Write, woken: &Receiver<()>) {
        let mut writer = LineWriter { sink, is_inside_line: false };
        let mut batch = Vec::new();
        let mut reported = ReportedLosses::default();
        loop {
            let _ = woken.recv_timeout(FLUSH_TIME_MAX);
            let stop = self.stop.load(Relaxed);
            let mut sink_works = false;
            for buffer in &self.buffers {
                let mut buffer = lock(buffer);
                // An unused buffer must not get the memory of the batch: the next one would have to grow again.
                if buffer.lines.is_empty() {
                    continue;
                }
                std::mem::swap(&mut buffer.lines, &mut batch);
                drop(buffer);
                sink_works = self.write(&mut writer, &batch);
                batch.clear();
            }
            if stop {
                return;
            }
            reported.update(self, sink_works);
        }
    }

    /// Writes these lines; counts them and returns `false` if that failed.
    fn write(&self, writer: &mut LineWriter<impl Write>, lines: &[u8]) -> bool {
        let lost = writer.write(lines);
        if lost.is_empty() {
            return true;
        }
        self.errors.fetch_add(1, Relaxed);
        self.dropped.fetch_add(lost.iter().filter(|byte| **byte == b'\n').count() as u64, Relaxed);
        false
    }
}

/// The sink, and whether the last write ended inside a line.
struct LineWriter<W> {
    sink: W,
    /// A line was cut off: the next write must begin a new line.
    is_inside_line: bool,
}

impl<W: Write> LineWriter<W> {
    fn write<'a>(&mut self, lines: &'a [u8]) -> &'a [u8] {
        if self.is_inside_line && self.write_all(b"\n").is_empty() {
            self.is_inside_line = false;
        }
        let rest = if self.is_inside_line { lines } else { self.write_all(lines) };
        if rest.len() < lines.len() {
            self.is_inside_line = lines[lines.len() - rest.len() - 1] != b'\n';
        }
        rest
    }

    fn write_all<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        while !bytes.is_empty() {
            match self.sink.write(bytes) {
                Ok(0) => break,
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(BLOCKED_PAUSE),
                Err(_) => break,
            }
        }
        bytes
    }
}

#[derive(Default)]
struct ReportedLosses {
    last_report: Option<Instant>,
    dropped: u64,
    left_out: u64,
}

impl ReportedLosses {
    /// Reports the losses since the last report: dropped lines only once the log can be written again.
    fn update(&mut self, shared: &Shared, sink_works: bool) {
        let now = Instant::now();
        if self.last_report.is_some_and(|last| now.duration_since(last) < REPORT_INTERVAL) {
            return;
        }
        let (dropped, left_out) = (shared.dropped.load(Relaxed), shared.sample.left_out());
        if sink_works && dropped != self.dropped {
            let lines = dropped - self.dropped;
            tracing::warn!(
                lines,
                "log lines were dropped: standard error did not accept them in time"
            );
            self.dropped = dropped;
            self.last_report = Some(now);
        }
        if left_out != self.left_out {
            let requests = left_out - self.left_out;
            tracing::info!(requests, "requests without a valid key were left out of this log");
            self.left_out = left_out;
            self.last_report = Some(now);
        }
    }
}

/// For events, which are rare: each is written at once.
impl<'a> MakeWriter<'a> for LogQueue {
    type Writer = EventWriter<'a>;

    fn make_writer(&'a self) -> EventWriter<'a> {
        EventWriter(self)
    }
}

/// Receives one event as a whole.
#[derive(Debug)]
pub struct EventWriter<'a>(&'a LogQueue);

impl Write for EventWriter<'_> {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        // Errors name texts from outside, such as those of an object store.
        let text = String::from_utf8_lossy(line);
        let shown = printable_event(&text);
        self.0.push(|buffer| buffer.lines.extend_from_slice(shown.as_bytes()));
        self.0.0.wake_early();
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Collector for LogQueue {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let help = "Log lines dropped because standard error did not accept them";
        plain_counter(&mut encoder, "daicho_log_lines_dropped", help, self.dropped())?;
        let help = "Failed writes of log lines to standard error";
        plain_counter(&mut encoder, "daicho_log_write_errors", help, self.0.errors.load(Relaxed))?;
        let help = "Requests without a valid key left out of the log, above the maximum rate (--log-unknown-max)";
        plain_counter(&mut encoder, "daicho_log_requests_left_out", help, self.0.sample.left_out())
    }
}

/// Locks and ignores poisoning: a panic elsewhere leaves at worst half a line.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Past the rate, one of this many requests is logged.
pub const SAMPLED_ONE_IN: u64 = 100;

/// Bytes of a line, on average, up to which the limit of lines decides. A usual line has some 300 bytes, a hostile one
/// over 2,000.
const LINE_BYTES_FAIR: u64 = 512;

/// Most bytes a second of sampled lines.
const SAMPLED_BYTES_MAX: u64 = 32 * 1024;

/// In each second, the first lines are all logged: up to a number of them, and as many bytes as that number of fair lines
/// has. Then one in `SAMPLED_ONE_IN` is, up to `SAMPLED_BYTES_MAX` more; then none.
#[derive(Debug)]
pub struct LogSample {
    /// Up to this many requests a second are all logged.
    unsampled_max: u64,
    started: Instant,
    /// The second being counted, since `started`.
    second: AtomicU64,
    in_second: AtomicU64,
    bytes_in_second: AtomicU64,
    left_out: AtomicU64,
}

impl LogSample {
    /// Samples above this many requests a second.
    pub fn above(unsampled_max: u64) -> LogSample {
        LogSample {
            unsampled_max,
            started: Instant::now(),
            second: AtomicU64::new(0),
            in_second: AtomicU64::new(0),
            bytes_in_second: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
        }
    }

    /// Calls `push` if this request is in the sample, and counts the bytes that it returns; counts the request
    /// otherwise. The last line of a second may exceed the limit of bytes: its length is known only when it is written.
    pub fn push(&self, now: Instant, push: impl FnOnce() -> usize) {
        if self.includes(now) {
            self.bytes_in_second.fetch_add(push() as u64, Relaxed);
        } else {
            self.left_out.fetch_add(1, Relaxed);
        }
    }

    fn includes(&self, now: Instant) -> bool {
        let second = now.saturating_duration_since(self.started).as_secs();
        // Two threads that start the same second may log a few lines more.
        if self.second.swap(second, Relaxed) != second {
            self.in_second.store(0, Relaxed);
            self.bytes_in_second.store(0, Relaxed);
        }
        let earlier = self.in_second.fetch_add(1, Relaxed);
        let bytes = self.bytes_in_second.load(Relaxed);
        let unsampled_bytes = self.unsampled_max.saturating_mul(LINE_BYTES_FAIR);
        if earlier < self.unsampled_max && bytes < unsampled_bytes {
            return true;
        }
        let excess = earlier.saturating_sub(self.unsampled_max);
        let is_sampled = excess % SAMPLED_ONE_IN == SAMPLED_ONE_IN - 1;
        is_sampled && bytes < unsampled_bytes.saturating_add(SAMPLED_BYTES_MAX)
    }

    pub fn left_out(&self) -> u64 {
        self.left_out.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const END_TIME_MAX: Duration = Duration::from_secs(30);

    fn queue(sink: impl Write + Send + 'static) -> LogQueue {
        LogQueue::start(LogSample::above(u64::MAX), sink).expect("a thread starts")
    }

    fn push(queue: &LogQueue, line: &str) {
        queue.push(|buffer| buffer.lines.extend_from_slice(line.as_bytes()));
    }

    /// A sink that sends each write through a channel and blocks until it is received.
    struct Blocking(mpsc::SyncSender<Vec<u8>>);

    impl Write for Blocking {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(|_gone| ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_blocked_sink_drops_lines_and_blocks_neither_requests_nor_shutdown() {
        let (sender, receiver) = mpsc::sync_channel(0);
        let queue = queue(Blocking(sender));
        let line = "x".repeat(199) + "\n";
        let pushed = 3 * BUFFER_BYTES_MAX / line.len();
        (0..pushed).for_each(|_| push(&queue, &line));
        assert!(!queue.finish(Duration::from_millis(50)), "the sink accepts no lines");
        let drain = thread::spawn(move || receiver.iter().flatten().count());
        assert!(queue.finish(END_TIME_MAX), "the sink accepts lines again");
        let dropped = queue.dropped();
        drop(queue);
        let written = drain.join().expect("drained") / line.len();
        assert!(dropped > 0, "expected dropped lines");
        assert_eq!(written as u64 + dropped, pushed as u64);
    }

    #[test]
    fn shutdown_writes_the_lines_that_every_thread_buffered() {
        let (sender, receiver) = mpsc::sync_channel(100);
        let queue = queue(Blocking(sender));
        thread::scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| push(&queue, "line\n"));
            }
        });
        assert!(queue.finish(END_TIME_MAX));
        drop(queue);
        assert_eq!(receiver.iter().flatten().filter(|byte| *byte == b'\n').count(), 5);
    }

    /// A disk with limited space, which can be increased.
    struct Disk(Arc<Mutex<(usize, Vec<u8>)>>);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let mut disk = lock(&self.0);
            let count = bytes.len().min(disk.0);
            if count == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            disk.0 -= count;
            disk.1.extend_from_slice(&bytes[..count]);
            Ok(count)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_counted_and_the_next_line_starts_after_a_partial_one() {
        let disk = Arc::new(Mutex::new((7, Vec::new())));
        let queue = queue(Disk(Arc::clone(&disk)));
        let errors = |expected| {
            let started = Instant::now();
            while queue.0.errors.load(Relaxed) < expected {
                assert!(started.elapsed() < END_TIME_MAX, "expected {expected} errors in time");
                thread::sleep(Duration::from_millis(5));
            }
        };
        push(&queue, "first\nsecond\nthird\n");
        errors(1);
        push(&queue, "fourth\n");
        errors(2);
        assert_eq!(queue.dropped(), 3);
        lock(&disk).0 = 1000;
        push(&queue, "fifth\n");
        assert!(queue.finish(END_TIME_MAX));
        assert_eq!(String::from_utf8_lossy(&lock(&disk).1), "first\ns\nfifth\n");
    }
}

#[cfg(test)]
mod log_sample_tests {
    use std::time::Duration;

    use super::*;

    /// The number of lines logged of this many requests at this second, each with a line of these bytes.
    fn logged(sample: &LogSample, requests: u64, line_bytes: usize, second: u64) -> u64 {
        let now = sample.started + Duration::from_secs(second);
        let before = sample.left_out();
        let mut lines = 0;
        for _ in 0..requests {
            sample.push(now, || {
                lines += 1;
                line_bytes
            });
        }
        assert_eq!(lines + sample.left_out() - before, requests, "each is logged or counted");
        lines
    }

    #[test]
    fn past_the_rate_one_request_in_a_hundred_is_logged() {
        for (unsampled_max, requests, expected) in
            [(10, 9, 9), (10, 10, 10), (10, 109, 10), (10, 110, 11), (10, 1010, 20), (0, 100, 1)]
        {
            let sample = LogSample::above(unsampled_max);
            assert_eq!(logged(&sample, requests, 300, 0), expected, "{unsampled_max} {requests}");
        }
        let sample = LogSample::above(10);
        for second in 0..3 {
            assert_eq!(logged(&sample, 60, 300, second), 10, "the limit is per second");
        }
        assert_eq!(sample.left_out(), 150);
        assert_eq!(logged(&sample, 1, 300, 1), 1, "a time before the current second");
    }

    #[test]
    fn the_bytes_of_a_second_are_bounded() {
        for (unsampled_max, requests, line_bytes, expected) in [
            // As many bytes as a hundred fair lines have, in long lines.
            (100, 100, 512, 100),
            (100, 99, 2048, 25),
            // Then one in a hundred, until they have 32 KiB.
            (100, 1_100, 2048, 35),
            (100, 1_000_000, 2048, 41),
            (0, 1_000_000, 2048, 16),
            (u64::MAX, 1_000, 2048, 1_000),
        ] {
            let sample = LogSample::above(unsampled_max);
            assert_eq!(logged(&sample, requests, line_bytes, 0), expected, "{unsampled_max}");
            assert_eq!(logged(&sample, requests, line_bytes, 1), expected, "in the next second");
        }
    }
}
