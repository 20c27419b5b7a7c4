//! Common code for corporate numbers and invoice issuers: a full file now and then, a difference each working
//! day, and a snapshot whose version is the day of the last applied difference.

use std::collections::BTreeSet;

use build_tools::stream::Input;

use crate::text::codes::DataVersion;
use crate::update::context::Context;
use crate::update::dataset_source::Offer;
use crate::update::differences::{self, Step};
use crate::update::error::UpdateError;
use crate::update::manifest::SourceFile;
use crate::update::verify;

/// A site with full files and differences.
pub trait DailySource {
    /// The differences that the site lists.
    fn differences(context: &Context<'_>) -> Result<DifferenceList, UpdateError>;

    /// The date of the newest full file.
    fn full_date(context: &Context<'_>) -> Result<DataVersion, UpdateError>;

    /// The name of a full file, for messages.
    fn full_name(date: DataVersion) -> String;
    /// The name of a difference, for messages.
    fn difference_name(date: DataVersion) -> String;
}

/// The differences listed by a site.
pub struct DifferenceList {
    /// The page or folder that lists them.
    pub source: String,
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
    fn from_full(full: DataVersion, differences: Vec<DataVersion>) -> Plan {
        let edition = differences.last().copied().unwrap_or(full);
        Plan { full: Some(full), differences, edition }
    }

    fn from_installed(differences: Vec<DataVersion>) -> Option<Plan> {
        let edition = *differences.last()?;
        Some(Plan { full: None, differences, edition })
    }
}

/// Compares the list of a site with the installed version. Reads the page of the full file only if needed.
pub fn check_source<D: DailySource>(
    context: &Context<'_>,
    installed: Option<DataVersion>,
) -> Result<Offer<Plan>, UpdateError> {
    let listed = D::differences(context)?;
    let plan = match differences::next_step(installed, &listed.days) {
        Step::Nothing => None,
        Step::Differences(differences) => Plan::from_installed(differences),
        Step::Full => plan_from_full(context, installed, D::full_date(context)?, &listed)?,
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
    Ok(Offer { edition, installed, plan, files })
}

/// Plans to start from the full file. If differences are missing after it, fails or, with `force`, skips the missing
/// days.
fn plan_from_full(
    context: &Context<'_>,
    installed: Option<DataVersion>,
    full: DataVersion,
    listed: &DifferenceList,
) -> Result<Option<Plan>, UpdateError> {
    let gap = match differences::after_full(installed, full, &listed.days) {
        Ok(differences) => return Ok(Some(Plan::from_full(full, differences))),
        Err(gap) => gap,
    };
    let (since, missing) = (gap.since, gap.missing);
    let error = UpdateError::Gap { url: listed.source.clone(), since, missing };
    if !context.options.force {
        return Err(error);
    }
    context.warn(error.to_string());
    let newer = differences::newer(since, &listed.days);
    // If the gap starts at the installed version, that one is newer than the full file.
    if Some(since) == installed {
        Ok(Plan::from_installed(newer))
    } else {
        Ok(Some(Plan::from_full(full, newer)))
    }
}

/// Fails if a full file has far fewer or far more rows than the installed version.
pub fn compare_full(
    context: &Context<'_>,
    files: &[SourceFile],
    expected_rows: u64,
    version: DataVersion,
) -> Result<(), UpdateError> {
    let rows = files.iter().filter_map(|file| file.rows).sum();
    match files.first() {
        Some(first) if !context.options.force => {
            verify::compare_rows(&first.url, rows, expected_rows, version)
        }
        _ => Ok(()),
    }
}

pub fn inputs(files: &[SourceFile]) -> Vec<Input<'_>> {
    files.iter().map(|file| Input::Path(&file.path)).collect()
}
