//! One dataset at its source: what is new there, and how it becomes a version here.

use std::path::PathBuf;

use super::error::UpdateError;
use super::run::Run;
use crate::text::codes::DataVersion;

/// A dataset that a site releases in editions.
pub trait Release {
    /// What `look` found and `bring` needs.
    type Plan;

    /// What the source has beside what is installed. Asks for pages and the like, fetches no data.
    fn look(run: &Run<'_>) -> Result<Look<Self::Plan>, UpdateError>;

    /// Fetches what was found, checks it, keeps it, builds a version of it and publishes that.
    fn bring(run: &Run<'_>, plan: Self::Plan) -> Result<Published, UpdateError>;
}

pub struct Look<P> {
    /// The date that the source gives its edition.
    pub edition: DataVersion,
    pub installed: Option<DataVersion>,
    /// `None` where the edition is not newer than what is installed.
    pub plan: Option<P>,
    /// What would be fetched.
    pub files: Vec<String>,
}

pub struct Published {
    pub edition: DataVersion,
    pub path: PathBuf,
    /// What it holds, in a few words.
    pub summary: String,
}

/// What became of one dataset.
#[derive(Debug)]
pub enum Outcome {
    /// The source has nothing newer.
    Current {
        offered: DataVersion,
        installed: Option<DataVersion>,
    },
    /// There is something newer, and nothing was to be changed.
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
    /// The version that is installed now.
    pub fn installed(&self) -> Option<DataVersion> {
        match self {
            Outcome::Current { installed, .. } | Outcome::Available { installed, .. } => *installed,
            Outcome::Updated { edition, .. } => Some(*edition),
        }
    }
}
