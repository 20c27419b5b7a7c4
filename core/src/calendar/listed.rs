//! The calendar of a server: the Cabinet Office's list for the years that it covers, the rules for all others, and
//! the operator's own holidays. A day has one title: the official one, if there is one.

use jiff::civil::Date;

use super::official::OfficialList;
use super::own::OwnHolidays;
use super::rules::{Holiday, in_year};
use super::{YEARS, holidays};

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
    use super::super::BusinessCalendar;
    use super::super::official::tests::list;
    use super::*;

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
