//! How old the newest data are, by how often their source publishes: Japan Post every month, so that postal data of
//! two months ago say that nobody updates them.
//!
//! What answers say of postal data is decided when data are loaded and once a day, by a clock that the caller reads, and never for a request.

use hyper::header::HeaderValue;

use crate::query::Catalog;
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;

/// From which age on data are old, where nothing else is said.
pub const AGE_DAYS_MAX: u32 = 60;

/// Days after which data say that nobody updates them: some more than their source ever pauses.
pub fn days_max(dataset: DatasetKind) -> u32 {
    match dataset {
        DatasetKind::Postal => AGE_DAYS_MAX,
        // Each working day, with ten days between two at the turn of the year.
        DatasetKind::Corporate | DatasetKind::Invoice => 14,
        // When banks and branches change, which is a few times a month.
        DatasetKind::Bank => 60,
        // Once or twice a year.
        DatasetKind::School => 400,
    }
}

/// The age of data in days, where it is above what their source's rhythm explains.
pub fn days_if_old(dataset: DatasetKind, version: DataVersion, today: DataVersion) -> Option<u32> {
    days(version, today).filter(|days| *days > days_max(dataset))
}

/// The age of data in days; `None` for those of a later day.
pub fn days(version: DataVersion, today: DataVersion) -> Option<u32> {
    u32::try_from(today.date().since(version.date()).ok()?.get_days()).ok()
}

/// Postal data that are old on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldData {
    pub version: DataVersion,
    pub days: u32,
    /// What answers from them say.
    pub header: HeaderValue,
}

/// The newest postal data, where they are more than so many days old; 0 is never.
pub fn old_postal(catalog: &Catalog, today: DataVersion, days_max: u32) -> Option<OldData> {
    let version = catalog.postal().latest()?.version();
    old(version, today, days_max)
}

fn old(version: DataVersion, today: DataVersion, days_max: u32) -> Option<OldData> {
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
    fn data_are_old_after_so_many_days() {
        let day = |text: &str| DataVersion::parse(text).expect("a date");
        #[track_caller]
        fn check(found: Option<OldData>, expected: Option<u32>) {
            assert_eq!(found.map(|old| old.days), expected);
        }
        check(old(day("2026-05-29"), day("2026-05-29"), 60), None);
        check(old(day("2026-05-29"), day("2026-07-28"), 60), None);
        check(old(day("2026-05-29"), day("2026-07-29"), 60), Some(61));
        check(old(day("2026-05-29"), day("2027-05-29"), 60), Some(365));
        check(old(day("2026-05-29"), day("2027-05-29"), 0), None);
        check(old(day("2026-05-29"), day("2020-01-01"), 60), None);
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
        let old = old(day("2026-05-29"), day("2026-07-29"), 60).expect("old");
        assert_eq!(old.header, "the postal data are of 2026-05-29 and 61 days old");
    }
}
