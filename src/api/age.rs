//! How old the newest data are, compared with how often their source publishes. Japan Post publishes every month,
//! so postal data of two months ago show that updates have stopped.
//!
//! The notice about old postal data is decided when data are loaded and once a day, by a clock that the caller
//! reads, and never per request.

use hyper::header::HeaderValue;

use crate::dataset::catalog::Catalog;
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;

/// Default age from which postal data are old.
pub const AGE_DAYS_MAX: u32 = 60;

/// Days after which a dataset counts as not updated: somewhat more than the longest pause of its source.
pub fn days_max(dataset: DatasetKind) -> u32 {
    match dataset {
        DatasetKind::Postal => AGE_DAYS_MAX,
        // Published each working day, with up to ten days between two at the turn of the year.
        DatasetKind::Corporate | DatasetKind::Invoice => 14,
        // Published when banks and branches change, a few times a month.
        DatasetKind::Bank => 60,
        // Once or twice a year.
        DatasetKind::School => 400,
    }
}

/// The age of data in days, if they are older than [`days_max`].
pub fn days_if_old(dataset: DatasetKind, version: DataVersion, today: DataVersion) -> Option<u32> {
    days(version, today).filter(|days| *days > days_max(dataset))
}

/// The age of data in days; `None` for data of a later day.
pub fn days(version: DataVersion, today: DataVersion) -> Option<u32> {
    u32::try_from(today.date().since(version.date()).ok()?.get_days()).ok()
}

/// Postal data that are old on the day of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldData {
    pub version: DataVersion,
    pub days: u32,
    pub header: HeaderValue,
}

/// The newest postal data, if they are older than `days_max`; 0 disables the check.
pub fn old_postal(catalog: &Catalog, today: DataVersion, days_max: u32) -> Option<OldData> {
    let version = catalog.postal().latest()?.version();
    old_data(version, today, days_max)
}

fn old_data(version: DataVersion, today: DataVersion, days_max: u32) -> Option<OldData> {
    let days = days(version, today)?;
    if days_max == 0 || days <= days_max {
        return None;
    }
    let text = format!("the postal data are of {version} and {days} days old");
    Some(OldData { version, days, header: HeaderValue::try_from(text).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_old_after_the_limit_of_days() {
        let day = |text: &str| DataVersion::parse(text).expect("a date");
        #[track_caller]
        fn check(found: Option<OldData>, expected: Option<u32>) {
            assert_eq!(found.map(|old| old.days), expected);
        }
        check(old_data(day("2026-05-29"), day("2026-05-29"), 60), None);
        check(old_data(day("2026-05-29"), day("2026-07-28"), 60), None);
        check(old_data(day("2026-05-29"), day("2026-07-29"), 60), Some(61));
        check(old_data(day("2026-05-29"), day("2027-05-29"), 60), Some(365));
        check(old_data(day("2026-05-29"), day("2027-05-29"), 0), None);
        check(old_data(day("2026-05-29"), day("2020-01-01"), 60), None);
        for (dataset, today, expected) in [
            (DatasetKind::Corporate, "2026-06-12", None),
            (DatasetKind::Invoice, "2026-06-13", Some(15)),
            (DatasetKind::Postal, "2026-07-28", None),
            (DatasetKind::Bank, "2026-07-29", Some(61)),
            (DatasetKind::School, "2027-06-01", None),
            (DatasetKind::School, "2020-06-01", None),
        ] {
            let found = days_if_old(dataset, day("2026-05-29"), day(today));
            assert_eq!(found, expected, "{dataset:?} {today}");
        }
        let old = old_data(day("2026-05-29"), day("2026-07-29"), 60).expect("old");
        assert_eq!(old.header, "the postal data are of 2026-05-29 and 61 days old");
    }
}
