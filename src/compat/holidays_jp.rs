//! holidays-jp: the national holidays of last, this and next year, or of one year, as JSON or CSV, by day or by the Unix
//! second at which the day begins in Japan.
//!
//! The days are of the Cabinet Office's list, without the operator's own. Only the titles of days that the list calls 休日
//! differ: a substitute names its holiday (憲法記念日 振替休日), a day between two holidays is 国民の休日.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::civil::Date;

use super::protocol::{FOREIGN, JSON, Protocol};
use super::rest_day::{RestDay, national_holidays, rest_day};
use crate::account::Rights;
use crate::api::endpoint::{Content, Endpoint, Handler, ImmediateHandler, Parameter, parameter};
use crate::api::error::{ApiError, Code};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::Reply;
use crate::api::pipeline::tag::EntityTag;
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::calendar::{Holiday, JST, ListedCalendar, YEARS, date_in_japan};
use crate::json::{push_string, put};

const CSV: &str = "text/csv; charset=utf-8";

pub const PROTOCOL: Protocol = Protocol {
    name: "holidays-jp",
    endpoints: &[
        file("/api/v1/date.json", JSON, |it| reply(it, Form::Json, Key::Day), &[]),
        file("/api/v1/date.csv", CSV, |it| reply(it, Form::Csv, Key::Day), &[]),
        file("/api/v1/datetime.json", JSON, |it| reply(it, Form::Json, Key::Second), &[]),
        file("/api/v1/datetime.csv", CSV, |it| reply(it, Form::Csv, Key::Second), &[]),
        file("/api/v1/{year}/date.json", JSON, |it| reply(it, Form::Json, Key::Day), YEAR),
        file("/api/v1/{year}/date.csv", CSV, |it| reply(it, Form::Csv, Key::Day), YEAR),
        file("/api/v1/{year}/datetime.json", JSON, |it| reply(it, Form::Json, Key::Second), YEAR),
        file("/api/v1/{year}/datetime.csv", CSV, |it| reply(it, Form::Csv, Key::Second), YEAR),
    ],
};

const YEAR: &[Parameter] = &[parameter("year", Text, words("A year", "年"), "2026")];

const fn file(
    path: &'static str,
    media: &'static str,
    handler: ImmediateHandler,
    parameters: &'static [Parameter],
) -> Endpoint {
    Endpoint {
        path,
        needs: Some(Rights::ANY_KEY),
        handler: Handler::Immediate(handler),
        summary: words("The national holidays", "国民の祝日"),
        parameters,
        content: Content::Other(media),
        example: path,
        ..FOREIGN
    }
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy)]
enum Key {
    Day,
    /// The second at which the day begins in Japan.
    Second,
}

fn reply(request: &ApiRequest<'_>, form: Form, key: Key) -> Result<Reply, ApiError> {
    let year = request.path.get("year").map(read_year).transpose()?;
    let now = date_in_japan(Timestamp::now()).year();
    let years = year.map_or(now - 1..=now + 1, |year| year..=year);
    let calendar = &request.data.holidays.calendar;
    let days: Vec<Holiday> = years.flat_map(|year| titled(calendar, year)).collect();
    let mut body = Vec::new();
    let media = match form {
        Form::Json => {
            write_json(&mut body, &days, key);
            JSON
        }
        Form::Csv => {
            write_csv(&mut body, &days, key);
            CSV
        }
    };
    let tag = EntityTag::of_bytes(&body);
    let write = |out: &mut Vec<u8>| out.extend_from_slice(&body);
    Ok(Reply::foreign(&request.head.headers, tag, None, media, write))
}

fn read_year(text: &str) -> Result<i16, ApiError> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let year = text.parse().ok().filter(|year| is_year && YEARS.contains(year));
    year.ok_or_else(|| {
        let (first, last) = (YEARS.start(), YEARS.end());
        let detail = format!("expected a year from {first} to {last} in the path; found another");
        ApiError::new(Code::NoSuchEndpoint, detail)
    })
}

/// The holidays of a year with the titles of this protocol.
fn titled(calendar: &ListedCalendar, year: i16) -> Vec<Holiday> {
    let days = national_holidays(calendar, year);
    let title = |day: &Holiday| match rest_day(day, &days) {
        None => day.title.clone(),
        Some(RestDay::SubstituteOf(holiday)) => format!("{} 振替休日", holiday.title).into(),
        Some(RestDay::Between) => "国民の休日".into(),
    };
    days.iter().map(|day| Holiday { date: day.date, title: title(day) }).collect()
}

fn key_text(date: Date, key: Key) -> String {
    match key {
        Key::Day => date.to_string(),
        Key::Second => {
            let midnight = JST.to_timestamp(date.at(0, 0, 0, 0));
            midnight.map(|moment| moment.as_second().to_string()).unwrap_or_default()
        }
    }
}

fn write_json(out: &mut Vec<u8>, days: &[Holiday], key: Key) {
    put(out, &["{"]);
    for (index, day) in days.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        put(out, &[comma, "\n    \"", &key_text(day.date, key), "\": "]);
        push_string(out, &day.title);
    }
    put(out, &["\n}"]);
}

fn write_csv(out: &mut Vec<u8>, days: &[Holiday], key: Key) {
    let mut text = String::new();
    for day in days {
        writeln!(text, "{},{}", key_text(day.date, key), day.title).expect("a string takes it");
    }
    put(out, &[&text]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_the_list_calls_rest_days_have_their_own_titles() {
        let calendar = ListedCalendar::default();
        let title = |date: &str| {
            let date: Date = date.parse().expect("a date");
            let days = titled(&calendar, date.year());
            days.iter().find(|day| day.date == date).map(|day| day.title.to_string())
        };
        for (date, expected) in [
            ("2026-01-01", "元日"),
            ("2026-05-06", "憲法記念日 振替休日"),
            ("2026-09-22", "国民の休日"),
            ("2024-02-12", "建国記念の日 振替休日"),
            ("2019-05-02", "国民の休日"),
            ("2019-05-06", "こどもの日 振替休日"),
        ] {
            assert_eq!(title(date).as_deref(), Some(expected), "{date}");
        }
        assert_eq!(titled(&calendar, 2026).len(), 18);
    }

    #[test]
    fn files_are_keyed_by_day_or_by_second() {
        let days = &titled(&ListedCalendar::default(), 2026)[..2];
        let text = |write: fn(&mut Vec<u8>, &[Holiday], Key), key| {
            let mut out = Vec::new();
            write(&mut out, days, key);
            String::from_utf8(out).expect("UTF-8")
        };
        let json = "{\n    \"2026-01-01\": \"元日\",\n    \"2026-01-12\": \"成人の日\"\n}";
        assert_eq!(text(write_json, Key::Day), json);
        assert_eq!(text(write_csv, Key::Day), "2026-01-01,元日\n2026-01-12,成人の日\n");
        assert_eq!(text(write_csv, Key::Second), "1767193200,元日\n1768143600,成人の日\n");
    }

    #[test]
    fn a_year_has_four_digits_and_holidays() {
        assert_eq!(read_year("2026"), Ok(2026));
        for wrong in ["", "26", "1954", "2100", "20a6", "+206", "２０２６"] {
            assert_eq!(read_year(wrong).expect_err("no year").code.status().as_u16(), 404);
        }
    }
}
