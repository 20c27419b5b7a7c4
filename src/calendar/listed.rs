//! The calendar that a server answers from: the Cabinet Office's list for the years that it covers, the rules for
//! all others.

use jiff::civil::Date;

use super::official::OfficialList;
use super::rules::Holiday;
use super::{YEARS, holidays, is_business_day_beside};

#[derive(Debug, Default)]
pub struct ListedCalendar {
    list: Option<OfficialList>,
}

impl ListedCalendar {
    pub fn of(list: OfficialList) -> ListedCalendar {
        ListedCalendar { list: Some(list) }
    }

    /// The holidays of a year in their order; none outside [`YEARS`].
    pub fn holidays(&self, year: i16) -> Vec<Holiday> {
        let listed = self.list.as_ref().filter(|_| YEARS.contains(&year));
        match listed.and_then(|list| list.holidays(year)) {
            Some(listed) => listed.to_vec(),
            None => holidays(year),
        }
    }

    /// The holidays of a range of days, both included.
    pub fn holidays_between(&self, first: Date, last: Date) -> impl Iterator<Item = Holiday> {
        let years = first.year().max(*YEARS.start())..=last.year().min(*YEARS.end());
        let days = move |holiday: &Holiday| (first..=last).contains(&holiday.date);
        years.flat_map(|year| self.holidays(year)).filter(days)
    }

    /// Whether a day is neither Saturday, Sunday nor a holiday; `None` outside [`YEARS`].
    pub fn is_business_day(&self, date: Date) -> Option<bool> {
        let known = YEARS.contains(&date.year());
        known.then(|| is_business_day_beside(date, &self.holidays(date.year())))
    }

    /// Where the list and the rules do not agree, in words.
    pub fn differences(&self) -> Vec<String> {
        let Some(list) = &self.list else { return Vec::new() };
        let mut found = Vec::new();
        for year in list.years() {
            let (listed, ruled) = (list.holidays(year).unwrap_or_default(), holidays(year));
            let lacks = |days: &[Holiday], day: &Holiday| !days.contains(day);
            for Holiday { date, title } in listed.iter().filter(|day| lacks(&ruled, day)) {
                found.push(format!("{date} {title} is in the list and not in the rules"));
            }
            for Holiday { date, title } in ruled.iter().filter(|day| lacks(listed, day)) {
                found.push(format!("{date} {title} is in the rules and not in the list"));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::official::tests::list;
    use super::*;

    #[test]
    fn the_list_decides_for_its_years_and_the_rules_for_others() {
        // An act moves the holiday of the mountains by a day.
        let text = list(2026..=2027).replace("2026/8/11,", "2026/8/12,");
        let calendar = ListedCalendar::of(OfficialList::read(text.as_bytes()).expect("a list"));
        let date = |text: &str| text.parse::<Date>().expect("a date");
        for (day, expected) in [
            ("2026-08-11", Some(true)),
            ("2026-08-12", Some(false)),
            ("2025-08-11", Some(false)),
            ("2028-08-11", Some(false)),
            ("2026-08-15", Some(false)),
            ("2100-01-01", None),
        ] {
            assert_eq!(calendar.is_business_day(date(day)), expected, "{day}");
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
    fn without_a_list_the_rules_answer() {
        let calendar = ListedCalendar::default();
        assert_eq!(calendar.holidays(2026), holidays(2026));
        assert!(calendar.differences().is_empty());
    }
}
