//! Where connections arrive and come from: the addresses to listen on, the proxies in front of the server, and the
//! limits of connections, per client address and in total as far as the limit of open files allows.

use std::net::ToSocketAddrs;
use std::num::NonZeroU32;

use clap::{Args, builder::FalseyValueParser};

use crate::cli::error::CommandError;
use crate::server::keyless_budget::KEYLESS_PER_SECOND;
use crate::server::limits::{CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS};
use crate::server::listener::ListenAddress;
use crate::server::proxies::{TrustedProxies, TrustedProxy};
use crate::server::unix_socket::SocketMode;
use crate::system::process::OpenFileLimits;
use crate::text::numerals::whole_number;

/// Where the server listens if neither an option nor systemd says it.
pub const LISTEN_DEFAULT: &str = "127.0.0.1:8080";

/// File descriptors for other purposes: listeners, snapshots being opened, store, log.
const RESERVED_FILES: u64 = 64;

/// With fewer connections a server would reject clients without a visible reason.
const CONNECTIONS_MIN: u64 = 64;

#[derive(Debug, Args)]
pub struct ConnectionArgs {
    /// Address or network of a proxy in front of the server, such as 127.0.0.1 or 10.0.0.0/8, or
    /// `unix` for the peers of Unix sockets; repeat the option or separate with commas. The client's
    /// address is read from X-Forwarded-For or Forwarded of these peers, and of no others
    #[arg(long, value_name = "CIDR", env = "DAICHO_TRUSTED_PROXY", value_delimiter = ',')]
    trusted_proxy: Vec<TrustedProxy>,
    /// Maximum connections per client address (IPv6: per /64); 0 or `off` for no limit. Addresses of
    /// --trusted-proxy are not limited; each request through them counts as a connection of its client
    /// while it is answered [default: 1000]
    #[arg(long, value_name = "N", env = "DAICHO_CONNECTIONS_PER_ADDRESS", value_parser = parse)]
    connections_per_address: Option<PerAddress>,
    /// Most answers a second without a valid key per client address (IPv6: per /64): documentation, metrics,
    /// health and refusals; ten seconds of them at once; 0 or `off` for no limit [default: 1000]
    #[arg(long, value_name = "N", env = "DAICHO_KEYLESS_RATE", value_parser = parse)]
    keyless_rate: Option<PerAddress>,
    /// Expect the PROXY protocol, version 1 or 2, at the beginning of each connection to --listen and
    /// --dashboard-listen, before TLS. The client that it names is believed from --trusted-proxy only
    #[arg(long, env = "DAICHO_PROXY_PROTOCOL", value_parser = FalseyValueParser::new())]
    proxy_protocol: bool,
    /// Permissions of the files of Unix sockets, in octal digits: whoever may write to the file may
    /// connect
    #[arg(long, value_name = "MODE", env = "DAICHO_SOCKET_MODE", default_value = "660", value_parser = parse_mode)]
    pub socket_mode: SocketMode,
}

/// The inner `None` means no limit per address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PerAddress(Option<u32>);

impl ConnectionArgs {
    pub fn proxies(&self) -> TrustedProxies {
        TrustedProxies(self.trusted_proxy.clone())
    }

    /// Whether connections begin with the header of the PROXY protocol.
    pub fn expects_proxy_header(&self) -> Result<bool, CommandError> {
        match self.proxy_protocol && self.trusted_proxy.is_empty() {
            false => Ok(self.proxy_protocol),
            true => Err(CommandError::usage(
                "--proxy-protocol needs the address of the proxy; found none; name it with --trusted-proxy, such as \
                 --trusted-proxy 127.0.0.1",
            )),
        }
    }

    pub fn per_address_max(&self) -> Option<u32> {
        let default = PerAddress(Some(CONNECTIONS_PER_ADDRESS));
        self.connections_per_address.unwrap_or(default).0
    }

    /// Most answers a second to an address without a key.
    pub fn keyless_per_second(&self) -> Option<NonZeroU32> {
        let default = PerAddress(Some(KEYLESS_PER_SECOND.get()));
        self.keyless_rate.unwrap_or(default).0.and_then(NonZeroU32::new)
    }
}

fn parse(text: &str) -> Result<PerAddress, String> {
    if text == "off" {
        return Ok(PerAddress(None));
    }
    match whole_number(text) {
        Some(0) => Ok(PerAddress(None)),
        Some(max) => Ok(PerAddress(Some(max))),
        None => Err(format!("expected a whole number up to {}, or off", u32::MAX)),
    }
}

/// The addresses that a text names: those of a host and a port, or a Unix socket.
pub fn resolve(option: &str, text: &str) -> Result<Vec<ListenAddress>, CommandError> {
    if let Some(path) = ListenAddress::parse_unix(text) {
        let path = path.map_err(|fault| CommandError::Usage(format!("{option}: {fault}")))?;
        return Ok(vec![ListenAddress::Unix(path)]);
    }
    let found = text.to_socket_addrs().map_err(|error| {
        CommandError::Usage(format!(
            "{option}: expected an address and a port, such as 127.0.0.1:8080 or [::]:8080, or unix: and the path of \
             a socket, such as unix:/run/daicho/daicho.sock; found {text:?} ({error})"
        ))
    })?;
    Ok(found.map(ListenAddress::Tcp).collect())
}

/// Permissions in octal digits, such as 660.
fn parse_mode(text: &str) -> Result<SocketMode, String> {
    let is_octal =
        (3..=4).contains(&text.len()) && text.bytes().all(|b| (b'0'..=b'7').contains(&b));
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| is_octal && *mode <= 0o777);
    mode.map(SocketMode)
        .ok_or_else(|| "expected permissions of three octal digits, such as 660 or 666".to_owned())
}

/// The limit of open files that a server could have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimit {
    pub reachable: u64,
    /// What the maximum number of connections needs.
    pub wanted: u64,
    /// Below this a server does not start.
    pub least: u64,
}

impl FileLimit {
    pub fn read() -> FileLimit {
        let limits = OpenFileLimits::read();
        let reachable = limits.maximum.or(limits.current).unwrap_or(u64::MAX);
        FileLimit {
            reachable,
            wanted: CONNECTIONS_MAX as u64 + RESERVED_FILES,
            least: RESERVED_FILES + CONNECTIONS_MIN,
        }
    }
}

/// The maximum number of connections. Raises the soft limit of open files as far as needed and allowed.
pub fn connections_max() -> Result<usize, CommandError> {
    let wanted = CONNECTIONS_MAX as u64 + RESERVED_FILES;
    let limits = OpenFileLimits::read();
    let current = limits.current.unwrap_or(u64::MAX);
    let reachable = wanted.min(limits.maximum.unwrap_or(u64::MAX));
    let files = if current >= wanted {
        wanted
    } else if limits.raise(reachable).is_ok() {
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
    fn permissions_are_three_octal_digits() {
        for (text, expected) in [("660", Some(0o660)), ("0666", Some(0o666)), ("000", Some(0))] {
            assert_eq!(parse_mode(text).ok(), expected.map(SocketMode), "{text}");
        }
        for wrong in ["", "66", "668", "+66", "0o660", "1777", "00660", "rw-"] {
            let fault = parse_mode(wrong).expect_err(wrong);
            assert!(fault.contains("such as 660"), "{fault}");
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
