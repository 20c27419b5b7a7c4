//! The command line's verbs, a file each: what they ask of the core, and what they print.

pub mod build;
pub mod lookup;
pub mod snapshot;

use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::query::Catalog;
use crate::snapshot::Versions;
use crate::text::codes::DataVersion;

/// Why a command ended without doing what it was asked. Printed on stderr by `main`.
#[derive(Debug)]
pub enum CommandError {
    /// The input is wrong: exit code 1.
    BadInput(String),
    /// The command was called wrongly: exit code 2.
    Usage(String),
    /// Data on disk are damaged: exit code 3.
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

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::BadInput(message)
            | CommandError::Usage(message)
            | CommandError::Damaged(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for CommandError {}

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

/// The version asked for, or the latest.
pub fn choose<D>(
    versions: &Versions<D>,
    wanted: Option<DataVersion>,
) -> Result<Arc<D>, CommandError> {
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

/// Prints to stdout. Whoever reads the output may stop early, as `head` does.
pub fn print(text: &[u8]) -> Result<(), CommandError> {
    match io::stdout().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::BadInput(format!("stdout: {error}")))
        }
        _ => Ok(()),
    }
}
