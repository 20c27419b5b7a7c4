//! holiday_jp: `holidays.yml` and `holidays_detailed.yml` of its data repository, and `holidays.js` of its npm package.
//!
//! The years are those of the package, 1970 to 2050: by the Cabinet Office's list where it has them, else by the rules of
//! the holiday act as it is now. Substitutes name their holiday.

use std::fmt::Write as _;

use super::folder::PackageFolder;
use super::layout::{Layout, Write, WriteError};
use crate::calendar::{Holiday, ListedCalendar};
use crate::compat::rest_day::{RestDay, national_holidays, rest_day};

pub const LAYOUT: Layout = Layout { name: "holiday_jp", write: Write::Holidays(write) };

const YEARS: std::ops::RangeInclusive<i16> = 1970..=2050;

/// The names of days of the week, from Monday.
const WEEK: [[&str; 2]; 7] = [
    ["月", "Monday"],
    ["火", "Tuesday"],
    ["水", "Wednesday"],
    ["木", "Thursday"],
    ["金", "Friday"],
    ["土", "Saturday"],
    ["日", "Sunday"],
];

/// The package's English names.
const ENGLISH: &[(&str, &str)] = &[
    ("元日", "New Year's Day"),
    ("成人の日", "Coming of Age Day"),
    ("建国記念の日", "National Foundation Day"),
    ("春分の日", "Vernal Equinox Day"),
    ("昭和の日", "Showa Day"),
    ("憲法記念日", "Constitution Memorial Day"),
    ("みどりの日", "Greenery Day"),
    ("こどもの日", "Children's Day"),
    ("海の日", "Marine Day"),
    ("山の日", "Mountain Day"),
    ("敬老の日", "Respect for the Aged Day"),
    ("秋分の日", "Autumnal Equinox Day"),
    ("体育の日", "Health and Sports Day"),
    ("体育の日（スポーツの日）", "Health and Sports Day"),
    ("スポーツの日", "Health and Sports Day"),
    ("文化の日", "National Culture Day"),
    ("勤労感謝の日", "Labor Thanksgiving Day"),
    ("天皇誕生日", "Emperor's Birthday"),
    ("大喪の礼", "The Funeral Ceremony of Emperor Showa."),
    (
        "即位礼正殿の儀",
        "The Ceremony of the Enthronement of His Majesty the Emperor (at the Seiden)",
    ),
    ("結婚の儀", "The Rite of Wedding of HIH Crown Prince Naruhito"),
];

const SUBSTITUTE: &str = "Holiday in lieu";
const BETWEEN: &str = "Citizen's Holiday";

/// A day of which the package knows no more than that.
const OTHER: &str = "Holiday";

struct Day {
    date: String,
    week: [&'static str; 2],
    name: String,
    english: &'static str,
}

fn write(calendar: &ListedCalendar, folder: &PackageFolder) -> Result<u64, WriteError> {
    let days: Vec<Day> = YEARS.flat_map(|year| days(calendar, year)).collect();
    let (mut plain, mut detailed) = ("---\n".to_owned(), "---\n".to_owned());
    let mut script = "\"use strict\";\nconst holidays = {\n".to_owned();
    for Day { date, week: [week, week_en], name, english } in &days {
        writeln!(plain, "{date}: {name}").expect("a string takes it");
        write!(
            detailed,
            "{date}:\n  date: {date}\n  week: {week}\n  week_en: {week_en}\n  name: {name}\n  name_en: {english}\n"
        )
        .expect("a string takes it");
        write!(
            script,
            "    \"{date}\": {{\n        date: \"{date}\",\n        week: \"{week}\",\n        week_en: \"{week_en}\",\n        \
             name: \"{name}\",\n        name_en: \"{english}\"\n    }},\n"
        )
        .expect("a string takes it");
    }
    script.push_str("};\nmodule.exports = holidays;\n");
    folder.write("holidays.yml", plain)?;
    folder.write("holidays_detailed.yml", detailed)?;
    folder.write("holidays.js", script)?;
    Ok(days.len() as u64)
}

fn days(calendar: &ListedCalendar, year: i16) -> Vec<Day> {
    let holidays = national_holidays(calendar, year);
    let day = |holiday: &Holiday| {
        let (name, english) = match rest_day(holiday, &holidays) {
            Some(RestDay::SubstituteOf(holiday)) => {
                (format!("{} 振替休日", holiday.title), SUBSTITUTE)
            }
            // In 2019 the days beside the accession lie between holidays by its own act.
            Some(RestDay::Between) if year == 2019 => (holiday.title.to_string(), OTHER),
            Some(RestDay::Between) => (holiday.title.to_string(), BETWEEN),
            None => {
                let english = ENGLISH.iter().find(|(title, _)| *title == holiday.title);
                (holiday.title.to_string(), english.map_or(OTHER, |(_, english)| english))
            }
        };
        let week = WEEK[holiday.date.weekday().to_monday_zero_offset() as usize];
        Day { date: holiday.date.to_string(), week, name, english }
    };
    holidays.iter().map(day).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_the_names_of_the_package() {
        let calendar = ListedCalendar::default();
        for (date, week, name, english) in [
            ("2026-01-01", "木", "元日", "New Year's Day"),
            ("2026-05-06", "水", "憲法記念日 振替休日", SUBSTITUTE),
            ("2026-09-22", "火", "休日", BETWEEN),
            ("2019-04-30", "火", "休日", OTHER),
            ("2019-05-01", "水", "休日（祝日扱い）", OTHER),
            ("2019-10-14", "月", "体育の日（スポーツの日）", "Health and Sports Day"),
        ] {
            let year = date[..4].parse().expect("a year");
            let days = days(&calendar, year);
            let day = days.iter().find(|day| day.date == date).expect("a holiday");
            assert_eq!(
                (day.week[0], day.name.as_str(), day.english),
                (week, name, english),
                "{date}"
            );
        }
    }
}
