//! `--state` for publishers: the database whose lock replaces the conditional writes that an object store
//! lacks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::bucket::BucketArg;
use crate::account::store::{NamedLock, StoreLocation};
use crate::cli::{error::CommandError, host_name::host_name};
use crate::release::{Bucket, Guard, GuardFault, HeldGuard};

/// Longer than a frozen publisher holds the lock.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub struct GuardArg {
    /// PostgreSQL database (postgres://…), such as the account store. Needed if the object store has no
    /// conditional writes (Garage): a database lock then lets one publisher write at a time
    #[arg(long, value_name = "URL", env = "DAICHO_STATE", hide_env_values = true)]
    state: Option<PathBuf>,
}

impl GuardArg {
    /// `None` without a database. Does not connect yet.
    pub fn guard(&self) -> Result<Option<Arc<dyn Guard>>, CommandError> {
        let Some(state) = &self.state else { return Ok(None) };
        let database = StoreLocation::parse(state.as_os_str()).map_err(CommandError::usage)?;
        Ok(Some(Arc::new(DatabaseGuard { database })))
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
        let guard = self.guard.guard()?;
        Ok(self.bucket.open()?.with_guard(guard))
    }
}

#[derive(Debug)]
struct DatabaseGuard {
    database: StoreLocation,
}

impl Guard for DatabaseGuard {
    fn lock(&self, url: &str) -> Result<Box<dyn HeldGuard>, GuardFault> {
        let name = format!("daicho releases {url}");
        let holder = format!("daicho release, process {} of {}", std::process::id(), host_name());
        Ok(Box::new(HeldLock(NamedLock::acquire(&self.database, &name, &holder, PATIENCE)?)))
    }
}

struct HeldLock(NamedLock);

impl HeldGuard for HeldLock {
    fn check(&mut self) -> Result<(), GuardFault> {
        Ok(self.0.check()?)
    }
}
