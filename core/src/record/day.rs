//! A date in a record: a count of days, so that the difference of two dates takes few bits.

use std::sync::LazyLock;

use jiff::{Span, civil::Date};

/// Days since 2015-10-05, when the first corporate numbers were assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Day(pub i32);

const FIRST: Date = Date::constant(2015, 10, 5);

/// Stands for dates that do not exist. Sources contain none, since their readers reject such rows.
const NO_DATE: Date = Date::constant(0, 1, 1);

/// The dates of the first days, until 2060: nearly all dates of records. Computing a date takes ten times as long as
/// reading it here.
static DATES: LazyLock<[u32; 1 << 14]> =
    LazyLock::new(|| std::array::from_fn(|day| Day(day as i32).compute_date()));

impl Day {
    /// The day of a date such as 20260731.
    pub fn from_date(date: u32) -> Day {
        let part = |number: u32| i8::try_from(number % 100).unwrap_or_default();
        let year = i16::try_from(date / 10_000).unwrap_or_default();
        let date = Date::new(year, part(date / 100), part(date)).unwrap_or(NO_DATE);
        Day((date - FIRST).get_days())
    }

    /// The date as a number that sorts in the same order: 20260731; 0 outside the years 1 to 9999.
    #[inline]
    pub fn date(self) -> u32 {
        let known = usize::try_from(self.0).ok().and_then(|day| DATES.get(day));
        known.copied().unwrap_or_else(|| self.compute_date())
    }

    #[cold]
    fn compute_date(self) -> u32 {
        let days = Span::new().try_days(self.0).ok();
        let date = days.and_then(|days| FIRST.checked_add(days).ok());
        date.filter(|date| date.year() > 0).map_or(0, |date| {
            let part = |value: i8| u32::from(value.unsigned_abs());
            let year = u32::from(date.year().unsigned_abs());
            year * 10_000 + part(date.month()) * 100 + part(date.day())
        })
    }

    /// The day this many days later, or earlier if negative.
    pub fn plus_days(self, days: i32) -> Day {
        Day(self.0.wrapping_add(days))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_by_the_calendar() {
        assert_eq!(Day::from_date(20_151_005), Day(0));
        assert_eq!(Day::from_date(20_151_004), Day(-1));
        assert_eq!(Day::from_date(20_160_301).0 - Day::from_date(20_160_228).0, 2);
        assert_eq!(Day::from_date(20_260_731).0, 3_952);
        let mut day = Day::from_date(18_680_101);
        let mut last = 0;
        for _ in 0..80_000 {
            let date = day.date();
            assert!(date > last, "{date} after {last}");
            assert_eq!(Day::from_date(date), day);
            last = date;
            day = day.plus_days(1);
        }
        assert_eq!(last, 20_870_111);
        for none in [0, 20_260_732, 20_261_301, 20_260_001, u32::MAX] {
            assert_eq!(Day::from_date(none).date(), 0, "{none}");
        }
        assert_eq!(Day(i32::MIN).date(), 0);
        assert_eq!(Day(i32::MAX).date(), 0);
    }
}
