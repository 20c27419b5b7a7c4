//! Common code for corporate numbers and invoice issuers: a full file now and then, a difference each working day, and
//! a snapshot whose version is the day of the last applied difference.
//!
//! [`next_step`] decides which files bring a dataset to the newest day that a site lists. Differences are applied in
//! the order of their days, each once, and no working day may be missing between them. It is pure: it knows days, but
//! no pages and no files.

use std::collections::BTreeSet;

use build_tools::stream::Input;

use crate::calendar;
use crate::text::codes::DataVersion;
use crate::update::address::Site;
use crate::update::context::Context;
use crate::update::dataset_source::Offer;
use crate::update::editions::SourceFile;
use crate::update::error::{Result, UpdateError};
use crate::update::file_spec::DatedName;
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

    fn read_full_date(page: &Page) -> Result<DataVersion>;

    fn read_days(page: &Page) -> Result<BTreeSet<DataVersion>>;
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

fn listed_differences<D: DailySource>(context: &Context<'_>) -> Result<DifferenceList> {
    if let Some(folder) = context.local_folder {
        let days = folder.names.iter().filter_map(|name| D::DIFFERENCE.date(name)).collect();
        return Ok(DifferenceList { source: folder.path.display().to_string(), days });
    }
    let page = context.session().page(&context.address(D::SITE, DIFFERENCE_PAGE))?;
    Ok(DifferenceList { days: D::read_days(&page)?, source: page.address.to_string() })
}

/// The date of the newest full file.
fn full_date<D: DailySource>(context: &Context<'_>) -> Result<DataVersion> {
    if let Some(folder) = context.local_folder {
        return folder.newest_date(D::date_of_full, D::FULL_EXAMPLE);
    }
    D::read_full_date(&context.session().page(&context.address(D::SITE, FULL_PAGE))?)
}

/// Compares the list of a site with the installed version. Reads the page of the full file only if needed.
pub fn check_source<D: DailySource>(
    context: &Context<'_>,
    installed: Option<DataVersion>,
) -> Result<Offer<Plan>> {
    let listed = listed_differences::<D>(context)?;
    if let Some(newest) = listed.days.last() {
        context.check_not_to_come(*newest)?;
    }
    let plan = match next_step(installed, &listed.days) {
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
) -> Result<Option<Plan>> {
    let gap = match after_full(installed, full, &listed.days) {
        Ok(differences) => return Ok(Some(Plan::from_full(full, differences))),
        Err(gap) => gap,
    };
    let (since, missing) = (gap.since, gap.missing);
    let error = UpdateError::Gap { url: listed.source.clone(), since, missing };
    if !context.options.force {
        return Err(error);
    }
    context.warn(error.to_string());
    let newer = newer(since, &listed.days);
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
) -> Result<()> {
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

/// The next step, according to the list of differences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// No difference is newer than the installed version.
    Nothing,
    /// Apply these to the installed version, ascending.
    Differences(Vec<DataVersion>),
    /// A full file is needed: nothing is installed, days are missing, or no difference is listed.
    Full,
}

/// Working days without a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    pub since: DataVersion,
    pub missing: Vec<DataVersion>,
}

/// What brings the installed version to the newest listed day.
pub fn next_step(installed: Option<DataVersion>, listed: &BTreeSet<DataVersion>) -> Step {
    let Some(installed) = installed else { return Step::Full };
    if listed.is_empty() {
        return Step::Full;
    }
    let newer = newer(installed, listed);
    if newer.is_empty() {
        Step::Nothing
    } else if missing(installed, listed).is_empty() {
        Step::Differences(newer)
    } else {
        Step::Full
    }
}

/// The differences to apply to a full file; an error if working days are missing between them.
fn after_full(
    installed: Option<DataVersion>,
    full: DataVersion,
    listed: &BTreeSet<DataVersion>,
) -> Result<Vec<DataVersion>, Gap> {
    let since = installed.filter(|installed| *installed >= full).unwrap_or(full);
    match missing(since, listed) {
        none if none.is_empty() => Ok(newer(full, listed)),
        missing => Err(Gap { since, missing }),
    }
}

/// The listed days after this one, ascending.
pub fn newer(since: DataVersion, listed: &BTreeSet<DataVersion>) -> Vec<DataVersion> {
    listed.iter().copied().filter(|day| *day > since).collect()
}

