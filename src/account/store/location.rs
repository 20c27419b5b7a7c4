//! The location of a store: the file or PostgreSQL database in `--state`.

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use super::server_address::ServerAddress;

/// Prints without the password.
#[derive(Debug, Clone)]
pub enum StoreLocation {
    File(PathBuf),
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

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::File(path) => write!(f, "the state file {}", path.display()),
            StoreLocation::Postgres(address) => write!(f, "the state database {address}"),
        }
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
}
