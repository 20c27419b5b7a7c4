//! The holiday rules compared with the Cabinet Office's list of 1955 to 2027 (国民の祝日・休日, syukujitsu.csv as
//! published in February 2026). The expected values here are everything in the list that does not follow from a
//! fixed date: the equinoxes, the days called 休日, the Mondays of some years, and the total number of days.

use jiff::civil::{Date, Weekday};
use proptest::prelude::*;

use super::{
    ListedCalendar, REST_DAY, YEARS, day_in_japan, holidays, is_business_day, is_office_day,
    office_days_between, start_of_day,
};
use crate::text::codes::DataVersion;

/// The last year of the list.
const LISTED: i16 = 2027;

/// Years with the vernal equinox on March 20; in the others it is on March 21.
const SPRING_20: [i16; 27] = [
    1960, 1964, 1968, 1972, 1976, 1980, 1984, 1988, 1992, 1993, 1996, 1997, 2000, 2001, 2004, 2005,
    2008, 2009, 2012, 2013, 2016, 2017, 2020, 2021, 2024, 2025, 2026,
];

/// Years with the autumnal equinox on September 22 and 24; in the others it is on September 23.
const AUTUMN_22: [i16; 4] = [2012, 2016, 2020, 2024];
const AUTUMN_24: [i16; 7] = [1955, 1959, 1963, 1967, 1971, 1975, 1979];

/// The days called 休日, as month and day; only years that have one.
const RESTS: [(i16, &str); 50] = [
    (1973, "0430 0924"),
    (1974, "0506 0916 1104"),
    (1975, "1124"),
    (1976, "1011"),
    (1978, "0102 0116"),
    (1979, "0212 0430"),
    (1980, "1124"),
    (1981, "0504"),
    (1982, "0322 1011"),
    (1984, "0102 0116 0430 0924"),
    (1985, "0506 0916 1104"),
    (1986, "1124"),
    (1987, "0504"),
    (1988, "0321 0504"),
    (1989, "0102 0116 0504"),
    (1990, "0212 0430 0504 0924 1224"),
    (1991, "0504 0506 0916 1104"),
    (1992, "0504"),
    (1993, "0504 1011"),
    (1994, "0504"),
    (1995, "0102 0116 0504"),
    (1996, "0212 0504 0506 0916 1104"),
    (1997, "0721 1124"),
    (1998, "0504"),
    (1999, "0322 0504 1011"),
    (2000, "0504"),
    (2001, "0212 0430 0504 0924 1224"),
    (2002, "0504 0506 0916 1104"),
    (2003, "1124"),
    (2004, "0504"),
    (2005, "0321 0504"),
    (2006, "0102 0504"),
    (2007, "0212 0430 0924 1224"),
    (2008, "0506 1124"),
    (2009, "0506 0922"),
    (2010, "0322"),
    (2012, "0102 0430 1224"),
    (2013, "0506 1104"),
    (2014, "0506 1124"),
    (2015, "0506 0922"),
    (2016, "0321"),
    (2017, "0102"),
    (2018, "0212 0430 0924 1224"),
    (2019, "0430 0502 0506 0812 1104"),
    (2020, "0224 0506"),
    (2021, "0809"),
    (2023, "0102"),
    (2024, "0212 0506 0812 0923 1104"),
    (2025, "0224 0506 1124"),
    (2026, "0506 0922"),
];

