//! The period of `diff`, and the numbers whose entries changed in it.
//!
//! The server knows the changes of a day by its change list, which a build from that day's difference writes. The agency
//! publishes nothing on holidays. A working day without a list is not known: its changes may be in a full file that was
//! built instead. A period with such a day is refused, because an answer without it would look complete.

use std::collections::BTreeMap;

use super::fault::{Fault, FaultKind, Refusal};
use super::parameters;
use crate::api::error::{ApiError, Code};
use crate::api::pipeline::params::{ApiRequest, Params};
use crate::calendar::is_office_day;
use crate::snapshot::{Dataset, changes};
use crate::text::codes::{CorporateNumber, DataVersion, Register};

/// The most days from the first to the last.
const DAYS_MAX: i32 = 50;

/// The most unknown days that an error names.
const NAMED_MAX: usize = 5;

/// The rows of a period, and how many of its changes are not known any more.
pub struct Changes<R> {
    pub rows: Vec<R>,
    pub lost: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from: DataVersion,
    pub to: DataVersion,
}

impl Period {
    /// The period from `from` to `to`, which both must be there.
    pub fn read(params: &Params<'_>) -> Result<Period, Refusal> {
        let day = |name| {
            let missing = || Refusal::from(Fault::missing(name));
            parameters::date(params, name)?.ok_or_else(missing)
        };
        Ok(Period::new(day("from")?, day("to")?)?)
    }

    fn new(from: DataVersion, to: DataVersion) -> Result<Period, Fault> {
        let days = (to.date() - from.date()).get_days();
        if !(0..=DAYS_MAX).contains(&days) {
            let message = format!(
                "パラメーターtoには、fromの日からその{DAYS_MAX}日後までの日付を指定してください。\
                 指定された期間: {from}から{to}まで"
            );
            return Err(Fault::new(FaultKind::Date, message));
        }
        Ok(Period { from, to })
    }

    /// Whether a date such as 20260731 is in it.
    pub fn contains(self, date: u32) -> bool {
        (self.from.number()..=self.to.number()).contains(&date)
    }
}

/// A number whose entry changed, and the days in the period on which it did, ascending.
pub type Changed = (CorporateNumber, Vec<DataVersion>);

/// The numbers whose entries changed in the period, ascending, each once.
pub fn changed_numbers(
    request: &ApiRequest<'_>,
    register: Register,
    period: Period,
) -> Result<Vec<Changed>, Refusal> {
    let no_data = || ApiError::new(Code::NoData, format!("no {register} data is loaded"));
    let (_, latest) = request.data.catalog.first_and_latest(register).ok_or_else(no_data)?;
    let mut changed: BTreeMap<CorporateNumber, Vec<DataVersion>> = BTreeMap::new();
    let mut unknown = Vec::new();
    let mut day = Some(period.from);
    while let Some(today) = day.filter(|today| *today <= period.to) {
        // A list may exist before its data version is loaded.
        let list = match today <= latest {
            true => changes::read(&request.api.radar.snapshots, register, today),
            false => Ok(None),
        };
        match list {
            Ok(Some(list)) => {
                list.numbers.into_iter().for_each(|it| changed.entry(it).or_default().push(today));
            }
            // A day outside the calendar may be a working day.
            Ok(None) if is_office_day(today.date()).unwrap_or(true) => unknown.push(today),
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, request = %request.id, "a change list is damaged");
                let detail = format!("the change list of {today} is damaged");
                return Err(ApiError::new(Code::DamagedData, detail).into());
            }
        }
        day = today.date().tomorrow().ok().and_then(DataVersion::from_date);
    }
    if !unknown.is_empty() {
        return Err(unknown_days(&unknown, latest).into());
    }
    Ok(changed.into_iter().collect())
}

/// Of these versions, which ascend, those that have what was published on these days: the first from each day on, and
/// the newest.
pub fn versions_of<'d, D: Dataset>(versions: &[&'d D], days: &[DataVersion]) -> Vec<&'d D> {
    let indexes = indexes_of(versions.len(), days, |index| versions[index].file().version());
    indexes.into_iter().map(|index| versions[index]).collect()
}

