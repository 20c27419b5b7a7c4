//! The calendar of Japan: national holidays and business days.
//!
//! The rules are in the Act on National Holidays (昭和23年法律第178号), its amendments and the acts for single
//! years; the titles are in the Cabinet Office's list (from 1955). Beyond the end of the list the rules apply:
//! computed equinoxes become official only with the almanac of the year before. A server that has the list uses it,
//! together with the operator's own holidays ([`ListedCalendar`]).
//!
//! A business day is a day that is not a Saturday, a Sunday or a holiday. Other laws close banks (12-31 to 1-3) and
//! offices (12-29 to 1-3) around New Year; those days except 1-1 are business days here, and the caller chooses the
//! calendar: [`BusinessCalendar::Bank`] for banks, [`is_office_day`] for offices of the state, whose days are called
//! working days.

mod business;
mod official;
mod own;
mod rules;

use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, tz::Offset};

use crate::text::codes::DataVersion;

pub use business::BusinessCalendar;
pub use official::{ListFault, OfficialList};
pub use own::{ListedCalendar, OwnHolidays};
pub use rules::Holiday;

/// UTC+9. Usage is counted by its days, and corporate data change by them. Japan has had no summer time since 1951.
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

/// From the first year of the official list to the last for which the equinox formula holds.
pub const YEARS: std::ops::RangeInclusive<i16> = 1955..=2099;

/// The title of days that are holidays only because of neighbouring holidays.
const REST_DAY: &str = "休日";

/// The holidays of a year, ascending; empty outside [`YEARS`].
pub fn holidays(year: i16) -> Vec<Holiday> {
    if !YEARS.contains(&year) {
        return Vec::new();
    }
    let mut found = rules::named(year);
    found.sort_by_key(|holiday| holiday.date);
    let named: Vec<Date> = found.iter().map(|holiday| holiday.date).collect();
    let substitutes = named.iter().filter_map(|date| substitute(*date, &named));
    let mut rest_days: Vec<Date> = substitutes.collect();
    rest_days.extend(named.iter().filter_map(|date| day_between(*date, &named)));
    rest_days.sort_unstable();
    rest_days.dedup();
    found.extend(rest_days.into_iter().map(|date| Holiday { date, title: REST_DAY.into() }));
    found.sort_by_key(|holiday| holiday.date);
    found
}

/// Whether a day is a business day by the rules; `None` outside [`YEARS`].
pub fn is_business_day(date: Date) -> Option<bool> {
    YEARS.contains(&date.year()).then(|| !is_weekend(date) && !is_holiday(date))
}

fn is_weekend(date: Date) -> bool {
    matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
}

fn is_holiday(date: Date) -> bool {
    holidays(date.year()).iter().any(|holiday| holiday.date == date)
}

/// Whether a day is a working day, on which offices of the state are open: a business day outside 12-29 to 1-3
/// (昭和63年法律第91号). `None` outside [`YEARS`].
pub fn is_office_day(date: Date) -> Option<bool> {
    let new_year = match date.month() {
        12 => date.day() >= 29,
        1 => date.day() <= 3,
        _ => false,
    };
    Some(is_business_day(date)? && !new_year)
}

/// The working days ([`is_office_day`]) after one day and before another, ascending.
pub fn office_days_between(after: Date, before: Date) -> impl Iterator<Item = Date> {
    let days = std::iter::successors(after.tomorrow().ok(), |day| day.tomorrow().ok());
    days.take_while(move |day| *day < before).filter(|day| is_office_day(*day).unwrap_or_default())
}

/// The substitute for a holiday on a Sunday: from 1973-04-12 the Monday, from 2007 the next day that is no holiday.
fn substitute(date: Date, named: &[Date]) -> Option<Date> {
    if date.weekday() != Weekday::Sunday || date < Date::constant(1973, 4, 12) {
        return None;
    }
    let mut next = date.tomorrow().ok()?;
    while date.year() >= 2007 && named.contains(&next) {
        next = next.tomorrow().ok()?;
    }
    Some(next).filter(|next| !named.contains(next))
}

/// The day after a holiday, if the day after that is a holiday too: from 1985-12-27 on; not on Sundays until 2006.
fn day_between(date: Date, named: &[Date]) -> Option<Date> {
    let day = date.tomorrow().ok()?;
    let enclosed = !named.contains(&day) && named.contains(&day.tomorrow().ok()?);
    let is_old_sunday = day.weekday() == Weekday::Sunday && day.year() < 2007;
    (enclosed && !is_old_sunday && day >= Date::constant(1985, 12, 27)).then_some(day)
}

#[cfg(test)]
mod tests;