/// Complete years of the list: one before and one after each amendment, and the years with special acts.
const WHOLE: [(i16, &str); 10] = [
    (
        1955,
        "0101元日 0115成人の日 0321春分の日 0429天皇誕生日 0503憲法記念日 0505こどもの日 \
         0924秋分の日 1103文化の日 1123勤労感謝の日",
    ),
    (
        1959,
        "0101元日 0115成人の日 0321春分の日 0410結婚の儀 0429天皇誕生日 0503憲法記念日 \
         0505こどもの日 0924秋分の日 1103文化の日 1123勤労感謝の日",
    ),
    (
        1967,
        "0101元日 0115成人の日 0211建国記念の日 0321春分の日 0429天皇誕生日 0503憲法記念日 \
         0505こどもの日 0915敬老の日 0924秋分の日 1010体育の日 1103文化の日 1123勤労感謝の日",
    ),
    (
        1989,
        "0101元日 0102休日 0115成人の日 0116休日 0211建国記念の日 0224大喪の礼 0321春分の日 \
         0429みどりの日 0503憲法記念日 0504休日 0505こどもの日 0915敬老の日 0923秋分の日 \
         1010体育の日 1103文化の日 1123勤労感謝の日 1223天皇誕生日",
    ),
    (
        1996,
        "0101元日 0115成人の日 0211建国記念の日 0212休日 0320春分の日 0429みどりの日 0503憲法記念日 \
         0504休日 0505こどもの日 0506休日 0720海の日 0915敬老の日 0916休日 0923秋分の日 1010体育の日 \
         1103文化の日 1104休日 1123勤労感謝の日 1223天皇誕生日",
    ),
    (
        2003,
        "0101元日 0113成人の日 0211建国記念の日 0321春分の日 0429みどりの日 0503憲法記念日 \
         0505こどもの日 0721海の日 0915敬老の日 0923秋分の日 1013体育の日 1103文化の日 1123勤労感謝の日 \
         1124休日 1223天皇誕生日",
    ),
    (
        2019,
        "0101元日 0114成人の日 0211建国記念の日 0321春分の日 0429昭和の日 0430休日 0501休日（祝日扱い） \
         0502休日 0503憲法記念日 0504みどりの日 0505こどもの日 0506休日 0715海の日 0811山の日 0812休日 \
         0916敬老の日 0923秋分の日 1014体育の日（スポーツの日） 1022休日（祝日扱い） 1103文化の日 \
         1104休日 1123勤労感謝の日",
    ),
    (
        2020,
        "0101元日 0113成人の日 0211建国記念の日 0223天皇誕生日 0224休日 0320春分の日 0429昭和の日 \
         0503憲法記念日 0504みどりの日 0505こどもの日 0506休日 0723海の日 0724スポーツの日 0810山の日 \
         0921敬老の日 0922秋分の日 1103文化の日 1123勤労感謝の日",
    ),
    (
        2021,
        "0101元日 0111成人の日 0211建国記念の日 0223天皇誕生日 0320春分の日 0429昭和の日 0503憲法記念日 \
         0504みどりの日 0505こどもの日 0722海の日 0723スポーツの日 0808山の日 0809休日 0920敬老の日 \
         0923秋分の日 1103文化の日 1123勤労感謝の日",
    ),
    (
        2027,
        "0101元日 0111成人の日 0211建国記念の日 0223天皇誕生日 0321春分の日 0322休日 0429昭和の日 \
         0503憲法記念日 0504みどりの日 0505こどもの日 0719海の日 0811山の日 0920敬老の日 0923秋分の日 \
         1011スポーツの日 1103文化の日 1123勤労感謝の日",
    ),
];

fn month_and_day(date: Date) -> String {
    format!("{:02}{:02}", date.month(), date.day())
}

#[test]
fn whole_years_are_as_listed() {
    for (year, expected) in WHOLE {
        let found: Vec<String> = holidays(year)
            .iter()
            .map(|holiday| format!("{}{}", month_and_day(holiday.date), holiday.title))
            .collect();
        assert_eq!(found.join(" "), expected, "{year}");
    }
}

#[test]
fn equinoxes_and_rest_days_are_as_listed() {
    for year in *YEARS.start()..=LISTED {
        let found = holidays(year);
        let day = |title: &str| {
            let found = found.iter().find(|holiday| holiday.title == title);
            found.expect("once a year").date.day()
        };
        let spring = if SPRING_20.contains(&year) { 20 } else { 21 };
        let autumn = match year {
            year if AUTUMN_22.contains(&year) => 22,
            year if AUTUMN_24.contains(&year) => 24,
            _ => 23,
        };
        assert_eq!((day("春分の日"), day("秋分の日")), (spring, autumn), "{year}");
        let rests: Vec<String> = found
            .iter()
            .filter(|holiday| holiday.title == REST_DAY)
            .map(|holiday| month_and_day(holiday.date))
            .collect();
        let listed = RESTS.iter().find(|(of, _)| *of == year).map_or("", |(_, days)| days);
        let listed = if year == LISTED { "0322" } else { listed };
        assert_eq!(rests.join(" "), listed, "{year}");
    }
}

#[test]
fn the_number_of_days_equals_the_list() {
    let all = *YEARS.start()..=LISTED;
    let found: Vec<_> = all.flat_map(holidays).collect();
    assert!(found.is_sorted_by(|left, right| left.date < right.date), "each day once");
    assert_eq!(found.len(), LISTED_DAYS);
}

/// Days of the list from 1955 to 2027.
const LISTED_DAYS: usize = 1067;

