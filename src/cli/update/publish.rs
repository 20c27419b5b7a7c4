//! `daicho update --publish`: publishes the folder as the active release after each update. Publishing does not depend on whether the update found anything new: if the newest release equals the
//! folder, nothing is sent; if an earlier run ended before it published, this one publishes. Invalid options
//! fail before anything is downloaded. An unreachable store does not delay the update: it is first contacted
//! after the build.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::Value;

use super::report::PublishReport;
use crate::cli::error::CommandError;
use crate::cli::print::StepBar;
use crate::cli::release::{as_json, as_text, bucket::GuardArg, command_error};
use crate::clock;
use crate::release::signature::SigningKey;
use crate::release::{
    self, Activate, Bucket, Creation, Depth, Guard, Label, PushOptions, PushReport, ReleaseError,
    RetryLimits, WaitOptions,
};
use crate::system::process::host_name;

#[derive(Debug, Args)]
pub struct PublishArgs {
    /// After the update, publish the folder to this URL as the active release, like `release push --activate`:
    /// s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER; credentials come from
    /// the environment
    #[arg(long = "publish", value_name = "URL", env = "DAICHO_PUBLISH")]
    url: Option<String>,
    /// With --publish: PEM file with the private Ed25519 key that signs the release
    #[arg(long, value_name = "FILE", env = "DAICHO_SIGNING_KEY")]
    signing_key: Option<PathBuf>,
    /// With --publish: activate the release only for servers with this label
    #[arg(long, value_name = "LABEL", value_parser = Label::parse, env = "DAICHO_PUBLISH_LABEL")]
    label: Option<Label>,
    #[command(flatten)]
    guard: GuardArg,
}

/// Where and how the folder is published.
pub struct Publisher<'a> {
    url: &'a str,
    key: Option<SigningKey>,
    label: Option<&'a Label>,
    guard: Option<Arc<dyn Guard>>,
}

impl PublishArgs {
    /// `None` without `--publish`.
    pub fn publisher(&self) -> Result<Option<Publisher<'_>>, CommandError> {
        let Some(url) = &self.url else { return Ok(None) };
        match Bucket::open(url, RetryLimits::COMMAND) {
            Err(error) if error.is_usage() => {
                return Err(command_error(&error, format!("--publish: {error}")));
            }
            Ok(_) | Err(_) => {}
        }
        let key = self.signing_key.as_deref().map(SigningKey::read).transpose();
        let key = key.map_err(ReleaseError::from)?;
        let (label, guard) = (self.label.as_ref(), self.guard.guard("daicho update --publish")?);
        Ok(Some(Publisher { url, key, label, guard }))
    }
}

impl Publisher<'_> {
    pub fn publish(&self, snapshots: &Path) -> Result<PublishReport, CommandError> {
        let report = self.push(snapshots).map_err(|error| {
            let message = format!(
                "--publish: {error}. The built snapshots are kept; the next update publishes them, or run \
                 'daicho release push --activate' now"
            );
            command_error(&error, message)
        })?;
        Ok(PublishReport { text: self.text(&report), json: self.json(&report) })
    }

    fn push(&self, snapshots: &Path) -> Result<PushReport, ReleaseError> {
        let bucket = Bucket::open(self.url, RetryLimits::COMMAND)?.with_guard(self.guard.clone());
        let options = PushOptions {
            snapshots,
            subjects: &[],
            versions: None,
            created: Creation { time: clock::now(), creator: host_name() },
            key: self.key.as_ref(),
            activate: Activate::UnlessReplaced,
            wait: WaitOptions::default(),
            label: self.label,
            depth: Depth::Sample,
        };
        release::push(&bucket, &options, &StepBar::new())
    }

    fn text(&self, report: &PushReport) -> String {
        let mut text = as_text(report, self.label);
        if report.was_replaced {
            let number = report.manifest.release.number;
            text.push_str(&format!(
                "release {number} has the same snapshots, but another release was activated after it, so it was not \
                 activated again; run 'daicho release activate {number}' to use it\n"
            ));
        }
        text
    }

    fn json(&self, report: &PushReport) -> Value {
        let mut value = as_json(report, self.label);
        value["published"] = self.url.into();
        value["was_left"] = report.was_replaced.into();
        value
    }
}
