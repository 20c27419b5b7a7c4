//! The Cabinet Office's list of holidays (syukujitsu.csv). It takes precedence in the years that it covers, since
//! an act may move a holiday before this program is updated.

use encoding_rs::{SHIFT_JIS, UTF_8};
use jiff::civil::Date;

use super::rules::{Holiday, in_year};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfficialList {
    /// Ascending.
    days: Vec<Holiday>,
}

/// The file is not a holiday list, or not complete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct ListFault {
    /// From 1.
    pub line: usize,
    pub expected: &'static str,
    pub found: String,
}

/// Bounds on the holidays of a year. Since 1955 every year has had 9 to 23.
const YEAR_DAYS: std::ops::RangeInclusive<usize> = 9..=30;

impl OfficialList {
    /// Reads the file: a header, then one day and its title per line, ascending.
    pub fn read(bytes: &[u8]) -> Result<OfficialList, ListFault> {
        let encoding = if UTF_8.decode(bytes).2 { SHIFT_JIS } else { UTF_8 };
        let (text, _, damaged) = encoding.decode(bytes);
        if damaged {
            let found = "bytes that are neither".to_owned();
            return Err(ListFault { line: 1, expected: "Shift_JIS or UTF-8", found });
        }
        let mut lines = text.lines().map(str::trim).enumerate();
        let header = lines.next().map_or("", |(_, header)| header);
        if !header.contains("月日,") {
            let expected = "the header 国民の祝日・休日月日,国民の祝日・休日名称";
            return Err(ListFault { line: 1, expected, found: quote_start(header) });
        }
        let mut days: Vec<Holiday> = Vec::new();
        // The line of each day, from 1: empty and repeated lines have no day.
        let mut day_lines = Vec::new();
        for (index, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let fault =
                |expected| ListFault { line: index + 1, expected, found: quote_start(line) };
            let day =
                parse(line).ok_or_else(|| fault("a day and its title such as 2026/1/1,元日"))?;
            match days.last() {
                // The list of 2019 has 1973/9/23 twice.
                Some(last) if *last == day => {}
                Some(last) if last.date >= day.date => return Err(fault("days in their order")),
                _ => {
                    days.push(day);
                    day_lines.push(index + 1);
                }
            }
        }
        let list = OfficialList { days };
        list.check_years(&day_lines)?;
        Ok(list)
    }

    /// The years that the list covers; an empty range for an empty list.
    pub fn years(&self) -> std::ops::RangeInclusive<i16> {
        match (self.days.first(), self.days.last()) {
            (Some(first), Some(last)) => first.date.year()..=last.date.year(),
            _ => std::ops::RangeInclusive::new(1, 0),
        }
    }

    pub fn days(&self) -> &[Holiday] {
        &self.days
    }

    /// The holidays of a year; `None` for a year outside the list.
    pub fn holidays(&self, year: i16) -> Option<&[Holiday]> {
        self.years().contains(&year).then(|| in_year(&self.days, year))
    }

    fn check_years(&self, day_lines: &[usize]) -> Result<(), ListFault> {
        if self.days.is_empty() {
            return Err(ListFault { line: 2, expected: "holidays", found: "none".to_owned() });
        }
        for year in self.years() {
            let days = self.holidays(year).map_or(0, <[Holiday]>::len);
            if !YEAR_DAYS.contains(&days) {
                let found = format!("{days} in {year}");
                // The last day of the year, or of the years before it.
                let count = self.days.partition_point(|day| day.date.year() <= year);
                let line = count.checked_sub(1).and_then(|last| day_lines.get(last)).copied();
                let line = line.unwrap_or(1);
                return Err(ListFault { line, expected: "9 to 30 holidays a year", found });
            }
        }
        Ok(())
    }
}

fn parse(line: &str) -> Option<Holiday> {
    let (date, title) = line.split_once(',')?;
    let mut numbers = date.split('/').map(|text| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<i16>().ok()).flatten()
    });
    let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    let sound =
        numbers.next().is_none() && year >= 1_000 && !title.is_empty() && !title.contains(',');
    sound.then(|| Holiday { date, title: title.to_owned().into() })
}

/// The first 40 characters of a line, quoted: enough to find it.
pub(super) fn quote_start(line: &str) -> String {
    format!("{:?}", line.chars().take(40).collect::<String>())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::calendar::holidays;

    /// The holidays of these years as the rules give them, in the format of the official file.
    pub fn list(years: std::ops::RangeInclusive<i16>) -> String {
        let mut text = "国民の祝日・休日月日,国民の祝日・休日名称\r\n".to_owned();
        for holiday in years.flat_map(holidays) {
            let date = holiday.date;
            let (year, month, day) = (date.year(), date.month(), date.day());
            text.push_str(&format!("{year}/{month}/{day},{}\r\n", holiday.title));
        }
        text
    }

    fn read(text: &str) -> Result<OfficialList, String> {
        let (bytes, _, _) = SHIFT_JIS.encode(text);
        OfficialList::read(&bytes).map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_list_is_read_in_its_encodings() {
        let text = list(1955..=2027);
        let found = read(&text).expect("a list");
        assert_eq!(found.years(), 1955..=2027);
        for year in found.years() {
            assert_eq!(found.holidays(year), Some(&holidays(year)[..]), "{year}");
        }
        assert_eq!(found.holidays(2028), None);
        assert_eq!(found.holidays(1954), None);
        let marked = format!("\u{FEFF}{text}");
        assert_eq!(
            OfficialList::read(marked.as_bytes()),
            Ok(found.clone()),
            "UTF-8 with a byte order mark"
        );
        let doubled =
            text.replace("1973/9/23,秋分の日\r\n", "1973/9/23,秋分の日\r\n1973/9/23,秋分の日\r\n");
        assert_eq!(read(&doubled), Ok(found));
    }

    #[test]
    fn a_malformed_list_reports_the_line() {
        let text = list(2026..=2027);
        for (from, to, expected) in [
            ("国民の祝日・休日月日", "日付", "line 1: expected the header"),
            ("2026/1/1,", "2026-01-01,", "line 2: expected a day and its title such as 2026/1/1"),
            ("2026/1/1,元日", "2026/1/1,", "line 2: "),
            ("2026/1/1,元日", "2026/2/30,元日", "line 2: "),
            ("2026/1/1,元日", "2026/1/1,元日,x", "line 2: "),
            ("2026/1/12,", "2026/1/1,", "line 3: expected days in their order"),
            ("2027/", "2028/", "expected 9 to 30 holidays a year, found 0 in 2027"),
        ] {
            let message = read(&text.replace(from, to)).expect_err(expected);
            assert!(message.contains(expected), "{message}");
        }
        // Neither an empty line nor a repeated one is a day, but both are lines.
        let new_year = "2026/1/1,元日\r\n";
        let last = 1 + holidays(2026).len();
        for (before, line) in [("", last), ("\r\n", last + 1), (new_year, last + 1)] {
            let text = text.replace("2027/", "2028/");
            let text = text.replace(new_year, &format!("{before}{new_year}"));
            let message = read(&text).expect_err("a year without holidays");
            assert!(message.starts_with(&format!("line {line}: expected 9 to 30")), "{message}");
        }
        let header = text.lines().next().expect("a header");
        assert!(read(header).expect_err("no days").contains("expected holidays, found none"));
        assert!(read("").is_err() && read("<html>").is_err());
        assert!(OfficialList::read(&[0xff, 0xfe, 0x81]).is_err(), "neither encoding");
    }
}
