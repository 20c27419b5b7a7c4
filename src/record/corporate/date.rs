//! Days, counted: a date in a record is a few bits of difference to another.

/// A day of the calendar, counted from the day on which the first corporate numbers were assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Day(i32);

/// 2015-10-05, counted from 1970-01-01.
const FIRST: i64 = 16_713;

impl Day {
    /// The day of a date such as 20260731. Any number gives a day; a date that does not exist gives
    /// one near it.
    pub fn from_date(date: u32) -> Day {
        let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
        // Years that begin in March have their odd day last.
        let year = i64::from(year) - i64::from(month <= 2);
        let of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
        let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        Day((days + of_year - 719_468 - FIRST) as i32)
    }

    /// The date as a number that keeps the order: 20260731; 0 for a day before the year 1 or after
    /// 9999, which no reader of a source gives.
    pub fn date(self) -> u32 {
        let days = i64::from(self.0) + FIRST + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        if !(1..=9999).contains(&year) {
            return 0;
        }
        (year * 10_000 + month * 100 + day) as u32
    }

    /// Days since the first assignment.
    pub(super) fn number(self) -> i32 {
        self.0
    }

    pub(super) fn from_number(number: i32) -> Day {
        Day(number)
    }

    pub fn after(self, days: i32) -> Day {
        Day(self.0.wrapping_add(days))
    }

    /// 0 for Monday to 6 for Sunday.
    pub fn weekday(self) -> u8 {
        // The first day was a Monday.
        self.0.rem_euclid(7) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        assert_eq!(Day::from_date(20_151_005), Day(0));
        assert_eq!(Day::from_date(20_151_004), Day(-1));
        assert_eq!(Day::from_date(20_160_301).0 - Day::from_date(20_160_228).0, 2);
        assert_eq!(Day::from_date(20_260_731).weekday(), 4, "a Friday");
        let mut day = Day::from_date(18_680_101);
        let mut last = 0;
        for _ in 0..80_000 {
            let date = day.date();
            assert!(date > last, "{date} behind {last}");
            assert_eq!(Day::from_date(date), day);
            last = date;
            day = day.after(1);
        }
        assert_eq!(last, 20_870_111);
        assert_eq!(Day(i32::MIN).date(), 0);
        assert_eq!(Day(i32::MAX).date(), 0);
    }
}