/// Working days after this day, up to the newest listed one, that are not listed.
fn missing(since: DataVersion, listed: &BTreeSet<DataVersion>) -> Vec<DataVersion> {
    let Some(newest) = listed.last() else { return Vec::new() };
    let days = calendar::office_days_between(since.date(), newest.date());
    days.filter_map(DataVersion::from_date).filter(|day| !listed.contains(day)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u32) -> DataVersion {
        DataVersion::from_number(number).expect("a day")
    }

    fn days(numbers: &[u32]) -> Vec<DataVersion> {
        numbers.iter().copied().map(day).collect()
    }

    /// Working days of August 2026, whose 11th is a holiday.
    const AUGUST: [u32; 9] = [
        20_260_803, 20_260_804, 20_260_805, 20_260_806, 20_260_807, 20_260_810, 20_260_812,
        20_260_813, 20_260_814,
    ];

    fn listed(without: &[u32]) -> BTreeSet<DataVersion> {
        AUGUST.into_iter().filter(|number| !without.contains(number)).map(day).collect()
    }

    #[test]
    fn differences_continue_from_the_installed_day() {
        #[track_caller]
        fn check(installed: Option<u32>, without: &[u32], expected: Step) {
            assert_eq!(next_step(installed.map(day), &listed(without)), expected, "{installed:?}");
        }
        let after = |count: usize| Step::Differences(days(&AUGUST[count..]));
        check(None, &[], Step::Full);
        check(Some(20_260_814), &[], Step::Nothing);
        check(Some(20_260_901), &[], Step::Nothing);
        check(Some(20_260_813), &[], after(8));
        check(Some(20_260_731), &[], after(0));
        // A Friday and a Sunday are both followed by the Monday.
        check(Some(20_260_802), &[], after(0));
        check(Some(20_260_810), &[], after(6));
        // The oldest difference is later than the next working day.
        check(Some(20_260_730), &[], Step::Full);
        check(Some(20_260_731), &[20_260_803], Step::Full);
        check(Some(20_260_731), &[20_260_806], Step::Full);
        // A missing day before the installed one does not matter.
        check(Some(20_260_810), &[20_260_806], after(6));
        assert_eq!(
            next_step(Some(day(20_260_731)), &BTreeSet::new()),
            Step::Full,
            "only full files"
        );
        // The newest day may be late.
        check(Some(20_260_813), &[20_260_814], Step::Nothing);
    }

    #[test]
    fn a_full_file_covers_the_days_up_to_its_date() {
        #[track_caller]
        fn check(
            installed: Option<u32>,
            full: u32,
            without: &[u32],
            expected: Result<&[u32], &[u32]>,
        ) {
            let found = after_full(installed.map(day), day(full), &listed(without));
            let found = found.map_err(|gap| gap.missing);
            assert_eq!(found, expected.map(days).map_err(days), "{installed:?} {full} {without:?}");
        }
        check(None, 20_260_731, &[], Ok(&AUGUST));
        check(None, 20_260_807, &[20_260_806], Ok(&AUGUST[5..]));
        check(None, 20_260_831, &[], Ok(&[]));
        check(None, 20_260_731, &[20_260_806, 20_260_810], Err(&[20_260_806, 20_260_810]));
        check(Some(20_260_430), 20_260_731, &[], Ok(&AUGUST));
        check(Some(20_260_805), 20_260_731, &[20_260_806], Err(&[20_260_806]));
        check(Some(20_260_805), 20_260_807, &[20_260_806], Ok(&AUGUST[5..]));
        check(Some(20_260_805), 20_260_805, &[20_260_806], Err(&[20_260_806]));
        assert_eq!(after_full(None, day(20_260_731), &BTreeSet::new()), Ok(Vec::new()));
    }

    #[test]
    fn no_day_is_missed_around_new_year() {
        let listed: BTreeSet<DataVersion> = [20_261_228, 20_270_104].into_iter().map(day).collect();
        assert_eq!(
            next_step(Some(day(20_261_228)), &listed),
            Step::Differences(days(&[20_270_104]))
        );
        assert_eq!(
            next_step(Some(day(20_261_225)), &listed),
            Step::Differences(days(&[20_261_228, 20_270_104]))
        );
    }
}
