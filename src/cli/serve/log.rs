//! What the server writes to standard error, in which form, and from which level on.

use std::io::IsTerminal;

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::server::access_log::{AccessLogConfig, LogFormat};

/// Options of the log.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// What to log: from info on, a line for each request; at debug, query strings too
    #[arg(long, value_enum, env = "DAICHO_LOG_LEVEL", default_value = "info")]
    log_level: LogLevel,
    /// The form of the log; text on a terminal, else JSON, where none is given
    #[arg(long, value_enum, env = "DAICHO_LOG_FORMAT")]
    log_format: Option<LogFormat>,
}

/// How much to log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

#[derive(Debug, Clone, Copy)]
pub struct LogConfig {
    level: LogLevel,
    format: LogFormat,
}

impl LogArgs {
    pub fn config(&self) -> LogConfig {
        let terminal = std::io::stderr().is_terminal();
        let usual = if terminal { LogFormat::Text } else { LogFormat::Json };
        LogConfig { level: self.log_level, format: self.log_format.unwrap_or(usual) }
    }
}

impl LogConfig {
    pub fn access(&self) -> Option<AccessLogConfig> {
        let with_query = self.level >= LogLevel::Debug;
        (self.level >= LogLevel::Info)
            .then_some(AccessLogConfig { format: self.format, with_query })
    }

    /// Of the libraries beneath it only warnings: their debug events would drown the program's own.
    pub fn start_tracing(&self) {
        let level = match self.level {
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "warn,daicho=info",
            LogLevel::Debug => "warn,daicho=debug",
        };
        let builder = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new(level))
            .with_ansi(std::io::stderr().is_terminal())
            .with_writer(std::io::stderr);
        // A second server in one process keeps the first one's log.
        let _ = match self.format {
            // The members of an event beside its timestamp, level and message, as in the access log.
            LogFormat::Json => {
                let json = builder.json().flatten_event(true).with_current_span(false);
                json.with_span_list(false).try_init()
            }
            LogFormat::Text => builder.try_init(),
        };
    }
}
