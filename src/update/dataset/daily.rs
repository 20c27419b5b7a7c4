//! Common code for corporate numbers and invoice issuers: a full file now and then, a difference each working
//! day, and a snapshot whose version is the day of the last applied difference.

use std::collections::BTreeSet;

use build_tools::stream::Input;

use crate::text::codes::DataVersion;
use crate::update::address::Site;
use crate::update::context::Context;
use crate::update::dataset_source::Offer;
use crate::update::differences::{self, Step};
use crate::update::editions::SourceFile;
use crate::update::error::UpdateError;
use crate::update::official_name::DatedName;
use crate::update::page::Page;
use crate::update::verify;

/// The names of the pages in the settings.
pub const FULL_PAGE: &str = "full-page";
pub const DIFFERENCE_PAGE: &str = "difference-page";

/// A site with full files and differences.
pub trait DailySource {
    const SITE: Site;
    const DIFFERENCE: DatedName;
    /// An example of the name of a full file, for messages.
    const FULL_EXAMPLE: &str;

    /// The name of a full file, for messages.
    fn full_name(date: DataVersion) -> String;

    /// The date in the name of a full file.
    fn date_of_full(name: &str) -> Option<DataVersion>;

    fn read_full_date(page: &Page) -> Result<DataVersion, UpdateError>;

    fn read_days(page: &Page) -> Result<BTreeSet<DataVersion>, UpdateError>;
}

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

fn listed_differences<D: DailySource>(
    context: &Context<'_>,
) -> Result<DifferenceList, UpdateError> {
    if let Some(folder) = context.local_folder {
        let days = folder.names.iter().filter_map(|name| D::DIFFERENCE.date(name)).collect();
        return Ok(DifferenceList { source: folder.path.display().to_string(), days });
    }
    let page = context.session().page(&context.address(D::SITE, DIFFERENCE_PAGE))?;
    Ok(DifferenceList { days: D::read_days(&page)?, source: page.address.to_string() })
}

/// The date of the newest full file.
fn full_date<D: DailySource>(context: &Context<'_>) -> Result<DataVersion, UpdateError> {
    if let Some(folder) = context.local_folder {
        return folder.newest_date(D::date_of_full, D::FULL_EXAMPLE);
    }
    D::read_full_date(&context.session().page(&context.address(D::SITE, FULL_PAGE))?)
}

/// Compares the list of a site with the installed version. Reads the page of the full file only if needed.
pub fn check_source<D: DailySource>(
    context: &Context<'_>,
    installed: Option<DataVersion>,
) -> Result<Offer<Plan>, UpdateError> {
    let listed = listed_differences::<D>(context)?;
    let plan = match differences::next_step(installed, &listed.days) {
        Step::Nothing => None,
        Step::Differences(differences) => Plan::from_installed(differences),
        Step::Full => plan_from_full(context, installed, full_date::<D>(context)?, &listed)?,
    };
    let newest = listed.days.last().copied().or(installed);
    let edition = plan.as_ref().map(|plan| plan.edition).or(newest);
    let edition = edition.expect("a list without a difference leads to a full file");
    let plan = plan.filter(|plan| installed.is_none_or(|installed| plan.edition > installed));
    let names = |plan: &Plan| {
        let differences = plan.differences.iter().map(|date| D::DIFFERENCE.of(*date));
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

/// Fails if full files have far fewer or far more rows than the version or edition before.
pub fn compare_full(
    context: &Context<'_>,
    files: &[SourceFile],
    rows: u64,
    expected_rows: u64,
    before: DataVersion,
) -> Result<(), UpdateError> {
    match files.first() {
        Some(first) if !context.options.force => {
            verify::compare_rows(&first.url, rows, expected_rows, before)
        }
        _ => Ok(()),
    }
}

pub fn inputs(files: &[SourceFile]) -> Vec<Input<'_>> {
    files.iter().map(|file| Input::Path(&file.path)).collect()
}
