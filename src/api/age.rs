//! How old the newest data are, compared with how often their source publishes: Japan Post publishes every month, so
//! postal data of two months ago show that updates have stopped. The notices about old data are decided when data are
//! loaded and once a day, by a clock that the caller reads, and never per request.

use hyper::header::HeaderValue;

use crate::dataset::postal::PostalData;
use crate::dataset::{AnyVersions, Catalog, Declaration, Facts};
use crate::snapshot::{Dataset, DatasetKind};
use crate::text::codes::DataVersion;

/// Default age from which postal data are old.
pub const AGE_DAYS_MAX: u32 = PostalData::AGE_DAYS_MAX;

/// The age of data in days, if they are older than their source usually leaves them.
pub fn days_if_old(dataset: &Facts, version: DataVersion, today: DataVersion) -> Option<u32> {
    days(version, today).filter(|days| *days > dataset.age_days_max)
}

/// The age of data in days; `None` for data of a later day.
pub fn days(version: DataVersion, today: DataVersion) -> Option<u32> {
    u32::try_from(today.date().since(version.date()).ok()?.get_days()).ok()
}

/// Data of a kind that are old on the day of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldData {
    pub kind: DatasetKind,
    pub version: DataVersion,
    pub days: u32,
    pub header: HeaderValue,
}

/// The newest data of each kind that are older than their source usually leaves them. `postal_days_max` is the
/// operator's limit for postal data; 0 disables the check of all.
pub fn old_data(catalog: &Catalog, today: DataVersion, postal_days_max: u32) -> Vec<OldData> {
    if postal_days_max == 0 {
        return Vec::new();
    }
    let old = |versions: &dyn AnyVersions| {
        let facts = versions.facts();
        let days_max = match facts.kind == PostalData::KIND {
            true => postal_days_max,
            false => facts.age_days_max,
        };
        old(facts.kind, versions.newest()?.version(), today, days_max)
    };
    catalog.datasets().into_iter().filter_map(old).collect()
}

fn old(
    kind: DatasetKind,
    version: DataVersion,
    today: DataVersion,
    days_max: u32,
) -> Option<OldData> {
    let days = days(version, today).filter(|days| *days > days_max)?;
    let text = format!("the {kind} data are of {version} and {days} days old");
    Some(OldData { kind, version, days, header: HeaderValue::try_from(text).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::facts_named;

    #[test]
    fn data_are_old_after_the_limit_of_days() {
        let day = |text: &str| DataVersion::parse(text).expect("a date");
        #[track_caller]
        fn check(found: Option<OldData>, expected: Option<u32>) {
            assert_eq!(found.map(|old| old.days), expected);
        }
        check(old(PostalData::KIND, day("2026-05-29"), day("2026-05-29"), 60), None);
        check(old(PostalData::KIND, day("2026-05-29"), day("2026-07-28"), 60), None);
        check(old(PostalData::KIND, day("2026-05-29"), day("2026-07-29"), 60), Some(61));
        check(old(PostalData::KIND, day("2026-05-29"), day("2027-05-29"), 60), Some(365));
        check(old(PostalData::KIND, day("2026-05-29"), day("2020-01-01"), 60), None);
        for (dataset, today, expected) in [
            ("corporate", "2026-06-12", None),
            ("invoice", "2026-06-13", Some(15)),
            ("postal", "2026-07-28", None),
            ("bank", "2026-07-29", Some(61)),
            ("school", "2027-06-01", None),
            ("school", "2020-06-01", None),
        ] {
            let facts = facts_named(dataset).expect("a dataset");
            let found = days_if_old(facts, day("2026-05-29"), day(today));
            assert_eq!(found, expected, "{dataset} {today}");
        }
        let old = old(PostalData::KIND, day("2026-05-29"), day("2026-07-29"), 60).expect("old");
        assert_eq!(old.header, "the postal data are of 2026-05-29 and 61 days old");
    }
}
