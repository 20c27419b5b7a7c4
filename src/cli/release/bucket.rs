//! `--releases`: the URL of the releases.

use clap::Args;

use crate::cli::error::CommandError;
use crate::release::RetryLimits;
use crate::release::{Bucket, ReleaseError};

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

impl From<ReleaseError> for CommandError {
    fn from(error: ReleaseError) -> CommandError {
        command_error(&error, error.to_string())
    }
}

/// The command error for this error, with this message.
pub fn command_error(error: &ReleaseError, message: String) -> CommandError {
    match error {
        error if error.is_damage() => CommandError::Damaged(message),
        error if error.is_usage() => CommandError::Usage(message),
        _ => CommandError::Failed(message),
    }
}