#[test]
fn every_year_has_holidays_and_substitutes() {
    for year in YEARS {
        let found = holidays(year);
        assert!((9..=23).contains(&found.len()), "{year}: {}", found.len());
        assert!(found.iter().all(|holiday| holiday.date.year() == year), "{year}");
        // No Sunday is a substitute, and from 1973-04-12 every holiday on a Sunday has one.
        for holiday in &found {
            let sunday = holiday.date.weekday() == Weekday::Sunday;
            assert!(!(sunday && holiday.title == REST_DAY), "{}", holiday.date);
            if sunday && holiday.date > Date::constant(1973, 4, 12) {
                let monday = holiday.date.tomorrow().expect("within the range of dates");
                assert_eq!(is_business_day(monday), Some(false), "{monday}");
            }
        }
    }
    for year in [1954, 2100, 0, -1, i16::MAX, i16::MIN] {
        assert_eq!(holidays(year), [], "{year}");
    }
}

#[test]
fn business_days_are_neither_weekends_nor_holidays() {
    for (date, expected) in [
        ((2026, 11, 20), Some(true)),
        ((2026, 11, 21), Some(false)),
        ((2026, 11, 22), Some(false)),
        ((2026, 11, 23), Some(false)),
        ((2026, 11, 24), Some(true)),
        ((2026, 9, 22), Some(false)),
        // Banks are closed by another law; here these are business days.
        ((2026, 12, 31), Some(true)),
        ((2025, 1, 2), Some(true)),
        ((2025, 1, 3), Some(true)),
        ((2026, 1, 1), Some(false)),
        ((2019, 5, 1), Some(false)),
        ((1954, 12, 31), None),
        ((2100, 1, 1), None),
    ] {
        let (year, month, day) = date;
        assert_eq!(is_business_day(Date::constant(year, month, day)), expected, "{date:?}");
    }
}

proptest! {
    #[test]
    fn a_range_contains_the_holidays_of_its_years(first in 0u16..200, days in 0i64..900) {
        let first = Date::constant(1949, 1, 1) + jiff::Span::new().years(i64::from(first)).months(3);
        let last = first + jiff::Span::new().days(days);
        let found: Vec<Date> = ListedCalendar::default().holidays_between(first, last).map(|holiday| holiday.date).collect();
        let mut expected = Vec::new();
        for year in first.year()..=last.year() {
            let dates = holidays(year).into_iter().map(|holiday| holiday.date);
            expected.extend(dates.filter(|date| *date >= first && *date <= last));
        }
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn offices_are_also_closed_around_new_year() {
    for (date, expected) in [
        ((2026, 12, 28), Some(true)),
        ((2026, 12, 29), Some(false)),
        ((2026, 12, 31), Some(false)),
        ((2025, 1, 3), Some(false)),
        ((2025, 1, 6), Some(true)),
        ((2026, 8, 11), Some(false)),
        ((2026, 8, 22), Some(false)),
        ((2100, 1, 5), None),
    ] {
        let (year, month, day) = date;
        assert_eq!(is_office_day(Date::constant(year, month, day)), expected, "{date:?}");
    }
}

#[test]
fn working_days_lie_between_two_days() {
    #[track_caller]
    fn check(after: &str, before: &str, expected: &[&str]) {
        let date = |text: &str| text.parse::<Date>().expect("a date");
        let found: Vec<String> =
            office_days_between(date(after), date(before)).map(|day| day.to_string()).collect();
        assert_eq!(found, expected, "{after} {before}");
    }
    check("2026-12-25", "2027-01-05", &["2026-12-28", "2027-01-04"]);
    // The 8th is a Saturday, the 11th a holiday.
    check("2026-08-07", "2026-08-13", &["2026-08-10", "2026-08-12"]);
    check("2026-08-10", "2026-08-12", &[]);
    check("2026-08-12", "2026-08-12", &[]);
    check("2026-08-13", "2026-08-03", &[]);
}

#[test]
fn a_day_begins_at_midnight_in_japan() {
    let day = |text: &str| {
        let day = day_in_japan(text.parse().expect("a time"));
        day.expect("a year of four digits").to_string()
    };
    assert_eq!(day("2026-08-03T14:59:59Z"), "2026-08-03");
    assert_eq!(day("2026-08-03T15:00:00Z"), "2026-08-04");
    for (version, start) in [
        ("2026-08-04", "2026-08-03T15:00:00Z"),
        ("0000-01-01", "-000001-12-31T15:00:00Z"),
        ("9999-12-30", "9999-12-29T15:00:00Z"),
    ] {
        let version = DataVersion::parse(version).expect("a date");
        assert_eq!(start_of_day(version).to_string(), start);
    }
}
