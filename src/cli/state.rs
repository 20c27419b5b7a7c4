//! `--state`: the store of accounts and keys that a command works on.

use std::io;
use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;

use super::CommandError;
use crate::account::store::{IfMissing, StatePlace, Store, StoreError};

/// Names of accounts shown beside an error, at most.
const NAMES_SHOWN_MAX: usize = 10;

/// Where accounts and keys are kept.
#[derive(Debug, Clone, Args)]
pub struct StateArg {
    /// Where accounts and keys are kept: a file, or a PostgreSQL database (postgres://…)
    #[arg(long, global = true, env = "DAICHO_STATE", hide_env_values = true)]
    #[arg(value_name = "FILE|URL", default_value = "./daicho.db")]
    pub state: PathBuf,
}

impl StateArg {
    /// Where the store is.
    pub fn place(&self) -> Result<StatePlace, CommandError> {
        StatePlace::parse(self.state.as_os_str())
            .map_err(|fault| CommandError::Usage(fault.to_string()))
    }

    /// Opens the store.
    pub fn open(&self, if_missing: IfMissing) -> Result<Store, CommandError> {
        Ok(Store::open(&self.place()?, if_missing)?)
    }
}

/// What every command over the store takes: where it is, and how to tell what was done.
#[derive(Debug, Args)]
pub struct StoreArgs {
    #[command(flatten)]
    state: StateArg,
    /// Write JSON, for programs
    #[arg(long, global = true, env = "DAICHO_JSON", value_parser = FalseyValueParser::new())]
    pub json: bool,
}

impl StoreArgs {
    /// Opens the store.
    pub fn open(&self, if_missing: IfMissing) -> Result<Store, CommandError> {
        self.state.open(if_missing)
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
pub(super) fn explain(store: &mut Store, error: StoreError) -> CommandError {
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
