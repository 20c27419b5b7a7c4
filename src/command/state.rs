//! `--state`: the store of accounts and keys that a command works on.

use std::io;
use std::path::PathBuf;

use clap::Args;

use super::CommandError;
use crate::account::store::{IfMissing, SqliteStore, Store, StoreError};

/// Names of accounts shown beside an error, at most.
const NAMES_SHOWN_MAX: usize = 10;

/// Where accounts and keys are kept.
#[derive(Debug, Clone, Args)]
pub struct StateArg {
    /// File that holds the accounts and keys
    #[arg(long, global = true, env = "DAICHO_STATE", hide_env_values = true)]
    #[arg(value_name = "FILE", default_value = "./daicho.db")]
    pub state: PathBuf,
}

impl StateArg {
    /// Opens the store.
    pub fn open(&self, if_missing: IfMissing) -> Result<SqliteStore, CommandError> {
        let text = self.state.to_string_lossy();
        if ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            // The URL may carry a password, so it is not repeated.
            let message = "--state names a file; found a PostgreSQL URL, which this version does \
                           not support yet; name a file";
            return Err(CommandError::Usage(message.to_owned()));
        }
        Ok(SqliteStore::open(&self.state, if_missing)?)
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> CommandError {
        let message = error.to_string();
        match error {
            StoreError::OriginsOnSecretKey { .. } | StoreError::TooManyOrigins { .. } => {
                CommandError::Usage(message)
            }
            error if error.is_damage() => CommandError::Damaged(message),
            _ => CommandError::BadInput(message),
        }
    }
}

/// The error as it is, and beside an unknown name those that would have done.
pub(super) fn explain(store: &dyn Store, error: StoreError) -> CommandError {
    let StoreError::NoSuchAccount { .. } = error else { return error.into() };
    let known = match store.accounts() {
        Ok(known) if !known.is_empty() => known,
        // The first error says enough.
        _ => return error.into(),
    };
    let shown = known.iter().take(NAMES_SHOWN_MAX).map(|account| account.name.as_str());
    let rest = if known.len() > NAMES_SHOWN_MAX { ", …" } else { "" };
    let names = shown.collect::<Vec<_>>().join(", ");
    CommandError::BadInput(format!("{error}: {names}{rest}"))
}

/// What it means that a command's output cannot be written.
pub(super) fn unwritten(error: io::Error) -> CommandError {
    CommandError::BadInput(format!("the output cannot be written: {error}"))
}
