//! One dataset at its source: what is new there, and how it becomes a version here.

use std::path::PathBuf;

use super::dataset::{bank::Bank, corporate::Corporate, holidays::Holidays, invoice::Invoice};
use super::dataset::{postal::Postal, school::School};
use super::error::UpdateError;
use super::options::Mode;
use super::run::Run;
use super::subject::Subject;
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

/// Brings the dataset of this run up to date, as far as its options say.
pub fn drive(run: &Run<'_>) -> Result<Outcome, UpdateError> {
    match run.subject {
        Subject::Postal => drive_one::<Postal>(run),
        Subject::Holidays => drive_one::<Holidays>(run),
        Subject::Bank => drive_one::<Bank>(run),
        Subject::Corporate => drive_one::<Corporate>(run),
        Subject::Invoice => drive_one::<Invoice>(run),
        Subject::School => drive_one::<School>(run),
    }
}

fn drive_one<R: Release>(run: &Run<'_>) -> Result<Outcome, UpdateError> {
    let Look { edition: offered, installed, plan, files } = R::look(run)?;
    if let Some(installed) = installed.filter(|installed| offered < *installed) {
        run.warn(format!(
            "the source offers {offered}, older than {installed}, which is installed and stays"
        ));
    }
    let Some(plan) = plan else { return Ok(Outcome::Current { offered, installed }) };
    if run.options.mode == Mode::Look {
        return Ok(Outcome::Available { offered, installed, files });
    }
    let Published { edition, path, summary } = R::bring(run, plan)?;
    Ok(Outcome::Updated { edition, before: installed, path, summary })
}
