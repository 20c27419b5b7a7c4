//! `/v1/holidays` and `/v1/businessdays/check`: what the calendar says. Any key may ask.
//!
//! The rules are `calendar`'s. Here stand the parameters: `year`, else `from` and `to`, each of which may
//! be left out. Without any of them the answer reaches from 1970 to the end of the next year, as far as
//! equinoxes are announced. Years that the calendar does not know have no holidays in the list; whether
//! a day of them is a business day nobody can say.

use std::fmt::Display;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{TimeZone, offset};

use super::ask::Ask;
use super::error::{ApiError, Code};
use super::reply::Reply;
use crate::calendar::{Holiday, YEARS};
use crate::json::push_string;

/// Where the list begins if nothing else is asked for.
const FIRST: Date = Date::constant(1970, 1, 1);

pub fn list(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let (first, last) = match ask.params.get("year")? {
        Some(text) => {
            let year = year(&text)?;
            (Date::constant(year, 1, 1), Date::constant(year, 12, 31))
        }
        None => {
            let (from, to) = (date(ask, "from")?, date(ask, "to")?);
            if let (Some(from), Some(to)) = (from, to)
                && from > to
            {
                let detail = format!("expected a day from {from} on; found {to}");
                return Err(ApiError::of("to", Code::InvalidParameter, detail));
            }
            // Without an end, what begins later than next year goes on to its own year's end.
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

pub fn check(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let Some(date) = date(ask, "date")? else {
        let detail = "expected a day such as 2026-11-24; found none";
        return Err(ApiError::of("date", Code::InvalidParameter, detail));
    };
    let result = ask.data.holidays.calendar.is_business_day(date).ok_or_else(|| {
        let expected = format!("a day from {}-01-01 to {}-12-31", YEARS.start(), YEARS.end());
        invalid("date", expected, date)
    })?;
    Ok(Reply::tagged(&ask.head.headers, format!("{{\"result\":{result}}}").into_bytes()))
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

/// The year that it is in Japan.
fn this_year() -> i16 {
    Timestamp::now().to_zoned(TimeZone::fixed(offset(9))).year()
}

fn year(text: &str) -> Result<i16, ApiError> {
    let year = Some(text).filter(|text| text.len() == 4).and_then(number);
    let year = year.and_then(|year| i16::try_from(year).ok());
    year.ok_or_else(|| invalid("year", "a year of four digits such as 2026", text))
}

/// A day that a parameter names, `YYYY-MM-DD` or without the zeros.
fn date(ask: &Ask<'_>, name: &'static str) -> Result<Option<Date>, ApiError> {
    let Some(text) = ask.params.get(name)? else { return Ok(None) };
    parse(&text).map(Some).ok_or_else(|| invalid(name, "a day such as 2026-11-24", &*text))
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

fn invalid(name: &'static str, expected: impl Display, found: impl Display) -> ApiError {
    let found: String = found.to_string().chars().take(40).collect();
    ApiError::of(name, Code::InvalidParameter, format!("expected {expected}; found {found:?}"))
}
