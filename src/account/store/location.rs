//! The location of a store: the file or PostgreSQL database in `--state`. Prints without the password.
//!
//! A database is named by a URL in libpq's form, as far as the client library knows it. A connection to another machine
//! uses TLS and verifies the server's certificate, unless the URL says `sslmode=disable`; one to this machine, by a
//! socket or a loopback address, does not, unless the URL says `sslmode=require`.

use std::ffi::OsStr;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use tokio_postgres::config::{Config, Host, SslMode};

const PORT: u16 = 5432;

#[derive(Debug, Clone, derive_more::Display)]
pub enum StoreLocation {
    #[display("the state file {}", _0.display())]
    File(PathBuf),
    #[display("the state database {address}", address = _0)]
    Postgres(Box<ServerAddress>),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreLocationFault {
    #[error("--state: expected a file or a PostgreSQL URL; found nothing")]
    Nothing,
    /// Does not repeat the URL, which may contain a password.
    #[error(
        "--state: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=disable|require; found \
         another form ({0})"
    )]
    Url(String),
    #[error(
        "--state: expected a file or a PostgreSQL URL (postgres://…); found a URL with the scheme {0}"
    )]
    Scheme(String),
}

impl StoreLocation {
    pub fn parse(text: &OsStr) -> Result<StoreLocation, StoreLocationFault> {
        if text.is_empty() {
            return Err(StoreLocationFault::Nothing);
        }
        // A scheme is ASCII, so replacing bytes that are not UTF-8 hides none.
        match text.to_string_lossy().split_once("://") {
            Some(("postgres" | "postgresql", _)) => {
                let address = text.to_str().ok_or("found bytes that are not UTF-8".to_owned());
                let address = address.and_then(ServerAddress::parse);
                Ok(StoreLocation::Postgres(Box::new(address.map_err(StoreLocationFault::Url)?)))
            }
            Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                Err(StoreLocationFault::Scheme(scheme.to_owned()))
            }
            _ => Ok(StoreLocation::File(text.into())),
        }
    }
}

/// A PostgreSQL database, and the user to connect as.
#[derive(derive_more::Debug, Clone)]
#[debug("ServerAddress({self})")]
pub struct ServerAddress {
    pub(super) config: Config,
    pub(super) encrypted: bool,
}

impl ServerAddress {
    /// The error never repeats the URL.
    fn parse(url: &str) -> Result<ServerAddress, String> {
        // Both mean what `require` means here: the certificate is always verified.
        let libpq = ["sslmode=verify-full", "sslmode=verify-ca"];
        let known =
            libpq.iter().fold(url.to_owned(), |url, mode| url.replace(mode, "sslmode=require"));
        let mut config = Config::from_str(&known).map_err(|error| describe(&error, url))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err("no host; name one, or the folder of the Unix socket as ?host=".to_owned());
        }
        let names_mode = url.contains("sslmode=");
        let encrypted = match config.get_ssl_mode() {
            SslMode::Disable => false,
            _ if names_mode => true,
            _ => !is_local(&config),
        };
        config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
        if config.get_application_name().is_none() {
            config.application_name("daicho");
        }
        Ok(ServerAddress { config, encrypted })
    }
}

/// The library's message, unless it repeats the URL.
fn describe(error: &tokio_postgres::Error, url: &str) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    // The message quotes the option between backquotes; an unknown option is the user's text.
    let quoted = cause.split('`').nth(1).unwrap_or_default();
    match cause.as_str() {
        "" => "it is not a PostgreSQL URL".to_owned(),
        _ if cause.starts_with("unknown option") && url.contains(quoted) => {
            "an unknown option".to_owned()
        }
        _ => cause,
    }
}

/// Whether all addresses are of this machine. The client library connects to `hostaddr` where the URL has it; a host is
/// then only the name in the certificate.
fn is_local(config: &Config) -> bool {
    let addresses = config.get_hostaddrs();
    if addresses.is_empty() {
        config.get_hosts().iter().all(is_local_host)
    } else {
        addresses.iter().all(IpAddr::is_loopback)
    }
}

