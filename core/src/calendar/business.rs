//! Counts business days, by the calendar of a server.
//!
//! Adding and counting agree: if `business_days_between(a, b)` is n, and b is a business day and not before a, then
//! `add_business_days(a, n)` is b. So the first day never counts. There is no result if a year outside [`YEARS`]
//! would be needed.

use jiff::ToSpan;
use jiff::civil::Date;

use super::own::ListedCalendar;
use super::{YEARS, is_weekend};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusinessCalendar {
    /// All days except Saturdays, Sundays and holidays.
    National,
    /// All days of [`National`](Self::National) except 12-31 to 01-03, when banks are closed (銀行法施行令第5条).
    Bank,
}

impl BusinessCalendar {
    /// Whether the date is always closed, whatever its weekday.
    fn is_closed_by_date(self, date: Date) -> bool {
        self == BusinessCalendar::Bank
            && matches!((date.month(), date.day()), (12, 31) | (1, 1..=3))
    }
}

/// Decides for many days whether they are business days. Computes the holidays of a year once for consecutive days.
struct DayChecker<'c> {
    listed: &'c ListedCalendar,
    calendar: BusinessCalendar,
    /// The year that was used last, and its holidays, ascending.
    last_year: Option<(i16, Vec<Date>)>,
}

impl DayChecker<'_> {
    fn new(listed: &ListedCalendar, calendar: BusinessCalendar) -> DayChecker<'_> {
        DayChecker { listed, calendar, last_year: None }
    }

    /// `None` outside [`YEARS`].
    fn is_business_day(&mut self, date: Date) -> Option<bool> {
        if !YEARS.contains(&date.year()) {
            return None;
        }
        let year = date.year();
        let known = self.last_year.take_if(|(last_year, _)| *last_year == year);
        let (_, holidays) = self.last_year.insert(known.unwrap_or_else(|| {
            (year, self.listed.holidays(year).into_iter().map(|day| day.date).collect())
        }));
        let is_free = is_weekend(date)
            || self.calendar.is_closed_by_date(date)
            || holidays.binary_search(&date).is_ok();
        Some(!is_free)
    }
}

impl ListedCalendar {
    /// Whether a day is a business day of this calendar; `None` outside [`YEARS`].
    pub fn is_business_day(&self, date: Date, calendar: BusinessCalendar) -> Option<bool> {
        DayChecker::new(self, calendar).is_business_day(date)
    }

    /// The business day this many after `date`, or before it if `days` is negative. With 0: the day itself if it is
    /// a business day, else the next one. `None` if the count leaves [`YEARS`].
    pub fn add_business_days(
        &self,
        date: Date,
        days: i32,
        calendar: BusinessCalendar,
    ) -> Option<Date> {
        let mut checker = DayChecker::new(self, calendar);
        // Check the start first: from a day outside, the first step might lead inside.
        let is_business_day = checker.is_business_day(date)?;
        if days == 0 && is_business_day {
            return Some(date);
        }
        let step = if days < 0 { -1.days() } else { 1.days() };
        let mut left = days.unsigned_abs().max(1);
        let mut day = date;
        while left > 0 {
            day = day.checked_add(step).ok()?;
            left -= u32::from(checker.is_business_day(day)?);
        }
        Some(day)
    }

    /// The number of business days after `from` up to and including `to`; 0 if `to` is not later. `None` if one of
    /// them is outside [`YEARS`].
    pub fn business_days_between(
        &self,
        from: Date,
        to: Date,
        calendar: BusinessCalendar,
    ) -> Option<u32> {
        let mut checker = DayChecker::new(self, calendar);
        checker.is_business_day(from)?;
        checker.is_business_day(to)?;
        let mut count = 0;
        let mut day = from;
        while day < to {
            day = day.tomorrow().ok()?;
            count += u32::from(checker.is_business_day(day)?);
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::BusinessCalendar::{Bank, National};
    use super::*;

    fn date(text: &str) -> Date {
        text.parse().expect("a date")
    }

    #[test]
    fn days_are_added_over_weekends_and_holidays() {
        #[track_caller]
        fn check(from: &str, days: i32, calendar: BusinessCalendar, expected: Option<&str>) {
            let found = ListedCalendar::default().add_business_days(date(from), days, calendar);
            assert_eq!(found, expected.map(date), "{from} {days} {calendar:?}");
        }
        check("2026-11-20", 1, National, Some("2026-11-24"));
        check("2026-11-20", 0, National, Some("2026-11-20"));
        check("2026-11-21", 0, National, Some("2026-11-24"));
        check("2026-11-21", 1, National, Some("2026-11-24"));
        check("2026-11-24", -1, National, Some("2026-11-20"));
        check("2026-11-22", -1, National, Some("2026-11-20"));
        // Golden Week 2026.
        check("2026-05-01", 1, National, Some("2026-05-07"));
        check("2026-12-30", 1, National, Some("2026-12-31"));
        check("2026-12-30", 1, Bank, Some("2027-01-04"));
        check("2027-01-04", -1, Bank, Some("2026-12-30"));
        check("2026-12-31", 0, Bank, Some("2027-01-04"));
        check("2025-01-01", 1, National, Some("2025-01-02"));
        check("2025-01-01", 1, Bank, Some("2025-01-06"));
        check("2099-12-31", 0, National, Some("2099-12-31"));
        check("2099-12-31", 1, National, None);
        check("1955-01-03", -1, National, None);
        check("1954-12-31", 1, National, None);
        check("2100-01-01", -1, National, None);
        check("2026-01-01", 100_000, National, None);
        check("2026-01-01", i32::MIN, National, None);
    }

    #[test]
    fn days_between_include_the_last_and_not_the_first() {
        #[track_caller]
        fn check(from: &str, to: &str, calendar: BusinessCalendar, expected: Option<u32>) {
            let found =
                ListedCalendar::default().business_days_between(date(from), date(to), calendar);
            assert_eq!(found, expected, "{from} {to} {calendar:?}");
        }
        check("2026-11-20", "2026-11-20", National, Some(0));
        check("2026-11-20", "2026-11-23", National, Some(0));
        check("2026-11-20", "2026-11-24", National, Some(1));
        check("2026-11-21", "2026-11-24", National, Some(1));
        check("2026-12-30", "2027-01-04", National, Some(2));
        check("2026-12-30", "2027-01-04", Bank, Some(1));
        check("2026-11-24", "2026-11-20", National, Some(0));
        check("1954-12-31", "2026-11-20", National, None);
        check("2026-11-20", "2100-01-01", National, None);
        // 261 weekdays; of the 18 holidays of 2026 one is a Sunday.
        check("2025-12-31", "2026-12-31", National, Some(244));
    }

    proptest! {
        #[test]
        fn adding_and_counting_are_inverse(
            start in 0i64..50_000,
            days in 1i32..300,
            bank in any::<bool>(),
        ) {
            let calendar = if bank { Bank } else { National };
            let listed = ListedCalendar::default();
            let from = date("1957-01-01") + start.days();
            let to = listed.add_business_days(from, days, calendar);
            prop_assume!(to.is_some());
            let to = to.expect("assumed");
            prop_assert_eq!(listed.is_business_day(to, calendar), Some(true));
            prop_assert_eq!(
                listed.business_days_between(from, to, calendar),
                Some(days.unsigned_abs())
            );
            let first = listed.add_business_days(from, 0, calendar).expect("inside");
            let back = listed.add_business_days(to, -days, calendar).expect("inside");
            if first == from {
                prop_assert_eq!(back, from);
            } else {
                prop_assert!(back < from);
            }
        }
    }
}
