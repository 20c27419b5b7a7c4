//! Days as Japan has them: what is counted is counted by them, and changes happen on them.

use jiff::Timestamp;
use jiff::tz::Offset;

use crate::text::codes::DataVersion;

/// Japan's time; there has been no summer time since 1951.
pub const JAPAN: Offset = Offset::constant(9);

/// The day that it is in Japan; `None` where the clock is in no year that dates have.
pub fn day_in_japan(moment: Timestamp) -> Option<DataVersion> {
    DataVersion::parse(&JAPAN.to_datetime(moment).date().to_string()).ok()
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
    }
}
