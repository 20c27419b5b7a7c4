//! `--quorum`, `--timeout` and `--at`: how an activation waits for nodes.

use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use crate::cli::serve::time::parse_time;
use crate::release::{Quorum, WaitOptions};

/// Catches a mistyped unit: no publisher waits longer on purpose.
const TIMEOUT_MAX: Duration = Duration::from_secs(12 * 60 * 60);

#[derive(Debug, Args)]
pub struct WaitingArgs {
    /// Nodes that must be prepared before the switch, as a number or a share of live nodes; 0: do not wait [default: 100%]
    #[arg(long, value_name = "N|PERCENT", value_parser = Quorum::parse)]
    quorum: Option<Quorum>,
    /// How long to wait for nodes, up to 12h; on timeout the active release stays [default: 15m]
    #[arg(long, value_name = "TIME", value_parser = parse_timeout)]
    timeout: Option<Duration>,
    /// Earliest time at which nodes switch, such as 2026-11-24T03:00:00+09:00
    #[arg(long, value_name = "TIME", value_parser = parse_at)]
    at: Option<Timestamp>,
}

impl WaitingArgs {
    pub fn options(&self) -> WaitOptions {
        let default = WaitOptions::default();
        WaitOptions {
            quorum: self.quorum.unwrap_or(default.quorum),
            timeout: self.timeout.unwrap_or(default.timeout),
            not_before: self.at,
        }
    }

    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let quorum = self.quorum.map(|_| "--quorum");
        quorum.or(self.timeout.map(|_| "--timeout")).or(self.at.map(|_| "--at"))
    }
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let time = parse_time(text).filter(|time| *time <= TIMEOUT_MAX);
    time.ok_or_else(|| "expected a time from 0s to 12h with its unit, such as 15m".to_owned())
}

fn parse_at(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_wrong| {
        "expected a time with its UTC offset, such as 2026-11-24T03:00:00+09:00".to_owned()
    })
}
