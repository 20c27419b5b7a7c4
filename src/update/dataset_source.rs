//! The source of a dataset: finds a new edition, and turns it into a version in the snapshot folder.

use std::path::PathBuf;

use super::context::Context;
use super::edition_files::EditionFiles;
use super::error::UpdateError;
use crate::text::codes::DataVersion;

/// A site that publishes a dataset in editions.
pub trait DatasetSource {
    /// What `check_source` found and `install` needs: dates, addresses.
    type Plan;

    /// Compares the source with the installed version. Reads pages, but downloads no data.
    fn check_source(context: &Context<'_>) -> Result<Offer<Self::Plan>, UpdateError>;

    /// Downloads, verifies and stores the files of the edition, builds a version from them and adds it to the snapshot
    /// folder.
    fn install(edition: EditionFiles<'_>, plan: Self::Plan) -> Result<NewVersion, UpdateError>;
}

/// What the source offers, compared with what is installed.
pub struct Offer<P> {
    /// The date of the newest edition; with a plan, the date of the version that it leads to.
    pub edition: DataVersion,
    pub installed: Option<DataVersion>,
    /// `None` if the edition is not newer than the installed version.
    pub plan: Option<P>,
    pub files: Vec<String>,
}

impl<P> Offer<P> {
    /// An offer of nothing newer.
    pub fn nothing(edition: DataVersion, installed: Option<DataVersion>) -> Offer<P> {
        Offer { edition, installed, plan: None, files: Vec::new() }
    }
}

pub struct NewVersion {
    pub path: PathBuf,
    pub summary: String,
}

#[derive(Debug)]
pub enum Outcome {
    /// The source has nothing newer.
    Current {
        offered: DataVersion,
        installed: Option<DataVersion>,
    },
    /// The source has something newer, but the options ask only for a check.
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
    /// The version installed after the update.
    pub fn installed(&self) -> Option<DataVersion> {
        match self {
            Outcome::Current { installed, .. } | Outcome::Available { installed, .. } => *installed,
            Outcome::Updated { edition, .. } => Some(*edition),
        }
    }
}
