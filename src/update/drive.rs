//! Updates one dataset as far as the options allow: checks the source, compares it with the installed version,
//! builds.

use super::dataset::{bank::Bank, corporate::Corporate, holidays::Holidays, invoice::Invoice};
use super::dataset::{postal::Postal, school::School};
use super::error::UpdateError;
use super::keep;
use super::options::Mode;
use super::release::{Look, Outcome, Published, Release};
use super::run::Run;
use super::subject::Subject;

/// Updates the dataset of this run as far as its options allow.
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
            "the source offers {offered}, which is older than the installed {installed}; keeping {installed}"
        ));
    }
    if run.options.mode == Mode::Update {
        keep::recover(&keep::folder_of(&run.options.snapshots, run.subject), installed)?;
    }
    let Some(plan) = plan else { return Ok(Outcome::Current { offered, installed }) };
    if run.options.mode == Mode::Look {
        return Ok(Outcome::Available { offered, installed, files });
    }
    let Published { edition, path, summary } = R::bring(run, plan)?;
    Ok(Outcome::Updated { edition, before: installed, path, summary })
}
