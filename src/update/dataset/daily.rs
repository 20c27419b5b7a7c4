//! Common code for corporate numbers and invoice issuers: a full file now and then, a difference each working
//! day, and a snapshot whose version is the day of the last applied difference.

use std::collections::BTreeSet;

use build_tools::stream::Input;

use crate::text::codes::DataVersion;
use crate::update::check;
use crate::update::differences::{self, Step};
use crate::update::error::UpdateError;
use crate::update::manifest::Kept;
use crate::update::release::Look;
use crate::update::run::Run;

/// A site with full files and differences.
pub trait Daily {
    fn differences(run: &Run<'_>) -> Result<Listed, UpdateError>;

    /// The date of the newest full file.
    fn full(run: &Run<'_>) -> Result<DataVersion, UpdateError>;

    /// The names of the files to download, for people.
    fn full_name(date: DataVersion) -> String;
    fn difference_name(date: DataVersion) -> String;
}

/// The differences listed by a site.
pub struct Listed {
    /// The page or folder that lists them.
    pub place: String,
    pub days: BTreeSet<DataVersion>,
}

/// The files to download and build from.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// The date of the full file to start from; `None`: start from the installed version.
    pub full: Option<DataVersion>,
    /// Ascending.
    pub differences: Vec<DataVersion>,
    /// The resulting version: the day of the last difference.
    pub edition: DataVersion,
}

impl Plan {
    fn begin(full: DataVersion, differences: Vec<DataVersion>) -> Plan {
        let edition = differences.last().copied().unwrap_or(full);
        Plan { full: Some(full), differences, edition }
    }

    fn go_on(differences: Vec<DataVersion>) -> Option<Plan> {
        let edition = *differences.last()?;
        Some(Plan { full: None, differences, edition })
    }
}

/// Compares the list of a site with the installed version. Reads the page of the full file only if needed.
pub fn look<D: Daily>(
    run: &Run<'_>,
    installed: Option<DataVersion>,
) -> Result<Look<Plan>, UpdateError> {
    let listed = D::differences(run)?;
    let plan = match differences::step(installed, &listed.days) {
        Step::Nothing => None,
        Step::Differences(differences) => Plan::go_on(differences),
        Step::Full => with_full(run, installed, D::full(run)?, &listed)?,
    };
    let newest = listed.days.last().copied().or(installed);
    let edition = plan.as_ref().map(|plan| plan.edition).or(newest);
    let edition = edition.expect("a list without a difference leads to a full file");
    let plan = plan.filter(|plan| installed.is_none_or(|installed| plan.edition > installed));
    let names = |plan: &Plan| {
        let differences = plan.differences.iter().map(|date| D::difference_name(*date));
        plan.full.map(D::full_name).into_iter().chain(differences).collect()
    };
    let files = plan.as_ref().map(names).unwrap_or_default();
    Ok(Look { edition, installed, plan, files })
}

fn with_full(
    run: &Run<'_>,
    installed: Option<DataVersion>,
    full: DataVersion,
    listed: &Listed,
) -> Result<Option<Plan>, UpdateError> {
    let gap = match differences::behind_full(installed, full, &listed.days) {
        Ok(differences) => return Ok(Some(Plan::begin(full, differences))),
        Err(gap) => gap,
    };
    let (since, missing) = (gap.since, gap.missing);
    let error = UpdateError::Gap { url: listed.place.clone(), since, missing };
    if !run.options.force {
        return Err(error);
    }
    run.warn(error.to_string());
    let newer = differences::newer(since, &listed.days);
    // If the gap starts at the installed version, that one is newer than the full file.
    if Some(since) == installed {
        Ok(Plan::go_on(newer))
    } else {
        Ok(Some(Plan::begin(full, newer)))
    }
}

/// Fails if a full file has far fewer or far more rows than the installed version.
pub fn compare_full(
    run: &Run<'_>,
    files: &[Kept],
    (known, version): (usize, DataVersion),
) -> Result<(), UpdateError> {
    let rows = files.iter().filter_map(|file| file.rows).sum();
    match files.first() {
        Some(first) if !run.options.force => {
            check::compare_rows(&first.url, rows, known as u64, version)
        }
        _ => Ok(()),
    }
}

pub fn inputs(files: &[Kept]) -> Vec<Input<'_>> {
    files.iter().map(|file| Input::Path(&file.path)).collect()
}
