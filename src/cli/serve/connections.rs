//! Connection limits: per client address, and in total as far as the limit of open files allows.

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::cli::error::CommandError;
use crate::server::limits::{CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS};

/// File descriptors for other purposes: listeners, snapshots being opened, store, log.
const RESERVED_FILES: u64 = 64;

/// With fewer connections a server would reject clients without a visible reason.
const CONNECTIONS_MIN: u64 = 64;

#[derive(Debug, Args)]
pub struct ConnectionArgs {
    /// Maximum connections per client address (IPv6: per /64); 0 or `off` for no limit. Addresses of
    /// --trusted-proxy are not limited [default: 1000]
    #[arg(long, value_name = "N", env = "DAICHO_CONNECTIONS_PER_ADDRESS", value_parser = parse)]
    connections_per_address: Option<PerAddress>,
}

/// The inner `None` means no limit per address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PerAddress(Option<u32>);

impl ConnectionArgs {
    pub fn per_address_max(&self) -> Option<u32> {
        let default = PerAddress(Some(CONNECTIONS_PER_ADDRESS));
        self.connections_per_address.unwrap_or(default).0
    }
}

fn parse(text: &str) -> Result<PerAddress, String> {
    if text == "off" {
        return Ok(PerAddress(None));
    }
    let has_only_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse().ok().filter(|_| has_only_digits) {
        Some(0) => Ok(PerAddress(None)),
        Some(max) => Ok(PerAddress(Some(max))),
        None => Err(format!("expected a whole number up to {}, or off", u32::MAX)),
    }
}

/// The maximum number of connections. Raises the soft limit of open files as far as needed and allowed.
pub fn connections_max() -> Result<usize, CommandError> {
    let wanted = CONNECTIONS_MAX as u64 + RESERVED_FILES;
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current.unwrap_or(u64::MAX);
    let reachable = wanted.min(limit.maximum.unwrap_or(u64::MAX));
    let raised = Rlimit { current: Some(reachable), maximum: limit.maximum };
    let files = if current >= wanted {
        wanted
    } else if setrlimit(Resource::Nofile, raised).is_ok() {
        reachable
    } else {
        current
    };
    let connections = connections_within(files)?;
    if files < wanted {
        tracing::warn!(
            files,
            wanted,
            "the limit of open files is below what the server needs and reduces its maximum of connections"
        );
    }
    Ok(connections)
}

fn connections_within(files: u64) -> Result<usize, CommandError> {
    let connections = files.saturating_sub(RESERVED_FILES);
    if connections < CONNECTIONS_MIN {
        let needed = RESERVED_FILES + CONNECTIONS_MIN;
        let wanted = CONNECTIONS_MAX as u64 + RESERVED_FILES;
        return Err(CommandError::Failed(format!(
            "the limit of open files is too low: expected at least {needed}, and {wanted} for the maximum number \
             of connections; found {files}; raise it with ulimit -n, or LimitNOFILE= in a systemd unit"
        )));
    }
    Ok(usize::try_from(connections).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_limit_leaves_room_for_connections_or_is_refused() {
        for (files, expected) in
            [(0, None), (64, None), (127, None), (128, Some(64)), (10_064, Some(10_000))]
        {
            let found = connections_within(files).map_err(|error| error.to_string());
            match expected {
                Some(connections) => assert_eq!(found, Ok(connections)),
                None => {
                    let message = found.expect_err("too low");
                    let parts = ["expected at least 128", &format!("found {files};"), "ulimit -n"];
                    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
                }
            }
        }
    }

    #[test]
    fn a_limit_per_address_is_a_number_or_off() {
        #[track_caller]
        fn check(text: &str, expected: Option<Option<u32>>) {
            let read = parse(text).ok();
            assert_eq!(read.map(|PerAddress(max)| max), expected, "{text:?}");
        }
        check("1", Some(Some(1)));
        check("4294967295", Some(Some(u32::MAX)));
        check("0", Some(None));
        check("off", Some(None));
        for wrong in ["", "-1", "+1", "1.5", "4294967296", "on", "OFF", "１"] {
            check(wrong, None);
        }
    }
}