fn is_local_host(host: &Host) -> bool {
    match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        let (hosts, addresses) = (self.config.get_hosts(), self.config.get_hostaddrs());
        let ports = self.config.get_ports();
        for index in 0..hosts.len().max(addresses.len()) {
            let comma = if index > 0 { "," } else { "" };
            // One port is for all hosts; several are for one host each.
            let port = ports.get(index).or(ports.first()).copied().unwrap_or(PORT);
            match (hosts.get(index), addresses.get(index)) {
                (Some(Host::Tcp(name)), _) => write!(f, "{comma}{name}:{port}")?,
                #[cfg(unix)]
                (Some(Host::Unix(folder)), _) => write!(f, "{comma}{}:{port}", folder.display())?,
                (None, Some(address)) => write!(f, "{comma}{}", SocketAddr::new(*address, port))?,
                (None, None) => {}
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_file_or_a_url_and_never_prints_a_password() {
        #[track_caller]
        fn check(text: &str, expected: Result<&str, &str>) {
            let found = StoreLocation::parse(text.as_ref());
            let debug = format!("{found:?}");
            let found =
                found.map(|location| location.to_string()).map_err(|fault| fault.to_string());
            for text in [&debug, found.as_ref().unwrap_or_else(|fault| fault)] {
                assert!(!text.contains("hidden"), "{text}");
            }
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
                (found, _) => panic!("{text:?}: found {found:?}"),
            }
        }
        check("./daicho.db", Ok("the state file ./daicho.db"));
        check("a://b".trim_start_matches("a:"), Ok("the state file //b"));
        let plain = "the state database postgres://me@db.example:5432/daicho";
        check("postgres://me:hidden@db.example/daicho", Ok(plain));
        check("postgresql://me:hidden@db.example:5432/daicho?sslmode=require", Ok(plain));
        check("postgres://me:hidden@db.example/daicho?sslmode=verify-full", Ok(plain));
        check(
            "postgres:///daicho?host=/run/postgresql&user=me",
            Ok("the state database postgres://me@/run/postgresql:5432/daicho"),
        );
        check(
            "postgres://me@a:5433,b:5434/daicho",
            Ok("the state database postgres://me@a:5433,b:5434/daicho"),
        );
        check("", Err("found nothing"));
        check("mysql://me:hidden@db/daicho", Err("found a URL with the scheme mysql"));
        check("postgres://", Err("no host"));
        check("postgres://me:hidden@db:port/daicho", Err("found another form"));
        check("postgres://me:hidden@db/daicho?sslmode=maybe", Err("sslmode"));
        check("postgres://me:hidden@db/daicho?hidden=1", Err("found another form"));
    }

    #[test]
    fn an_address_without_a_host_is_shown() {
        #[track_caller]
        fn check(url: &str, expected: &str) {
            let address = ServerAddress::parse(url).expect("an address");
            assert_eq!(address.to_string(), expected, "{url}");
        }
        let plain = "postgres:///daicho?user=me&hostaddr=";
        check(&format!("{plain}192.0.2.1"), "postgres://me@192.0.2.1:5432/daicho");
        check(&format!("{plain}::1&port=5433"), "postgres://me@[::1]:5433/daicho");
        check(
            &format!("{plain}192.0.2.1,192.0.2.2"),
            "postgres://me@192.0.2.1:5432,192.0.2.2:5432/daicho",
        );
        // The name stays: the store of a key cache is known by this text.
        check(
            "postgres://me@db.example/daicho?hostaddr=192.0.2.1",
            "postgres://me@db.example:5432/daicho",
        );
    }

    #[test]
    fn connections_to_other_machines_use_tls_unless_disabled() {
        #[track_caller]
        fn check(url: &str, expected: bool) {
            assert_eq!(ServerAddress::parse(url).expect("an address").encrypted, expected, "{url}");
        }
        check("postgres://me@db.example/daicho", true);
        check("postgres://me@192.0.2.1/daicho", true);
        check("postgres://me@db.example/daicho?sslmode=require", true);
        check("postgres://me@db.example/daicho?sslmode=verify-ca", true);
        check("postgres://me@db.example/daicho?sslmode=disable", false);
        check("postgres://me@localhost/daicho", false);
        check("postgres://me@127.0.0.1/daicho", false);
        check("postgres://me@localhost,db.example/daicho", true);
        check("postgres://me@localhost/daicho?sslmode=require", true);
        check("postgres:///daicho?host=/run/postgresql", false);
        // `hostaddr` is what the client connects to.
        check("postgres:///daicho?user=me&hostaddr=192.0.2.1", true);
        check("postgres://me@localhost/daicho?hostaddr=192.0.2.1", true);
        check("postgres://me@db.example/daicho?hostaddr=127.0.0.1", false);
    }
}
