//! `/v1/holidays` and `/v1/businessdays`. Any key may use them.
//!
//! The rules are in `calendar`; this file has the parameters: `year`, or `from` and `to`, either of which may be
//! absent. Without any, the list covers 1970 to the end of next year in Japan. Years that the calendar does not know
//! have no holidays in the list, and whether a day of theirs is a business day is unknown.

use std::fmt::Display;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, unexpected};
use crate::api::pipeline::reply::Reply;
use crate::calendar::{BusinessCalendar, Holiday, YEARS, date_in_japan};
use crate::json::{push_string, write_list};
use crate::text::numerals::whole_number;

/// Units of work to write the holidays of a year: some 2 µs.
const UNITS_PER_YEAR: u64 = 3_000;

/// Default start of the list.
const FIRST: Date = Date::constant(1970, 1, 1);

pub fn list(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let (first, last) = match request.params.get("year")? {
        Some(text) => {
            let year = year(&text)?;
            (Date::constant(year, 1, 1), Date::constant(year, 12, 31))
        }
        None => {
            let (from, to) = (date(request, "from")?, date(request, "to")?);
            if let (Some(from), Some(to)) = (from, to) {
                check_order(from, to)?;
            }
            // Without `from`, a list that ends before 1970 begins with the year of `to`.
            let first = to.map_or(FIRST, |to| FIRST.min(Date::constant(to.year(), 1, 1)));
            // Without `to`, a list that begins after next year ends with the year of `from`.
            let next_year = date_in_japan(Timestamp::now()).year() + 1;
            let end = from.map_or(next_year, |from| from.year().max(next_year));
            (from.unwrap_or(first), to.unwrap_or(Date::constant(end, 12, 31)))
        }
    };
    let years = u64::from(first.year().abs_diff(last.year())) + 1;
    budget.admit_units(years * UNITS_PER_YEAR)?;
    let mut body = b"{\"data\":".to_vec();
    let holidays = request.data.holidays.calendar.holidays_between(first, last);
    write_list(&mut body, holidays, |out, holiday| write_holiday(out, &holiday));
    body.push(b'}');
    Ok(Reply::tagged(&request.head.headers, body))
}

/// Most business days to add or to subtract: some forty years.
pub const DAYS_MAX: i32 = 10_000;

pub fn check(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let (date, calendar) = (required_date(request, "date")?, business_calendar(request)?);
    let result = request.data.holidays.calendar.is_business_day(date, calendar);
    Ok(reply(request, result.ok_or_else(|| outside_years("date", date))?))
}

pub fn add(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let (date, days) = (required_date(request, "date")?, days(request)?);
    let calendar = business_calendar(request)?;
    if !YEARS.contains(&date.year()) {
        return Err(outside_years("date", date));
    }
    let result = request.data.holidays.calendar.add_business_days(date, days, calendar);
    let result = result.ok_or_else(|| {
        let expected = format!("a number that leads to {}", known_range());
        invalid("days", expected, days)
    })?;
    Ok(reply(request, format_args!("\"{result}\"")))
}

pub fn between(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let (from, to) = (required_date(request, "from")?, required_date(request, "to")?);
    let calendar = business_calendar(request)?;
    for (name, date) in [("from", from), ("to", to)] {
        if !YEARS.contains(&date.year()) {
            return Err(outside_years(name, date));
        }
    }
    check_order(from, to)?;
    let result = request.data.holidays.calendar.business_days_between(from, to, calendar);
    Ok(reply(request, result.ok_or_else(|| outside_years("to", to))?))
}

fn reply(request: &ApiRequest<'_>, result: impl Display) -> Reply {
    Reply::tagged(&request.head.headers, format!("{{\"result\":{result}}}").into_bytes())
}

/// The calendar named by `calendar`; the national one by default.
fn business_calendar(request: &ApiRequest<'_>) -> Result<BusinessCalendar, ApiError> {
    const WORDS: [(BusinessCalendar, &str); 2] =
        [(BusinessCalendar::National, "national"), (BusinessCalendar::Bank, "bank")];
    Ok(request.params.word("calendar", &WORDS)?.unwrap_or(BusinessCalendar::National))
}

/// The number of business days to add: ASCII digits, after a minus to go back.
fn days(request: &ApiRequest<'_>) -> Result<i32, ApiError> {
    const NAME: &str = "days";
    let text = request.params.get(NAME)?;
    let text = text.as_deref().unwrap_or_default();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let days = text.parse().ok().filter(|days| is_number && (-DAYS_MAX..=DAYS_MAX).contains(days));
    days.ok_or_else(|| invalid(NAME, format!("a whole number of -{DAYS_MAX} to {DAYS_MAX}"), text))
}

fn check_order(from: Date, to: Date) -> Result<(), ApiError> {
    if from <= to {
        return Ok(());
    }
    let detail = format!("expected a day from {from} on; found {to}");
    Err(ApiError::in_parameter("to", Code::InvalidParameter, detail))
}

fn write_holiday(out: &mut Vec<u8>, holiday: &Holiday) {
    out.extend_from_slice(b"{\"title\":");
    push_string(out, &holiday.title);
    let date = holiday.date;
    let number = date.weekday().to_sunday_zero_offset();
    let text = date.strftime("%A").to_string().to_ascii_lowercase();
    let rest =
        format!(",\"date\":\"{date}\",\"day_of_week\":{number},\"day_of_week_text\":\"{text}\"}}");
    out.extend_from_slice(rest.as_bytes());
}

fn year(text: &str) -> Result<i16, ApiError> {
    let year = Some(text).filter(|text| text.len() == 4).and_then(whole_number);
    year.ok_or_else(|| invalid("year", "a year of four digits such as 2026", text))
}

/// The day in a parameter, `YYYY-MM-DD` or without leading zeros.
fn date(request: &ApiRequest<'_>, name: &'static str) -> Result<Option<Date>, ApiError> {
    let Some(text) = request.params.get(name)? else { return Ok(None) };
    parse_date(&text).map(Some).ok_or_else(|| invalid(name, "a day such as 2026-11-24", &*text))
}

fn required_date(request: &ApiRequest<'_>, name: &'static str) -> Result<Date, ApiError> {
    date(request, name)?.ok_or_else(|| {
        let detail = "expected a day such as 2026-11-24; found none";
        ApiError::in_parameter(name, Code::InvalidParameter, detail)
    })
}

fn known_range() -> String {
    format!("a day from {}-01-01 to {}-12-31", YEARS.start(), YEARS.end())
}

fn outside_years(name: &'static str, date: Date) -> ApiError {
    invalid(name, known_range(), date)
}

fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let year = parts.next().filter(|year| year.len() == 4).and_then(whole_number)?;
    let mut short = || parts.next().filter(|part| part.len() <= 2).and_then(whole_number);
    let (month, day) = (short()?, short()?);
    if parts.next().is_some() {
        return None;
    }
    Date::new(year, month, day).ok()
}

fn invalid(name: &'static str, expected: impl Display, value: impl Display) -> ApiError {
    unexpected(name, Code::InvalidParameter, expected, &value.to_string())
}
