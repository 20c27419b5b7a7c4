//! The named holidays: the years in which each applies, and its day.
//!
//! Each row is one wording of the act. If an amendment moved or renamed a holiday, the next row begins. Days of a
//! single year, by their own acts, have their own table.

use std::borrow::Cow;

use jiff::civil::{Date, Weekday};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holiday {
    pub date: Date,
    /// The title in the official list; 休日 for substitutes and for days between two holidays.
    pub title: Cow<'static, str>,
}

#[derive(Debug, Clone, Copy)]
enum Day {
    On(i8, i8),
    /// Month, and which Monday of it.
    Monday(i8, i8),
    /// The vernal equinox in Japan's time.
    Spring,
    Autumn,
}

/// Title, first and last year, day. The last year is `i16::MAX` if the row still applies.
type Row = (&'static str, i16, i16, Day);

const STILL: i16 = i16::MAX;

const ROWS: [Row; 27] = [
    ("元日", 1949, STILL, Day::On(1, 1)),
    ("成人の日", 1949, 1999, Day::On(1, 15)),
    ("成人の日", 2000, STILL, Day::Monday(1, 2)),
    ("建国記念の日", 1967, STILL, Day::On(2, 11)),
    ("天皇誕生日", 2020, STILL, Day::On(2, 23)),
    ("春分の日", 1949, STILL, Day::Spring),
    ("天皇誕生日", 1949, 1988, Day::On(4, 29)),
    ("みどりの日", 1989, 2006, Day::On(4, 29)),
    ("昭和の日", 2007, STILL, Day::On(4, 29)),
    ("憲法記念日", 1949, STILL, Day::On(5, 3)),
    ("みどりの日", 2007, STILL, Day::On(5, 4)),
    ("こどもの日", 1949, STILL, Day::On(5, 5)),
    ("海の日", 1996, 2002, Day::On(7, 20)),
    ("海の日", 2003, 2019, Day::Monday(7, 3)),
    ("海の日", 2022, STILL, Day::Monday(7, 3)),
    ("山の日", 2016, 2019, Day::On(8, 11)),
    ("山の日", 2022, STILL, Day::On(8, 11)),
    ("敬老の日", 1966, 2002, Day::On(9, 15)),
    ("敬老の日", 2003, STILL, Day::Monday(9, 3)),
    ("秋分の日", 1948, STILL, Day::Autumn),
    ("体育の日", 1966, 1999, Day::On(10, 10)),
    ("体育の日", 2000, 2018, Day::Monday(10, 2)),
    ("体育の日（スポーツの日）", 2019, 2019, Day::Monday(10, 2)),
    ("スポーツの日", 2022, STILL, Day::Monday(10, 2)),
    ("文化の日", 1948, STILL, Day::On(11, 3)),
    ("勤労感謝の日", 1948, STILL, Day::On(11, 23)),
    ("天皇誕生日", 1989, 2018, Day::On(12, 23)),
];

/// Holidays of a single year by law: imperial ceremonies, and days moved for the 2020 and 2021 Olympics.
const SINGLE: [(&str, i16, i8, i8); 12] = [
    ("結婚の儀", 1959, 4, 10),
    ("大喪の礼", 1989, 2, 24),
    ("即位礼正殿の儀", 1990, 11, 12),
    ("結婚の儀", 1993, 6, 9),
    ("休日（祝日扱い）", 2019, 5, 1),
    ("休日（祝日扱い）", 2019, 10, 22),
    ("海の日", 2020, 7, 23),
    ("スポーツの日", 2020, 7, 24),
    ("山の日", 2020, 8, 10),
    ("海の日", 2021, 7, 22),
    ("スポーツの日", 2021, 7, 23),
    ("山の日", 2021, 8, 8),
];

/// The named holidays of a year that the equinox formula covers.
pub(super) fn named(year: i16) -> Vec<Holiday> {
    let rows = ROWS.iter().filter(|(_, first, last, _)| (*first..=*last).contains(&year));
    let rows = rows.filter_map(|(title, _, _, day)| {
        Some(Holiday { date: day.of(year)?, title: (*title).into() })
    });
    let single = SINGLE.iter().filter(|(_, of, _, _)| *of == year);
    let single = single.filter_map(|(title, year, month, day)| {
        let date = Date::new(*year, *month, *day).ok()?;
        Some(Holiday { date, title: (*title).into() })
    });
    rows.chain(single).collect()
}

impl Day {
    fn of(self, year: i16) -> Option<Date> {
        match self {
            Day::On(month, day) => Date::new(year, month, day).ok(),
            Day::Monday(month, number) => {
                Date::new(year, month, 1).ok()?.nth_weekday_of_month(number, Weekday::Monday).ok()
            }
            Day::Spring => Date::new(year, 3, equinox(year, 20_835_700, 20_843_100)).ok(),
            Day::Autumn => Date::new(year, 9, equinox(year, 23_258_800, 23_248_800)).ok(),
        }
    }
}

/// The day of the month of an equinox in Japan's time, from 1900 to 2099. It adds the mean equinox of 1980 in
/// millionths of a day (one value for years before 1980, one from 1980 on), the tropical year's excess over 365
/// days, and the leap days. This is the common formula of 新こよみ便利帳 (暦計算研究会).
fn equinox(year: i16, before_1980: i32, since_1980: i32) -> i8 {
    let years = i32::from(year) - 1980;
    let drift = 242_194 * years;
    let millionths = match years < 0 {
        // The formula needs division that rounds towards zero, as here.
        true => before_1980 + drift - (years - 3) / 4 * 1_000_000,
        false => since_1980 + drift - years / 4 * 1_000_000,
    };
    i8::try_from(millionths / 1_000_000).unwrap_or_default()
}
