//! The named holidays: the years in which each applies, and its day.
//!
//! Each rule is one wording of the act. If an amendment moved or renamed a holiday, another rule applies from then on.
//! Days of a single year, by their own acts, have their own table.

use std::borrow::Cow;

use jiff::civil::{Date, Weekday};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holiday {
    pub date: Date,
    /// The title in the official list; 休日 for substitutes and for days between two holidays.
    pub title: Cow<'static, str>,
}

/// The days of a year among days that ascend.
pub(super) fn in_year(days: &[Holiday], year: i16) -> &[Holiday] {
    let start = days.partition_point(|day| day.date.year() < year);
    let end = days.partition_point(|day| day.date.year() <= year);
    &days[start..end]
}

/// One wording of the act: a holiday on the same day in each of these years.
#[derive(Debug, Clone, Copy)]
struct Rule {
    title: &'static str,
    first_year: i16,
    /// [`STILL`] if the rule applies today.
    last_year: i16,
    day: Day,
}

#[derive(Debug, Clone, Copy)]
enum Day {
    /// Month and day.
    On(i8, i8),
    /// Month, and which Monday of it.
    Monday(i8, i8),
    /// The day of the equinox in Japan's time.
    VernalEquinox,
    AutumnalEquinox,
}

const STILL: i16 = i16::MAX;

const fn rule(title: &'static str, first_year: i16, last_year: i16, day: Day) -> Rule {
    Rule { title, first_year, last_year, day }
}

const fn once(title: &'static str, year: i16, day: Day) -> Rule {
    rule(title, year, year, day)
}

const RULES: [Rule; 27] = [
    rule("元日", 1949, STILL, Day::On(1, 1)),
    rule("成人の日", 1949, 1999, Day::On(1, 15)),
    rule("成人の日", 2000, STILL, Day::Monday(1, 2)),
    rule("建国記念の日", 1967, STILL, Day::On(2, 11)),
    rule("天皇誕生日", 2020, STILL, Day::On(2, 23)),
    rule("春分の日", 1949, STILL, Day::VernalEquinox),
    rule("天皇誕生日", 1949, 1988, Day::On(4, 29)),
    rule("みどりの日", 1989, 2006, Day::On(4, 29)),
    rule("昭和の日", 2007, STILL, Day::On(4, 29)),
    rule("憲法記念日", 1949, STILL, Day::On(5, 3)),
    rule("みどりの日", 2007, STILL, Day::On(5, 4)),
    rule("こどもの日", 1949, STILL, Day::On(5, 5)),
    rule("海の日", 1996, 2002, Day::On(7, 20)),
    rule("海の日", 2003, 2019, Day::Monday(7, 3)),
    rule("海の日", 2022, STILL, Day::Monday(7, 3)),
    rule("山の日", 2016, 2019, Day::On(8, 11)),
    rule("山の日", 2022, STILL, Day::On(8, 11)),
    rule("敬老の日", 1966, 2002, Day::On(9, 15)),
    rule("敬老の日", 2003, STILL, Day::Monday(9, 3)),
    rule("秋分の日", 1948, STILL, Day::AutumnalEquinox),
    rule("体育の日", 1966, 1999, Day::On(10, 10)),
    rule("体育の日", 2000, 2018, Day::Monday(10, 2)),
    rule("体育の日（スポーツの日）", 2019, 2019, Day::Monday(10, 2)),
    rule("スポーツの日", 2022, STILL, Day::Monday(10, 2)),
    rule("文化の日", 1948, STILL, Day::On(11, 3)),
    rule("勤労感謝の日", 1948, STILL, Day::On(11, 23)),
    rule("天皇誕生日", 1989, 2018, Day::On(12, 23)),
];

/// Holidays of a single year by law: imperial ceremonies, and days moved for the 2020 and 2021 Olympics.
const SINGLE_YEARS: [Rule; 12] = [
    once("結婚の儀", 1959, Day::On(4, 10)),
    once("大喪の礼", 1989, Day::On(2, 24)),
    once("即位礼正殿の儀", 1990, Day::On(11, 12)),
    once("結婚の儀", 1993, Day::On(6, 9)),
    once("休日（祝日扱い）", 2019, Day::On(5, 1)),
    once("休日（祝日扱い）", 2019, Day::On(10, 22)),
    once("海の日", 2020, Day::On(7, 23)),
    once("スポーツの日", 2020, Day::On(7, 24)),
    once("山の日", 2020, Day::On(8, 10)),
    once("海の日", 2021, Day::On(7, 22)),
    once("スポーツの日", 2021, Day::On(7, 23)),
    once("山の日", 2021, Day::On(8, 8)),
];

/// The named holidays of a year that the equinox formula covers.
pub(super) fn named(year: i16) -> Vec<Holiday> {
    let rules = RULES.iter().chain(&SINGLE_YEARS);
    let rules = rules.filter(|rule| (rule.first_year..=rule.last_year).contains(&year));
    let holiday =
        |rule: &Rule| Some(Holiday { date: rule.day.in_year(year)?, title: rule.title.into() });
    rules.filter_map(holiday).collect()
}

impl Day {
    fn in_year(self, year: i16) -> Option<Date> {
        match self {
            Day::On(month, day) => Date::new(year, month, day).ok(),
            Day::Monday(month, number) => {
                Date::new(year, month, 1).ok()?.nth_weekday_of_month(number, Weekday::Monday).ok()
            }
            Day::VernalEquinox => Date::new(year, 3, equinox(year, 20_835_700, 20_843_100)).ok(),
            Day::AutumnalEquinox => Date::new(year, 9, equinox(year, 23_258_800, 23_248_800)).ok(),
        }
    }
}

/// The day of the month of an equinox in Japan's time, from 1900 to 2099. It adds the mean equinox of 1980 in
/// millionths of a day (one value for years before 1980, one from 1980 on), and the tropical year's excess over 365
/// days, less the leap days. This is the common formula of 新こよみ便利帳 (暦計算研究会).
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
