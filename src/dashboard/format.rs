//! Formats numbers and times for people.

use jiff::Timestamp;

use crate::calendar::JST;
pub use crate::text::amounts::grouped;

/// Shown in place of a missing value.
pub const NO_VALUE: &str = "–";

/// A time to the minute, in Japan: the data are Japanese, and so are most users.
pub fn format_minute(time: Timestamp) -> String {
    JST.to_datetime(time).strftime("%Y-%m-%d %H:%M JST").to_string()
}

/// [`format_minute`] of a time in seconds since 1970.
pub fn format_unix_minute(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| NO_VALUE.to_owned(), format_minute)
}

/// The hour in which a time is, in Japan.
pub fn format_hour(time: Timestamp) -> String {
    JST.to_datetime(time).strftime("%Y-%m-%d %H:00–%H:59 JST").to_string()
}

pub fn format_megabytes(bytes: u64) -> String {
    let tenths = (bytes + 50_000) / 100_000;
    format!("{}.{} MB", grouped(tenths / 10), tenths % 10)
}

/// A number in few characters: `12.3k`, `5M`.
pub fn abbreviate(value: f64) -> String {
    let (value, suffix) = match value {
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
    format!("{text}{suffix}")
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
        assert_eq!(format_megabytes(27_049_999), "27.0 MB");
        assert_eq!(format_megabytes(1_234_560_000), "1,234.6 MB");
        let time = Timestamp::from_second(1_785_452_400).expect("in range");
        assert_eq!(format_minute(time), "2026-07-31 08:00 JST");
        assert_eq!(format_hour(time), "2026-07-31 08:00–08:59 JST");
        assert_eq!(format_unix_minute(i64::MAX), NO_VALUE);
    }

    #[test]
    fn large_numbers_are_abbreviated() {
        for (value, expected) in [
            (0.0, "0"),
            (0.05, "0.05"),
            (1.25, "1.2"),
            (250.0, "250"),
            (9_999.0, "9999"),
            (12_300.0, "12.3k"),
            (5_000_000.0, "5M"),
        ] {
            assert_eq!(abbreviate(value), expected);
        }
    }
}
