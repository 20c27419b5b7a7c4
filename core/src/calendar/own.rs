//! The calendar of a server: the Cabinet Office's list for the years that it covers, the rules for all others, and the
//! operator's own holidays. A day has one title: the official one, if there is one.
//!
//! The operator's own holidays are, for example, days on which a company is closed. The file has one day and its title
//! per line.
//!
//! ```text
//! # Summer holidays; lines that begin with # and empty lines are ignored
//! 2026-08-13,夏季休業
//! 2026-08-14,夏季休業
//! ```
//!
//! UTF-8; days in any order, each once. They are added to the holidays of the act and never replace them.

use jiff::civil::Date;

use super::official::{ListFault, OfficialList, quote_start};
use super::rules::{Holiday, in_year};
use super::{YEARS, holidays};

/// The days, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnHolidays {
    days: Vec<Holiday>,
}

/// Fits on one line of a page.
const TITLE_CHARS_MAX: usize = 100;

impl OwnHolidays {
    /// Longest file: a hundred years of closed days need a tenth of it.
    pub const BYTES_MAX: usize = 1 << 20;

    pub fn read(bytes: &[u8]) -> Result<OwnHolidays, ListFault> {
        if bytes.len() > OwnHolidays::BYTES_MAX {
            let found = format!("{} bytes", bytes.len());
            // A fault of the whole file is reported at line 1.
            return Err(ListFault { line: 1, expected: "at most 1 MiB", found });
        }
        let mut days: Vec<(usize, Holiday)> = Vec::new();
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let number = index + 1;
            let line = std::str::from_utf8(line).map_err(|_cause| {
                let found = quote_start(&String::from_utf8_lossy(line));
                ListFault { line: number, expected: "UTF-8", found }
            })?;
            let line = line.trim_start_matches('\u{FEFF}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let day = parse(line).map_err(|expected| ListFault {
                line: number,
                expected,
                found: quote_start(line),
            })?;
            days.push((number, day));
        }
        days.sort_by_key(|(number, day)| (day.date, *number));
        if let Some(pair) = days.windows(2).find(|pair| pair[0].1.date == pair[1].1.date) {
            let found = format!("{} of line {} again", pair[1].1.date, pair[0].0);
            return Err(ListFault { line: pair[1].0, expected: "each day once", found });
        }
        Ok(OwnHolidays { days: days.into_iter().map(|(_, day)| day).collect() })
    }

    pub fn days(&self) -> &[Holiday] {
        &self.days
    }
}

/// Parses a line; the error says what was expected.
fn parse(line: &str) -> Result<Holiday, &'static str> {
    const FORM: &str = "a day and its title such as 2026-08-13,夏季休業";
    let (date, title) = line.split_once(',').ok_or(FORM)?;
    let (date, title) = (date.trim(), title.trim());
    let separated = date.len() == 10 && date.as_bytes()[4] == b'-' && date.as_bytes()[7] == b'-';
    let digits = date.bytes().filter(u8::is_ascii_digit).count() == 8;
    let date: Date = match separated && digits {
        true => date.parse().map_err(|_cause| "a day that exists")?,
        false => return Err(FORM),
    };
    if !YEARS.contains(&date.year()) {
        return Err("a day from 1955-01-01 to 2099-12-31");
    }
    let chars = title.chars().count();
    if chars == 0 || chars > TITLE_CHARS_MAX || title.chars().any(char::is_control) {
        return Err("a title of 1 to 100 characters after the day");
    }
    Ok(Holiday { date, title: title.to_owned().into() })
}

#[derive(Debug, Clone, Default)]
pub struct ListedCalendar {
    pub list: Option<OfficialList>,
    pub own: OwnHolidays,
}

impl ListedCalendar {
    /// The holidays of a year, ascending; empty outside [`YEARS`].
    pub fn holidays(&self, year: i16) -> Vec<Holiday> {
        let listed = self.list.as_ref().filter(|_| YEARS.contains(&year));
        let mut found = match listed.and_then(|list| list.holidays(year)) {
            Some(listed) => listed.to_vec(),
            None => holidays(year),
        };
        found.extend_from_slice(in_year(self.own.days(), year));
        // A stable sort keeps the official title first.
        found.sort_by_key(|holiday| holiday.date);
        found.dedup_by_key(|holiday| holiday.date);
        found
    }

    /// The holidays from `first` to `last`, both included.
    pub fn holidays_between(&self, first: Date, last: Date) -> impl Iterator<Item = Holiday> {
        let years = first.year().max(*YEARS.start())..=last.year().min(*YEARS.end());
        let days = move |holiday: &Holiday| (first..=last).contains(&holiday.date);
        years.flat_map(|year| self.holidays(year)).filter(days)
    }

