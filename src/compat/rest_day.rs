//! What a day is that the Cabinet Office's list calls 休日: other lists of holidays give the two kinds names of their own.

use jiff::civil::{Date, Weekday};

use crate::calendar::{Holiday, ListedCalendar, holidays};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestDay<'d> {
    /// The substitute of a holiday on a Sunday.
    SubstituteOf(&'d Holiday),
    /// A day between two holidays.
    Between,
}

/// The national holidays of a year: by the Cabinet Office's list, or by the rules where it has none.
pub fn national_holidays(calendar: &ListedCalendar, year: i16) -> Vec<Holiday> {
    let listed = calendar.list.as_ref().and_then(|list| list.holidays(year));
    listed.map_or_else(|| holidays(year), <[Holiday]>::to_vec)
}

/// `None` for a day that the list names. A substitute follows a holiday on a Sunday, perhaps after other holidays.
pub fn rest_day<'d>(day: &Holiday, days: &'d [Holiday]) -> Option<RestDay<'d>> {
    if day.title != "休日" {
        return None;
    }
    let holiday_on = |date: Date| days.iter().find(|holiday| holiday.date == date);
    let mut before = day.date;
    while let Some(holiday) = before.yesterday().ok().and_then(holiday_on) {
        if holiday.date.weekday() == Weekday::Sunday {
            return Some(RestDay::SubstituteOf(holiday));
        }
        before = holiday.date;
    }
    Some(RestDay::Between)
}
