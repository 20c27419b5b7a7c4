//! `--state` and `--json`: the store of accounts and keys, for the commands that work on it.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, builder::FalseyValueParser};
use jiff::Timestamp;

use super::error::CommandError;
use super::print::print_notes;
use crate::account::store::{IfMissing, OperatedAt, Operation, Store, StoreError, StoreLocation};
use crate::account::{Account, AccountName, KEYS_MAX};
use crate::system::process::user_name;

/// Maximum number of account names in an error.
const NAMES_LISTED_MAX: usize = 10;

#[derive(Debug, Clone, Args)]
pub struct KeysMaxArg {
    /// Maximum number of live keys of an account
    #[arg(long, value_name = "COUNT", env = "DAICHO_ACCOUNT_KEYS_MAX", default_value_t = KEYS_MAX)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub account_keys_max: u64,
}

#[derive(Debug, Clone, Args)]
pub struct StateArg {
    /// Store of accounts and keys: a file, or a PostgreSQL database (postgres://…)
    #[arg(long, global = true, env = "DAICHO_STATE", hide_env_values = true, display_order = 900)]
    #[arg(value_name = "FILE|URL", default_value = "./daicho.db")]
    pub state: PathBuf,
}

impl StateArg {
    pub fn location(&self) -> Result<StoreLocation, CommandError> {
        StoreLocation::parse(self.state.as_os_str()).map_err(CommandError::usage)
    }

    /// The folder of the state file; for a database, the working directory.
    pub fn folder(&self) -> Result<PathBuf, CommandError> {
        let folder = match self.location()? {
            StoreLocation::File(path) => path.parent().map(Path::to_owned),
            StoreLocation::Postgres(_) => None,
        };
        let named = folder.filter(|folder| !folder.as_os_str().is_empty());
        Ok(named.unwrap_or_else(|| PathBuf::from(".")))
    }

    pub fn open(&self, if_missing: IfMissing) -> Result<Store, CommandError> {
        Ok(Store::open(&self.location()?, if_missing)?)
    }
}

#[derive(Debug, Args)]
pub struct StoreArgs {
    #[command(flatten)]
    pub state: StateArg,
    /// Print JSON
    #[arg(long, global = true, env = "DAICHO_JSON", value_parser = FalseyValueParser::new())]
    #[arg(display_order = 900)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct StoreCommand<V: Subcommand> {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(subcommand)]
    pub verb: V,
}

impl StoreArgs {
    pub fn open(&self) -> Result<Store, CommandError> {
        self.state.open(IfMissing::Refuse)
    }

    /// Opens an existing store and finds an account; the error for an unknown name lists the existing accounts.
    pub fn open_account(&self, name: &AccountName) -> Result<(Store, Account), CommandError> {
        let mut store = self.open()?;
        match store.account(name) {
            Ok(account) => Ok((store, account)),
            Err(error @ StoreError::NoSuchAccount { .. }) => Err(match store.accounts() {
                Ok(known) if !known.is_empty() => unknown_name(&error, &known),
                _ => error.into(),
            }),
            Err(error) => Err(error.into()),
        }
    }
}

/// Records what the operator did at the command line: an action such as `key revoke`, the account that it was done to,
/// and what of it. The change is made already, so that a store which fails now costs only a warning.
pub fn record_operation(
    store: &mut Store,
    action: &str,
    account: Option<&AccountName>,
    subject: Option<String>,
) {
    let operation = Operation {
        done_at: Timestamp::now(),
        actor: user_name(),
        place: OperatedAt::CommandLine,
        action: action.to_owned(),
        account: account.map(|name| name.as_str().to_owned()),
        subject,
    };
    if let Err(error) = store.add_operation(&operation) {
        print_notes(&format!("daicho: warning: cannot record the operation: {error}\n"));
    }
}

fn unknown_name(error: &StoreError, known: &[Account]) -> CommandError {
    let listed = known.iter().take(NAMES_LISTED_MAX).map(|account| account.name.as_str());
    let names = listed.collect::<Vec<_>>().join(", ");
    let rest = if known.len() > NAMES_LISTED_MAX { ", …" } else { "" };
    CommandError::Failed(format!("{error}: {names}{rest}"))
}
