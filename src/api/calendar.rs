//! `/v1/holidays` and `/v1/businessdays`. Any key may use them.
//!
//! The rules are in `calendar`; this file has the parameters: `year`, or `from` and `to`, either of which may be
//! absent. Without any, the list covers 1970 to the end of next year, as far as equinoxes are announced. Years that
//! the calendar does not know have no holidays in the list, and whether a day of theirs is a business day is
//! unknown.

use std::fmt::Display;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{TimeZone, offset};

use super::ask::Ask;
use super::error::{ApiError, Code};
use super::params::{found, one_of};
use super::reply::Reply;
use crate::calendar::{BusinessCalendar, Holiday, YEARS};
use crate::json::push_string;

/// Default start of the list.
const FIRST: Date = Date::constant(1970, 1, 1);

pub fn list(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let (first, last) = match ask.params.get("year")? {
        Some(text) => {
            let year = year(&text)?;
            (Date::constant(year, 1, 1), Date::constant(year, 12, 31))
        }
        None => {
            let (from, to) = (date(ask, "from")?, date(ask, "to")?);
            if let (Some(from), Some(to)) = (from, to) {
                check_order(from, to)?;
            }
            // Without `to`, a list that begins after next year ends with the year of `from`.
            let end = from.map_or(this_year() + 1, |from| from.year().max(this_year() + 1));
            (from.unwrap_or(FIRST), to.unwrap_or(Date::constant(end, 12, 31)))
        }
    };
    let mut body = b"{\"data\":[".to_vec();
    let calendar = &ask.data.holidays.calendar;
    for (at, holiday) in calendar.holidays_between(first, last).enumerate() {
        if at > 0 {
            body.push(b',');
        }
        write(&mut body, &holiday);
    }
    body.extend_from_slice(b"]}");
    Ok(Reply::tagged(&ask.head.headers, body))
}

/// Most business days to add or to subtract: some forty years.
pub const DAYS_MAX: i32 = 10_000;

pub fn check(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let (date, calendar) = (needed_date(ask, "date")?, business_calendar(ask)?);
    let result = ask.data.holidays.calendar.is_business_day(date, calendar);
    let result = result.ok_or_else(|| outside_years("date", date))?;
    Ok(Reply::tagged(&ask.head.headers, format!("{{\"result\":{result}}}").into_bytes()))
}

pub fn add(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let (date, days) = (needed_date(ask, "date")?, days(ask)?);
    let calendar = business_calendar(ask)?;
    if !YEARS.contains(&date.year()) {
        return Err(outside_years("date", date));
    }
    let result = ask.data.holidays.calendar.add_business_days(date, days, calendar);
    let result = result.ok_or_else(|| {
        let expected = format!("a number that leads to {}", known_days());
        invalid("days", expected, days)
    })?;
    Ok(Reply::tagged(&ask.head.headers, format!("{{\"result\":\"{result}\"}}").into_bytes()))
}

pub fn between(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let (from, to) = (needed_date(ask, "from")?, needed_date(ask, "to")?);
    let calendar = business_calendar(ask)?;
    for (name, date) in [("from", from), ("to", to)] {
        if !YEARS.contains(&date.year()) {
            return Err(outside_years(name, date));
        }
    }
    check_order(from, to)?;
    let result = ask.data.holidays.calendar.business_days_between(from, to, calendar);
    let result = result.ok_or_else(|| outside_years("to", to))?;
    Ok(Reply::tagged(&ask.head.headers, format!("{{\"result\":{result}}}").into_bytes()))
}

/// The calendar named by `calendar`; the national one by default.
fn business_calendar(ask: &Ask<'_>) -> Result<BusinessCalendar, ApiError> {
    const NAME: &str = "calendar";
    const WORDS: [(BusinessCalendar, &str); 2] =
        [(BusinessCalendar::National, "national"), (BusinessCalendar::Bank, "bank")];
    let text = ask.params.filled(NAME)?;
    let chosen = text.map(|text| one_of(NAME, &text, &WORDS)).transpose()?;
    Ok(chosen.unwrap_or(BusinessCalendar::National))
}

/// The number of business days to add: ASCII digits, after a minus to go back.
fn days(ask: &Ask<'_>) -> Result<i32, ApiError> {
    const NAME: &str = "days";
    let text = ask.params.get(NAME)?;
    let text = text.as_deref().unwrap_or_default();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let sound = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let days = text.parse().ok().filter(|days| sound && (-DAYS_MAX..=DAYS_MAX).contains(days));
    days.ok_or_else(|| invalid(NAME, format!("a whole number of -{DAYS_MAX} to {DAYS_MAX}"), text))
}

fn check_order(from: Date, to: Date) -> Result<(), ApiError> {
    if from <= to {
        return Ok(());
    }
    let detail = format!("expected a day from {from} on; found {to}");
    Err(ApiError::of("to", Code::InvalidParameter, detail))
}

fn write(out: &mut Vec<u8>, holiday: &Holiday) {
    out.extend_from_slice(b"{\"title\":");
    push_string(out, &holiday.title);
    let date = holiday.date;
    let number = date.weekday().to_sunday_zero_offset();
    let text = date.strftime("%A").to_string().to_ascii_lowercase();
    let rest =
        format!(",\"date\":\"{date}\",\"day_of_week\":{number},\"day_of_week_text\":\"{text}\"}}");
    out.extend_from_slice(rest.as_bytes());
}

/// The current year in Japan.
fn this_year() -> i16 {
    Timestamp::now().to_zoned(TimeZone::fixed(offset(9))).year()
}

fn year(text: &str) -> Result<i16, ApiError> {
    let year = Some(text).filter(|text| text.len() == 4).and_then(number);
    let year = year.and_then(|year| i16::try_from(year).ok());
    year.ok_or_else(|| invalid("year", "a year of four digits such as 2026", text))
}

/// The day in a parameter, `YYYY-MM-DD` or without leading zeros.
fn date(ask: &Ask<'_>, name: &'static str) -> Result<Option<Date>, ApiError> {
    let Some(text) = ask.params.get(name)? else { return Ok(None) };
    parse(&text).map(Some).ok_or_else(|| invalid(name, "a day such as 2026-11-24", &*text))
}

/// The same for a required parameter.
fn needed_date(ask: &Ask<'_>, name: &'static str) -> Result<Date, ApiError> {
    date(ask, name)?.ok_or_else(|| {
        let detail = "expected a day such as 2026-11-24; found none";
        ApiError::of(name, Code::InvalidParameter, detail)
    })
}

fn known_days() -> String {
    format!("a day from {}-01-01 to {}-12-31", YEARS.start(), YEARS.end())
}

fn outside_years(name: &'static str, date: Date) -> ApiError {
    invalid(name, known_days(), date)
}

fn parse(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let year = parts.next().filter(|year| year.len() == 4).and_then(number)?;
    let mut short = || parts.next().filter(|part| part.len() <= 2).and_then(number);
    let (month, day) = (short()?, short()?);
    if parts.next().is_some() {
        return None;
    }
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// ASCII digits as a number, up to four of them.
fn number(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn invalid(name: &'static str, expected: impl Display, value: impl Display) -> ApiError {
    let detail = format!("expected {expected}; found {:?}", found(&value.to_string()));
    ApiError::of(name, Code::InvalidParameter, detail)
}
