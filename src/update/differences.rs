//! Full files and daily differences: which files bring a dataset to the newest day that a site lists.
//!
//! Differences are applied in the order of their days, each once, and no working day may be missing between
//! them. Pure: knows days, but no pages and no files.

use std::collections::BTreeSet;

use crate::calendar;
use crate::text::codes::DataVersion;

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
pub fn after_full(
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
