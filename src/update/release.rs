//! A dataset at its source: finding a new edition and turning it into a version.

use std::path::PathBuf;

use super::error::UpdateError;
use super::run::Run;
use crate::text::codes::DataVersion;

/// A dataset that a site releases in editions.
pub trait Release {
    /// The result of `look` that `bring` needs.
    type Plan;

    /// Compares the source with the installed version. Reads pages, but downloads no data.
    fn look(run: &Run<'_>) -> Result<Look<Self::Plan>, UpdateError>;

    /// Downloads, verifies and keeps the files, builds a version from them and publishes it.
    fn bring(run: &Run<'_>, plan: Self::Plan) -> Result<Published, UpdateError>;
}

pub struct Look<P> {
    /// The date of the edition, as given by the source.
    pub edition: DataVersion,
    pub installed: Option<DataVersion>,
    /// `None` if the edition is not newer than the installed version.
    pub plan: Option<P>,
    /// The files that would be downloaded.
    pub files: Vec<String>,
}

pub struct Published {
    pub edition: DataVersion,
    pub path: PathBuf,
    /// A short description of its content.
    pub summary: String,
}

/// The result for one dataset.
#[derive(Debug)]
pub enum Outcome {
    /// The source has nothing newer.
    Current {
        offered: DataVersion,
        installed: Option<DataVersion>,
    },
    /// The source has something newer, but this run only checks.
    Available {
        offered: DataVersion,
        installed: Option<DataVersion>,
        files: Vec<String>,
    },
    Updated {
        edition: DataVersion,
        before: Option<DataVersion>,
        path: PathBuf,
        summary: String,
    },
}

impl Outcome {
    /// The version installed after the run.
    pub fn installed(&self) -> Option<DataVersion> {
        match self {
            Outcome::Current { installed, .. } | Outcome::Available { installed, .. } => *installed,
            Outcome::Updated { edition, .. } => Some(*edition),
        }
    }
}