fn indexes_of(
    count: usize,
    days: &[DataVersion],
    version: impl Fn(usize) -> DataVersion,
) -> Vec<usize> {
    let all: Vec<usize> = (0..count).collect();
    let first_from = |day: &DataVersion| all.partition_point(|index| version(*index) < *day);
    let mut indexes: Vec<usize> = days.iter().map(first_from).chain(count.checked_sub(1)).collect();
    indexes.retain(|index| *index < count);
    indexes.dedup();
    indexes
}

/// On how many of a number's days of changes none of the known entries was published, such as 20260731: a later entry
/// replaced it before a version that is loaded. On the last day the number may have gone. Of a number without entries
/// nothing was ever known.
pub fn lost_days(days: &[DataVersion], is_gone: bool, updates: &[u32]) -> usize {
    let changes = &days[..days.len() - usize::from(is_gone && !days.is_empty())];
    match updates {
        [] => 0,
        updates => changes.iter().filter(|day| !updates.contains(&day.number())).count(),
    }
}

fn unknown_days(days: &[DataVersion], latest: DataVersion) -> Fault {
    let named: Vec<String> = days.iter().take(NAMED_MAX).map(DataVersion::to_string).collect();
    let more = days.len().saturating_sub(NAMED_MAX);
    let more = if more == 0 { String::new() } else { format!("ほか{more}日") };
    let message = format!(
        "このサーバーには次の日の差分データがありません: {}{more}。最新のデータは{latest}のものです。\
         差分データのある期間を指定してください。",
        named.join("、")
    );
    Fault::new(FaultKind::UnknownDays, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    #[test]
    fn a_period_has_fifty_days_at_most() {
        for (from, to, is_period) in [
            ("2026-08-03", "2026-08-03", true),
            ("2026-08-03", "2026-09-22", true),
            ("2026-08-03", "2026-09-23", false),
            ("2026-08-03", "2026-08-02", false),
            ("0000-01-01", "9999-12-31", false),
        ] {
            let found = Period::new(day(from), day(to));
            assert_eq!(found.is_ok(), is_period, "{from} {to}");
            assert!(found.is_ok_and(|it| it.contains(it.from.number())) == is_period);
        }
        let period = Period::new(day("2026-08-03"), day("2026-08-04")).expect("a period");
        let inside = [20_260_802, 20_260_803, 20_260_804, 20_260_805].map(|it| period.contains(it));
        assert_eq!(inside, [false, true, true, false]);
    }

    #[test]
    fn the_first_version_from_a_day_on_has_what_was_published_on_it() {
        let versions = ["2026-07-31", "2026-08-05", "2026-08-07"].map(day);
        let indexes = |days: &[&str]| {
            let days: Vec<DataVersion> = days.iter().map(|it| day(it)).collect();
            indexes_of(versions.len(), &days, |index| versions[index])
        };
        assert_eq!(indexes(&["2026-08-03"]), [1, 2]);
        assert_eq!(indexes(&["2026-08-03", "2026-08-05", "2026-08-06"]), [1, 2]);
        assert_eq!(indexes(&["2026-07-31", "2026-08-07"]), [0, 2]);
        assert_eq!(indexes(&["2026-08-10"]), [2]);
        assert_eq!(indexes_of(0, &[day("2026-08-03")], |_| day("2026-08-03")), [0; 0]);
    }

    #[test]
    fn a_change_without_an_entry_is_lost_unless_the_number_has_gone() {
        let days = ["2026-08-03", "2026-08-05"].map(day);
        for (is_gone, updates, expected) in [
            (false, &[20_260_803, 20_260_805][..], 0),
            (false, &[20_260_805], 1),
            (false, &[20_260_401], 2),
            (true, &[20_260_803], 0),
            (true, &[20_260_401], 1),
            (false, &[], 0),
        ] {
            assert_eq!(lost_days(&days, is_gone, updates), expected, "{is_gone} {updates:?}");
        }
        assert_eq!(lost_days(&[], true, &[20_260_803]), 0);
    }

    #[test]
    fn unknown_days_are_named_and_counted() {
        let days: Vec<DataVersion> = (3..=10).map(|it| day(&format!("2026-08-{it:02}"))).collect();
        let message = unknown_days(&days, day("2026-07-31")).message;
        assert!(message.contains("2026-08-03、2026-08-04"), "{message}");
        assert!(
            message.contains("2026-08-07ほか3日") && message.contains("2026-07-31"),
            "{message}"
        );
    }
}
