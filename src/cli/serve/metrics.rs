//! The options of `/metrics`: whether, where, and with which token.

use std::path::{Path, PathBuf};
use std::{fs::File, io::Read, net::SocketAddr};

use clap::Args;

use super::{connections::resolve, dashboard::Switch};
use crate::api::pipeline::metrics_access::{MetricsAccess, MetricsPlace, MetricsToken};
use crate::cli::error::CommandError;

/// Larger than any token.
const FILE_BYTES_MAX: u64 = 1024;

#[derive(Debug, Args)]
pub struct MetricsArgs {
    /// Whether to serve /metrics
    #[arg(long, value_enum, env = "DAICHO_METRICS", default_value = "on")]
    metrics: Switch,
    /// Serve /metrics at this address instead of the API's
    #[arg(long, value_name = "ADDR", env = "DAICHO_METRICS_LISTEN")]
    metrics_listen: Option<String>,
    /// File with a token of 16 to 200 characters; /metrics then requires Authorization: Bearer TOKEN
    #[arg(long, value_name = "FILE", env = "DAICHO_METRICS_TOKEN_FILE")]
    metrics_token_file: Option<PathBuf>,
}

#[derive(Debug)]
pub struct MetricsConfig {
    pub access: MetricsAccess,
    /// Separate addresses for the metrics.
    pub addresses: Vec<SocketAddr>,
}

impl MetricsArgs {
    pub fn check(&self) -> Result<MetricsConfig, CommandError> {
        let file = self.metrics_token_file.as_deref();
        if self.metrics == Switch::Off {
            let other = self.metrics_listen.as_ref().map(|_| "--metrics-listen");
            if let Some(other) = other.or(file.map(|_| "--metrics-token-file")) {
                let message =
                    format!("{other} needs --metrics on; found --metrics off; leave one out");
                return Err(CommandError::Usage(message));
            }
        }
        let token = file.map(read_token).transpose()?;
        let (place, addresses) = match (self.metrics, &self.metrics_listen) {
            (Switch::Off, _) => (MetricsPlace::Nowhere, Vec::new()),
            (Switch::On, None) => (MetricsPlace::WithApi, Vec::new()),
            (Switch::On, Some(text)) => (MetricsPlace::Apart, resolve("--metrics-listen", text)?),
        };
        Ok(MetricsConfig { access: MetricsAccess { place, token }, addresses })
    }
}

fn read_token(path: &Path) -> Result<MetricsToken, CommandError> {
    let shown = path.display();
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| {
        CommandError::Failed(format!("--metrics-token-file: {shown} cannot be read: {error}"))
    })?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let token = MetricsToken::parse(line.strip_suffix('\r').unwrap_or(line));
    token.map_err(|fault| CommandError::Usage(format!("--metrics-token-file: {shown}: {fault}")))
}
