//! `--releases`, the URL of the releases; `--release-key` and `--verify`; and `--state` for publishers, the database whose
//! lock replaces the conditional writes that an object store lacks.

use std::{path::PathBuf, sync::Arc, time::Duration};

use clap::Args;

use crate::account::store::{NamedLock, StoreLocation};
use crate::cli::error::CommandError;
use crate::cli::print::{print_notes, warning};
use crate::release::signature::PublicKey;
use crate::release::{Bucket, Depth, Guard, GuardFault, HeldGuard, ReleaseError, RetryLimits};
use crate::system::process::host_name;

/// Longer than a frozen publisher holds the lock.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub struct BucketArg {
    /// URL of the releases: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or
    /// file:///FOLDER; credentials come from the environment
    #[arg(long = "releases", visible_alias = "to", value_name = "URL", env = "DAICHO_RELEASES")]
    url: String,
}

impl BucketArg {
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn open(&self) -> Result<Bucket, CommandError> {
        Ok(Bucket::open(&self.url, RetryLimits::COMMAND)?)
    }
}

/// The options of a command that lists what the object store has.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bucket: BucketArg,
}

/// Names on standard error the bad objects that a list leaves out.
pub fn print_left_out(bad: &[ReleaseError]) {
    bad.iter().for_each(|error| print_notes(&warning(&error.to_string())));
}

#[derive(Debug, Args)]
pub struct KeyArg {
    /// PEM file with a public Ed25519 key; fail if the release has no valid signature for it
    #[arg(long, value_name = "FILE", env = "DAICHO_RELEASE_KEY")]
    release_key: Option<PathBuf>,
}

impl KeyArg {
    pub fn read(&self) -> Result<Option<PublicKey>, CommandError> {
        let key = self.release_key.as_deref().map(PublicKey::read).transpose();
        Ok(key.map_err(ReleaseError::from)?)
    }
}

#[derive(Debug, Args)]
pub struct DepthArg {
    /// Compare every file in the store with its SHA-256, not only a sample; reads all of the release
    #[arg(long)]
    verify: bool,
}

impl DepthArg {
    pub fn depth(&self) -> Depth {
        if self.verify { Depth::All } else { Depth::Sample }
    }
}

impl From<ReleaseError> for CommandError {
    fn from(error: ReleaseError) -> CommandError {
        command_error(&error, error.to_string())
    }
}

pub fn command_error(error: &ReleaseError, message: String) -> CommandError {
    match error {
        error if error.is_damage() => CommandError::Damaged(message),
        error if error.is_usage() => CommandError::Usage(message),
        _ => CommandError::Failed(message),
    }
}

#[derive(Debug, Args)]
pub struct GuardArg {
    /// PostgreSQL database (postgres://…), such as the account store. Needed if the object store has no
    /// conditional writes (Garage): a database lock then lets one publisher write at a time
    #[arg(long, value_name = "URL", env = "DAICHO_STATE", hide_env_values = true)]
    state: Option<PathBuf>,
}

impl GuardArg {
    /// `None` without a database. Does not connect yet. Other publishers are told the name of this `command`.
    pub fn guard(&self, command: &'static str) -> Result<Option<Arc<dyn Guard>>, CommandError> {
        let Some(state) = &self.state else { return Ok(None) };
        let database = StoreLocation::parse(state.as_os_str()).map_err(CommandError::usage)?;
        Ok(Some(Arc::new(DatabaseGuard { database, command })))
    }
}

/// The URL of the releases, and the guard, for commands that write.
#[derive(Debug, Args)]
pub struct PublisherArg {
    #[command(flatten)]
    bucket: BucketArg,
    #[command(flatten)]
    guard: GuardArg,
}

impl PublisherArg {
    pub fn url(&self) -> &str {
        self.bucket.url()
    }

    pub fn open(&self) -> Result<Bucket, CommandError> {
        let guard = self.guard.guard("daicho release")?;
        Ok(self.bucket.open()?.with_guard(guard))
    }
}

#[derive(Debug)]
struct DatabaseGuard {
    database: StoreLocation,
    command: &'static str,
}

impl Guard for DatabaseGuard {
    fn lock(&self, url: &str) -> Result<Box<dyn HeldGuard>, GuardFault> {
        let name = format!("daicho releases {url}");
        let (command, process) = (self.command, std::process::id());
        let holder = format!("{command}, process {process} of {}", host_name());
        let lock = NamedLock::acquire(&self.database, &name, &holder, LOCK_WAIT_MAX)?;
        Ok(Box::new(HeldLock(lock)))
    }
}

struct HeldLock(NamedLock);

impl HeldGuard for HeldLock {
    fn check(&mut self) -> Result<(), GuardFault> {
        Ok(self.0.check()?)
    }
}
