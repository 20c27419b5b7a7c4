//! The parsed URL of a PostgreSQL database; prints without its password.
//!
//! The form is libpq's, as far as the client library knows it. A connection to another machine uses
//! TLS and verifies the server's certificate, unless the URL says `sslmode=disable`; one to this
//! machine, by a socket or a loopback address, does not, unless the URL says `sslmode=require`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use tokio_postgres::config::{Config, Host, SslMode};

const PORT: u16 = 5432;

/// A PostgreSQL database, and the user to connect as.
#[derive(Clone)]
pub struct ServerAddress {
    pub(super) config: Config,
    pub(super) encrypted: bool,
}

impl ServerAddress {
    /// The error never repeats the URL.
    pub(super) fn parse(url: &str) -> Result<ServerAddress, String> {
        // Both mean what `require` means here: the certificate is always verified.
        let libpq = ["sslmode=verify-full", "sslmode=verify-ca"];
        let known =
            libpq.iter().fold(url.to_owned(), |url, mode| url.replace(mode, "sslmode=require"));
        let mut config = Config::from_str(&known).map_err(|error| describe(&error, url))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err("no host; name one, or the folder of the Unix socket as ?host=".to_owned());
        }
        let mode_given = url.contains("sslmode=");
        let encrypted = match config.get_ssl_mode() {
            SslMode::Disable => false,
            _ if mode_given => true,
            _ => !config.get_hosts().iter().all(on_this_machine),
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

fn on_this_machine(host: &Host) -> bool {
    match host {
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
        let ports = self.config.get_ports();
        for (at, host) in self.config.get_hosts().iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            // One port is for all hosts; several are for one host each.
            let port = ports.get(at).or(ports.first()).copied().unwrap_or(PORT);
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}:{port}")?,
                Host::Unix(folder) => write!(f, "{comma}{}:{port}", folder.display())?,
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