    /// The holidays that only the list or only the rules have, each as a sentence for the log.
    pub fn differences(&self) -> Vec<String> {
        let Some(list) = &self.list else { return Vec::new() };
        let mut found = Vec::new();
        for year in list.years() {
            let (listed, computed) = (list.holidays(year).unwrap_or_default(), holidays(year));
            for Holiday { date, title } in listed.iter().filter(|day| !computed.contains(day)) {
                found.push(format!("{date} {title} is in the list and not in the rules"));
            }
            for Holiday { date, title } in computed.iter().filter(|day| !listed.contains(day)) {
                found.push(format!("{date} {title} is in the rules and not in the list"));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let own = OwnHolidays::read(text.as_bytes()).map_err(|fault| fault.to_string())?;
        Ok(own.days.iter().map(|day| format!("{} {}", day.date, day.title)).collect())
    }

    #[test]
    fn days_are_read_in_any_order_with_comments_between() {
        for (text, expected) in [
            ("", &[][..]),
            ("# nothing\r\n\r\n", &[]),
            ("2026-08-13,夏季休業", &["2026-08-13 夏季休業"]),
            (
                "\u{FEFF}2026-12-30 , 年末, 休み\r\n# a note\n\n2026-08-13,夏季休業\r\n",
                &["2026-08-13 夏季休業", "2026-12-30 年末, 休み"],
            ),
        ] {
            let expected: Vec<String> = expected.iter().map(|day| (*day).to_owned()).collect();
            assert_eq!(read(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn a_bad_line_is_reported_by_number() {
        for (text, expected) in [
            (
                "2026-08-13",
                "line 1: expected a day and its title such as 2026-08-13,夏季休業, found \"2026-08-13\"",
            ),
            ("\n2026-8-13,x", "line 2: expected a day and its title"),
            ("#\n#\n2026/08/13,x", "line 3: expected a day and its title"),
            ("20260813,x", "line 1: expected a day and its title"),
            ("２０２６-08-13,x", "line 1: expected a day and its title"),
            ("-026-08-13,x", "line 1: expected a day and its title"),
            ("2026-02-29,x", "line 1: expected a day that exists"),
            ("2026-13-01,x", "line 1: expected a day that exists"),
            ("1954-12-31,x", "line 1: expected a day from 1955-01-01 to 2099-12-31"),
            ("2100-01-01,x", "line 1: expected a day from 1955-01-01 to 2099-12-31"),
            ("2026-08-13,", "line 1: expected a title of 1 to 100 characters"),
            ("2026-08-13, \t", "line 1: expected a title of 1 to 100 characters"),
            ("2026-08-13,a\u{7}b", "line 1: expected a title of 1 to 100 characters"),
            (
                "2026-08-14,x\n2026-08-13,x\n2026-08-14,y",
                "line 3: expected each day once, found 2026-08-14 of line 1 again",
            ),
        ] {
            let message = read(text).expect_err(expected);
            assert!(message.contains(expected), "{text:?}: {message}");
        }
        let long = format!("2026-08-13,{}", "あ".repeat(101));
        assert!(read(&long).expect_err("a long title").contains("1 to 100 characters"));
        assert!(read(&long[..long.len() - 3]).is_ok());
        let fault = OwnHolidays::read(b"#\n2026-08-13,\x82\xa0").expect_err("Shift_JIS");
        let expected = "line 2: expected UTF-8, found \"2026-08-13,\u{FFFD}\u{FFFD}\"";
        assert_eq!(fault.to_string(), expected);
        let fault = OwnHolidays::read(&vec![b'#'; OwnHolidays::BYTES_MAX + 1]).expect_err("long");
        assert!(fault.to_string().contains("at most 1 MiB"), "{fault}");
    }
}

#[cfg(test)]
mod listed_tests {
    use super::*;
    use crate::calendar::BusinessCalendar;
    use crate::calendar::official::tests::list;

    #[test]
    fn the_list_overrides_the_rules_for_its_years() {
        // An edited list: Mountain Day is one day later.
        let text = list(2026..=2027).replace("2026/8/11,", "2026/8/12,");
        let list = OfficialList::read(text.as_bytes()).expect("a list");
        let calendar = ListedCalendar { list: Some(list), own: OwnHolidays::default() };
        let date = |text: &str| text.parse::<Date>().expect("a date");
        for (day, expected) in [
            ("2026-08-11", Some(true)),
            ("2026-08-12", Some(false)),
            ("2025-08-11", Some(false)),
            ("2028-08-11", Some(false)),
            ("2026-08-15", Some(false)),
            ("2100-01-01", None),
        ] {
            assert_eq!(
                calendar.is_business_day(date(day), BusinessCalendar::National),
                expected,
                "{day}"
            );
        }
        let between = calendar.holidays_between(date("2026-08-01"), date("2026-08-31"));
        let between: Vec<String> =
            between.map(|day| format!("{} {}", day.date, day.title)).collect();
        assert_eq!(between, ["2026-08-12 山の日"]);
        assert_eq!(
            calendar.differences(),
            [
                "2026-08-12 山の日 is in the list and not in the rules",
                "2026-08-11 山の日 is in the rules and not in the list"
            ]
        );
        assert_eq!(calendar.holidays(2028), holidays(2028));
        assert_eq!(calendar.holidays(2100), []);
    }

    #[test]
    fn without_a_list_the_rules_apply() {
        let calendar = ListedCalendar::default();
        assert_eq!(calendar.holidays(2026), holidays(2026));
        assert!(calendar.differences().is_empty());
    }

    #[test]
    fn own_holidays_are_added_to_the_official_ones() {
        let own = OwnHolidays::read("2026-08-12,夏季休業\n2026-08-11,社の日".as_bytes());
        let calendar = ListedCalendar { list: None, own: own.expect("two days") };
        let days = calendar.holidays(2026);
        let august = days.iter().filter(|day| day.date.month() == 8);
        let august: Vec<String> = august.map(|day| format!("{} {}", day.date, day.title)).collect();
        assert_eq!(august, ["2026-08-11 山の日", "2026-08-12 夏季休業"]);
        let closed: Date = "2026-08-12".parse().expect("a date");
        assert_eq!(calendar.is_business_day(closed, BusinessCalendar::National), Some(false));
        assert_eq!(calendar.holidays(2027), holidays(2027));
        assert!(calendar.differences().is_empty(), "own holidays are not differences");
    }
}
