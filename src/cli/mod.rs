//! The command line's verbs, a file each: what they ask of the core, and what they print.

pub mod account;
pub mod args;
pub mod key;
pub mod lookup;
pub mod normalize;
pub mod password;
pub mod plan;
mod quota;
pub mod random;
pub mod search;
pub mod serve;
pub mod snapshot;
mod state;
mod table;
pub mod webhook;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::query::Catalog;
use crate::snapshot::{OpenError, Versions};
use crate::text::codes::DataVersion;

pub use state::{StateArg, StoreArgs};

/// A command did not do what it was asked. The message is for people, on standard error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Exit code 1: something asked for does not exist, exists already or cannot be done.
    #[error("{0}")]
    BadInput(String),
    /// Exit code 2: the command line itself makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Exit code 3: data on disk is damaged or of another version.
    #[error("{0}")]
    Damaged(String),
}

impl CommandError {
    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::BadInput(_) => 1,
            CommandError::Usage(_) => 2,
            CommandError::Damaged(_) => 3,
        }
    }
}

/// A snapshot that cannot be read says itself what is wrong with it and what to do.
impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> CommandError {
        CommandError::Damaged(error.to_string())
    }
}

impl From<Arc<OpenError>> for CommandError {
    fn from(error: Arc<OpenError>) -> CommandError {
        CommandError::Damaged(error.to_string())
    }
}

/// Where the snapshots are.
#[derive(Debug, Args)]
pub struct SnapshotsArg {
    /// The snapshot folder
    #[arg(long, value_name = "DIR", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    pub snapshots: PathBuf,
}

impl SnapshotsArg {
    /// Opens what the folder holds.
    pub fn scan(&self) -> Result<Catalog, CommandError> {
        Catalog::scan(&self.snapshots, None)
            .map_err(|error| CommandError::BadInput(error.to_string()))
    }
}

/// Which data to answer from.
#[derive(Debug, Args)]
pub struct DataArg {
    /// Data version, YYYY-MM-DD; the latest where none is given
    #[arg(long, value_name = "DATE", env = "DAICHO_VERSION")]
    version: Option<String>,
    #[command(flatten)]
    snapshots: SnapshotsArg,
}

impl DataArg {
    /// The version that was named.
    pub fn version(&self) -> Result<Option<DataVersion>, CommandError> {
        let version = self.version.as_deref().map(DataVersion::parse).transpose();
        version.map_err(|error| CommandError::BadInput(error.to_string()))
    }

    /// The data of this version, or the latest, among the versions `of` the catalogue.
    pub fn choose<D>(
        &self,
        version: Option<DataVersion>,
        of: impl FnOnce(&Catalog) -> &Versions<D>,
    ) -> Result<Arc<D>, CommandError> {
        choose(of(&self.snapshots.scan()?), version)
    }
}

/// The version asked for, or the latest.
fn choose<D>(versions: &Versions<D>, wanted: Option<DataVersion>) -> Result<Arc<D>, CommandError> {
    let found = match wanted {
        Some(version) => versions.get(version),
        None => versions.latest(),
    };
    if let Some(found) = found {
        return Ok(Arc::clone(found));
    }
    if let Some(refused) = versions.refused().next() {
        return Err(CommandError::Damaged(refused.to_string()));
    }
    let known: Vec<String> = versions.iter().map(|(version, _)| version.to_string()).collect();
    Err(CommandError::BadInput(match wanted {
        Some(version) if !known.is_empty() => {
            format!("no version {version}; there are {}", known.join(", "))
        }
        _ => "no snapshots here; build some with 'daicho build', or name their folder with \
              --snapshots"
            .to_owned(),
    }))
}

/// Writes what a command found.
pub fn print(out: &mut dyn Write, text: &[u8]) -> Result<(), CommandError> {
    out.write_all(text).map_err(state::unwritten)
}

#[cfg(test)]
mod account_tests;
