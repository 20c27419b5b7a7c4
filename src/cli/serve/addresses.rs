//! Resolves the addresses of `--listen` and `--dashboard-listen`.

use std::net::{SocketAddr, ToSocketAddrs};

use crate::cli::error::CommandError;

pub fn resolve(option: &str, text: &str) -> Result<Vec<SocketAddr>, CommandError> {
    let found = text.to_socket_addrs().map_err(|error| {
        CommandError::Usage(format!(
            "{option}: expected an address and a port, such as 127.0.0.1:8080 or [::]:8080; found \
             {text:?} ({error})"
        ))
    })?;
    Ok(found.collect())
}
