//! The log on standard error: its format and level; and the lines on standard output. The server keeps running if
//! either cannot be written: full disk, closed pipe, or a reader that stopped reading.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::Duration;

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::server::access_log::{AccessLog, AccessLogConfig, LogFormat};
use crate::server::log_queue::{LogQueue, LogSample};
use crate::system::process::second_handle;

/// Maximum time at the end of the process for writing the last lines.
const LAST_LINES_TIME_MAX: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, Args)]
pub struct LogArgs {
    /// Log level: info and more detailed levels log each request, debug adds query strings
    #[arg(long, value_enum, env = "DAICHO_LOG_LEVEL", default_value = "info")]
    log_level: LogLevel,
    /// Log format [default: text on a terminal, otherwise JSON]
    #[arg(long, value_enum, env = "DAICHO_LOG_FORMAT")]
    log_format: Option<LogFormat>,
    /// Maximum log lines per second for requests without a valid key, of 512 bytes on average. Beyond it
    /// one request in 100 is logged, up to 32 KiB per second, and a line reports how many were left out
    #[arg(long, value_name = "COUNT", env = "DAICHO_LOG_UNKNOWN_MAX", default_value_t = 100)]
    log_unknown_max: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

impl LogArgs {
    fn format(&self) -> LogFormat {
        let is_terminal = io::stderr().is_terminal();
        self.log_format.unwrap_or(if is_terminal { LogFormat::Text } else { LogFormat::Json })
    }

    /// `None` if the log level excludes it.
    pub fn access(&self, log: &Log) -> Option<AccessLog> {
        let with_query = self.log_level >= LogLevel::Debug;
        let config = AccessLogConfig { format: self.format(), with_query };
        (self.log_level >= LogLevel::Info).then(|| AccessLog { config, queue: log.queue.clone() })
    }

    /// Starts logging events and panics to standard error. Fails if the system refuses a thread.
    pub fn start(&self) -> io::Result<Log> {
        let stderr = second_handle(&io::stderr())?;
        let queue = LogQueue::start(LogSample::above(self.log_unknown_max), stderr)?;
        self.start_tracing(queue.clone());
        // The default hook would block a thread that drives connections on standard error.
        std::panic::set_hook(Box::new(|panic| {
            let backtrace = Backtrace::capture();
            let is_captured = backtrace.status() == BacktraceStatus::Captured;
            let backtrace = is_captured.then(|| tracing::field::display(backtrace));
            tracing::error!(%panic, backtrace, "internal error (panic); please report this");
        }));
        Ok(Log { queue })
    }

    /// Libraries log only warnings: their debug events would flood the log. Warnings of `rmcp` are excluded:
    /// they are about invalid messages of clients, which the access log has.
    fn start_tracing(&self, queue: LogQueue) {
        let level = match self.log_level {
            LogLevel::Error => "error",
            LogLevel::Warn => "warn,rmcp=error",
            LogLevel::Info => "warn,rmcp=error,daicho=info",
            LogLevel::Debug => "warn,rmcp=error,daicho=debug",
        };
        let builder = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new(level))
            .with_ansi(io::stderr().is_terminal())
            .with_writer(queue);
        // If a process runs a second server, the first one's logger stays.
        let _ = match self.format() {
            // Flattens the event's fields beside timestamp, level and message, as in the access log.
            LogFormat::Json => {
                let json = builder.json().flatten_event(true).with_current_span(false);
                json.with_span_list(false).try_init()
            }
            LogFormat::Text => builder.try_init(),
        };
    }
}

/// The running log. Dropping it writes the last lines, within a time limit.
#[derive(Debug)]
pub struct Log {
    pub queue: LogQueue,
}

impl Drop for Log {
    fn drop(&mut self) {
        self.queue.finish(LAST_LINES_TIME_MAX);
    }
}

/// Standard output of a server: a separate thread writes flushed text, so that a slow reader blocks nothing.
#[derive(Debug, Default)]
pub struct BackgroundStdout(Vec<u8>);

impl Write for BackgroundStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.0);
        let mut stdout = second_handle(&io::stdout())?;
        let thread = std::thread::Builder::new().name("announce".to_owned());
        thread.spawn(move || match stdout.write_all(&bytes) {
            // A reader may close the pipe early.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let text = String::from_utf8_lossy(&bytes);
                tracing::warn!(%error, %text, "cannot write to standard output");
            }
            _ => {}
        })?;
        Ok(())
    }
}
