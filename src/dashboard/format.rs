//! Formats numbers and times for people.

use jiff::Timestamp;

use crate::calendar::JST;
pub use crate::text::amounts::grouped;

/// Shown in place of a missing value.
pub const NOTHING: &str = "–";

/// A moment to the minute, in Japan's time: the data are Japan's, and so are most users.
pub fn minute(moment: Timestamp) -> String {
    JST.to_datetime(moment).strftime("%Y-%m-%d %H:%M JST").to_string()
}

/// The same, from seconds since 1970.
pub fn minute_of(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| NOTHING.to_owned(), minute)
}

/// The hour of a moment, in Japan's time.
pub fn hour(moment: Timestamp) -> String {
    JST.to_datetime(moment).strftime("%Y-%m-%d %H:00–%H:59 JST").to_string()
}

pub fn megabytes(bytes: u64) -> String {
    let tenths = (bytes + 50_000) / 100_000;
    format!("{}.{} MB", grouped(tenths / 10), tenths % 10)
}

/// A number, abbreviated: `12.3k`, `5M`.
pub fn short(value: f64) -> String {
    let (value, letter) = match value {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e4 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let text = if value >= 100.0 || value.fract() == 0.0 {
        format!("{value:.0}")
    } else if value >= 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.3}").trim_end_matches('0').to_owned()
    };
    format!("{text}{letter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_formatted() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (5_812_345, "5,812,345")]
        {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(megabytes(27_049_999), "27.0 MB");
        assert_eq!(megabytes(1_234_560_000), "1,234.6 MB");
        let moment = Timestamp::from_second(1_785_452_400).expect("a moment");
        assert_eq!(minute(moment), "2026-07-31 08:00 JST");
        assert_eq!(hour(moment), "2026-07-31 08:00–08:59 JST");
        assert_eq!(minute_of(i64::MAX), NOTHING);
    }

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (0.05, "0.05"),
            (1.25, "1.2"),
            (250.0, "250"),
            (9_999.0, "9999"),
            (12_300.0, "12.3k"),
            (5_000_000.0, "5M"),
        ] {
            assert_eq!(short(value), expected);
        }
    }
}
