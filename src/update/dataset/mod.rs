//! Updates one dataset: checks the source, compares its edition with the installed version, and builds the new one.
//! One file for each dataset: what its source offers, and how a version is built from it.

pub(crate) mod daily;
mod holidays;

use self::holidays::Holidays;
use super::context::Context;
use super::dataset_source::{DatasetSource, NewVersion, Offer, Outcome};
use super::edition_files::EditionFiles;
use super::editions;
use super::error::UpdateError;
use super::options::{Mode, Subject};
use crate::dataset::bank::update::Bank;
use crate::dataset::corporate::update::Corporate;
use crate::dataset::invoice::update::Invoice;
use crate::dataset::postal::update::Postal;
use crate::dataset::school::update::School;

/// Updates the dataset of the context; without its last step if the options ask only for a check.
pub fn update_one(context: &Context<'_>) -> Result<Outcome, UpdateError> {
    match context.subject {
        Subject::Postal => update_from::<Postal>(context),
        Subject::Holidays => update_from::<Holidays>(context),
        Subject::Bank => update_from::<Bank>(context),
        Subject::Corporate => update_from::<Corporate>(context),
        Subject::Invoice => update_from::<Invoice>(context),
        Subject::School => update_from::<School>(context),
    }
}

fn update_from<S: DatasetSource>(context: &Context<'_>) -> Result<Outcome, UpdateError> {
    let Offer { edition: offered, installed, plan, files } = S::check_source(context)?;
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
