//! The source of a dataset: finds a new edition, and turns it into a version in the snapshot folder; and the steps of an
//! update, which are the same for all.

use std::path::PathBuf;

use super::context::{Context, version_of};
use super::edition_files::EditionFiles;
use super::editions;
use super::error::Result;
use super::options::{Mode, Subject};
use crate::text::codes::DataVersion;

/// A site that publishes a dataset in editions.
pub trait DatasetSource {
    /// What `check_source` found and `install` needs: dates, addresses.
    type Plan;

    /// Whether a folder without the dataset gets it by an update that names nothing.
    const IN_EVERY_FOLDER: bool = false;

    /// Compares the source with the installed version. Reads pages, but downloads no data.
    fn check_source(context: &Context<'_>) -> Result<Offer<Self::Plan>>;

    /// Downloads, verifies and stores the files of the edition, builds a version from them and adds it to the snapshot
    /// folder.
    fn install(edition: EditionFiles<'_>, plan: Self::Plan) -> Result<NewVersion>;
}

/// A source whose type is not known where it is used.
#[derive(Debug, Clone, Copy)]
pub struct UpdateSource {
    pub subject: Subject,
    /// Whether a folder without it gets it by an update that names nothing.
    pub in_every_folder: bool,
    update: fn(&Context<'_>) -> Result<Outcome>,
}

impl UpdateSource {
    pub const fn new<S: DatasetSource>(subject: Subject) -> UpdateSource {
        UpdateSource { subject, in_every_folder: S::IN_EVERY_FOLDER, update: update_from::<S> }
    }

    /// Updates the subject of the context; without its last step if the options ask only for a check.
    pub(super) fn update(&self, context: &Context<'_>) -> Result<Outcome> {
        (self.update)(context)
    }
}

fn update_from<S: DatasetSource>(context: &Context<'_>) -> Result<Outcome> {
    let Offer { edition: offered, installed, plan, files } = S::check_source(context)?;
    context.check_not_to_come(offered)?;
    if let Some(installed) = installed.filter(|installed| *installed > version_of(context.today)) {
        context.warn(format!(
            "the installed {installed} is of a day to come, so that true editions before it count as older; if it is \
             wrong, remove it"
        ));
    }
    if let Some(installed) = installed.filter(|installed| offered < *installed) {
        context.warn(format!(
            "the source offers {offered}, which is older than the installed {installed}; keeping {installed}"
        ));
    }
    if context.options.mode == Mode::Update {
        editions::recover(&context.sources_folder(), installed)?;
    }
    let Some(plan) = plan else { return Ok(Outcome::Current { offered, installed }) };
    if context.options.mode == Mode::Check {
        return Ok(Outcome::Available { offered, installed, files });
    }
    let NewVersion { path, summary } = S::install(EditionFiles::open(context, offered)?, plan)?;
    Ok(Outcome::Updated { edition: offered, before: installed, path, summary })
}

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
