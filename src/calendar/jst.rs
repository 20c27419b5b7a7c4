//! Japan Standard Time. Usage is counted by its days, and corporate data change by them.

use jiff::{Timestamp, civil::Date, tz::Offset};

use crate::text::codes::DataVersion;

/// UTC+9. Japan has had no summer time since 1951.
pub const JST: Offset = Offset::constant(9);

pub fn date_in_japan(moment: Timestamp) -> Date {
    JST.to_datetime(moment).date()
}

/// `None` if the clock is outside the years 0 to 9999.
pub fn day_in_japan(moment: Timestamp) -> Option<DataVersion> {
    DataVersion::from_date(date_in_japan(moment))
}

/// The start of a data version's day in Japan.
pub fn start_of_day(version: DataVersion) -> Timestamp {
    let midnight = version.date().at(0, 0, 0, 0);
    JST.to_timestamp(midnight).expect("a version's year has four digits, as a timestamp's may have")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_in_japan() {
        let day = |text: &str| {
            let day = day_in_japan(text.parse().expect("a time"));
            day.expect("a year of four digits").to_string()
        };
        assert_eq!(day("2026-08-03T14:59:59Z"), "2026-08-03");
        assert_eq!(day("2026-08-03T15:00:00Z"), "2026-08-04");
        for (version, start) in [
            ("2026-08-04", "2026-08-03T15:00:00Z"),
            ("0000-01-01", "-000001-12-31T15:00:00Z"),
            ("9999-12-30", "9999-12-29T15:00:00Z"),
        ] {
            let version = DataVersion::parse(version).expect("a date");
            assert_eq!(start_of_day(version).to_string(), start);
        }
    }
}
