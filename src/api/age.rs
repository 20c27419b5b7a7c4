//! How old the newest postal data are: Japan Post publishes an edition every month, so that data of two months
//! ago say that nobody updates them.
//!
//! Decided when data are loaded and once a day, by a clock that the caller reads, and never for a request.

use hyper::header::HeaderValue;

use crate::query::Catalog;
use crate::text::codes::DataVersion;

/// From which age on data are old, where nothing else is said.
pub const AGE_DAYS_MAX: u32 = 60;

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
    let days = u32::try_from(today.date().since(version.date()).ok()?.get_days()).ok()?;
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
        let old = old(day("2026-05-29"), day("2026-07-29"), 60).expect("old");
        assert_eq!(old.header, "the postal data are of 2026-05-29 and 61 days old");
    }
}
