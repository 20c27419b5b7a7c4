//! The history of a corporation over the versions in a snapshot folder: first what its oldest record says, then
//! every difference between its records in neighbouring versions.
//!
//! A snapshot has no history of its own: two changes between two versions appear as one. The day of a change is
//! known if the newer record's last entry made it; otherwise only the version that shows it is known.

use super::CorporateData;
use super::record::CorporateView;
use super::record::former_names::is_same_name;
use crate::dataset::member::shape::Shape::{Date, OneNumber, OneOf, OrNull};
use crate::dataset::member::shape::{CORPORATE_NUMBER, DATE_OR_NULL, TEXT_OR_NULL};
use crate::dataset::member::{Day, MemberValue, members};
use crate::json::{close_data, push_version, write_list};
use crate::query::budget::QueryError;
use crate::query::cost::{Cost, CostPart};
use crate::record;
use crate::text::codes::{ApiVersion, CorporateNumber, DataVersion};
use crate::work::WorkBudget;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Assigned,
    Name,
    Reading,
    EnglishName,
    Address,
    /// The register was closed.
    Closed,
    Reopened,
    /// It took over another corporation, or the number of its successor became known.
    Merger,
    /// The version no longer has the number: it was withdrawn, or the version was built without its prefecture.
    Removed,
}

impl ChangeKind {
    pub const WORDS: &[&str] = &[
        "assigned", "name", "furigana", "en_name", "address", "closed", "reopened", "merger",
        "removed",
    ];

    pub fn word(self) -> &'static str {
        ChangeKind::WORDS[self as usize]
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub kind: ChangeKind,
    /// The day of the change, as 20260731; 0 if unknown.
    pub date: u32,
    /// The oldest version that shows it.
    pub version: DataVersion,
    /// The value before; `None` if no version has it, or this kind of change has no value.
    pub before: Option<String>,
    pub after: Option<String>,
    pub close_cause: Option<u8>,
    pub successor: Option<CorporateNumber>,
    /// The register's remark on the change, such as a merger.
    pub cause: Option<String>,
}

/// Units of work to look up the number in one version: 0.1 ms, since old versions may have to be read from disk.
const UNITS_PER_VERSION: u64 = 100_000;

/// The cost of comparing this many versions whose tables are already checked.
pub fn cost(versions: usize) -> Cost {
    let mut cost = Cost::none();
    cost.add(CostPart::Versions(versions), UNITS_PER_VERSION.saturating_mul(versions as u64));
    cost
}

/// The changes of a number in these versions (ascending), oldest first. `None` if no version has it.
pub fn history<'d>(
    versions: impl Iterator<Item = &'d CorporateData>,
    number: CorporateNumber,
    budget: &WorkBudget<'_>,
) -> Result<Option<Vec<Change>>, QueryError> {
    let versions: Vec<&CorporateData> = versions.collect();
    let mut changes = Vec::new();
    let mut before: Option<CorporateView<'_>> = None;
    let mut is_known = false;
    // A later version may have been built with more differences.
    let newest = versions.iter().rev().find_map(|data| former_names(data, number).transpose());
    let former = newest.transpose()?.unwrap_or_default();
    for data in versions {
        budget.spend(UNITS_PER_VERSION)?;
        let (version, now) = (data.version(), data.lookup(number)?);
        match (&before, &now) {
            (None, Some(now)) => {
                // A number that reappears was assigned long before.
                if !is_known {
                    changes.extend(first_seen(
                        now,
                        earlier_than(&former, &now.name().to_string()),
                        version,
                    ));
                }
                is_known = true;
            }
            (Some(before), Some(now)) => {
                changes.extend(differences(before, now, &former, version));
            }
            (Some(_), None) => changes.push(Change::new(ChangeKind::Removed, 0, version)),
            (None, None) => {}
        }
        before = now;
    }
    Ok(is_known.then_some(changes))
}

/// Processes of the register: what the newest entry of a record did.
mod process {
    pub const NAME: u8 = 11;
    pub const ADDRESS: [u8; 2] = [12, 13];
    pub const REOPENED: u8 = 22;
    pub const MERGER: [u8; 2] = [71, 72];
}

impl Change {
    fn new(kind: ChangeKind, date: u32, version: DataVersion) -> Change {
        Change {
            kind,
            date,
            version,
            before: None,
            after: None,
            close_cause: None,
            successor: None,
            cause: None,
        }
    }

    /// Sets the values before and after; an empty one becomes `None`.
    fn with_values(self, before: Option<String>, after: String) -> Change {
        let after = Some(after).filter(|after| !after.is_empty());
        Change { before: before.filter(|before| !before.is_empty()), after, ..self }
    }

    fn with_cause(self, view: &CorporateView<'_>) -> Change {
        let cause = Some(view.change_cause().text.to_owned()).filter(|cause| !cause.is_empty());
        let (close_cause, successor) = (view.close_cause(), view.successor());
        Change { close_cause, successor, cause, ..self }
    }
}

/// The former names of a number that a version knows, in the order of time, each with its last day, or 0. `None` if it
/// knows none or lacks the number.
fn former_names(
    data: &CorporateData,
    number: CorporateNumber,
) -> Result<Option<Vec<(u32, String)>>, QueryError> {
    let (Some(names), Some(row)) = (data.former_names()?, data.row_of(number)?) else {
        return Ok(None);
    };
    let of_row = names.of_row(row);
    Ok(Some(of_row.map(|it| (it.last_day.to_native(), it.name.to_string())).collect()))
}

/// The former names before this one; all if it is none of them.
fn earlier_than<'n>(former: &'n [(u32, String)], name: &str) -> &'n [(u32, String)] {
    let position = former.iter().position(|(_, known)| is_same_name(known, name));
    &former[..position.unwrap_or(former.len())]
}

/// The day after the last day of a former name; 0 if unknown.
fn day_after(last_day: u32) -> u32 {
    match last_day {
        0 => 0,
        day => record::Day::from_date(day).plus_days(1).date(),
    }
}

/// The changes of the name that lead from the former names to the present one. The day of the last is also known if the
/// newest entry made it.
fn name_changes(
    view: &CorporateView<'_>,
    former: &[(u32, String)],
    version: DataVersion,
) -> Vec<Change> {
    let present = view.name().to_string();
    let is_last_change = view.process() == process::NAME;
    if former.is_empty() && is_last_change {
        let change = Change::new(ChangeKind::Name, view.change_date(), version);
        return vec![change.with_values(None, present)];
    }
    let later = former.iter().skip(1).map(|(_, name)| name.clone()).chain([present]);
    let changes = former.iter().zip(later).enumerate().map(|(index, ((last_day, name), after))| {
        let date = match last_day {
            0 if is_last_change && index + 1 == former.len() => view.change_date(),
            last_day => day_after(*last_day),
        };
        Change::new(ChangeKind::Name, date, version).with_values(Some(name.clone()), after)
    });
    changes.collect()
}

/// The changes that the oldest record of a corporation shows by itself.
fn first_seen(
    view: &CorporateView<'_>,
    former: &[(u32, String)],
    version: DataVersion,
) -> Vec<Change> {
    let change = |kind, date| Change::new(kind, date, version);
    let mut changes = vec![change(ChangeKind::Assigned, view.assignment_date())];
    changes.extend(name_changes(view, former, version));
    if process::ADDRESS.contains(&view.process()) {
        let moved = change(ChangeKind::Address, view.change_date());
        changes.push(moved.with_values(None, address(view)));
    }
    if process::MERGER.contains(&view.process()) {
        changes.push(change(ChangeKind::Merger, view.change_date()).with_cause(view));
    }
    if view.process() == process::REOPENED {
        changes.push(change(ChangeKind::Reopened, view.change_date()));
    }
    if view.is_closed() {
        let date = view.close_date().unwrap_or_default();
        changes.push(change(ChangeKind::Closed, date).with_cause(view));
    }
    changes
}

/// The changes between two records of neighbouring versions, of which `version` is the newer.
fn differences(
    before: &CorporateView<'_>,
    now: &CorporateView<'_>,
    former: &[(u32, String)],
    version: DataVersion,
) -> Vec<Change> {
    let is_new_entry = (before.process(), before.change_date(), before.update_date())
        != (now.process(), now.change_date(), now.update_date());
    let day_of = |processes: &[u8]| match processes.contains(&now.process()) && is_new_entry {
        true => now.change_date(),
        false => 0,
    };
    let mut changes = Vec::new();
    let mut compare = |kind, date, [old, new]: [String; 2]| {
        if old != new {
            changes.push(Change::new(kind, date, version).with_values(Some(old), new));
        }
    };
    let both = [before, now];
    let names = both.map(|view| view.name().to_string());
    let named = former.iter().find(|(_, name)| is_same_name(name, &names[0]));
    let name_day = match day_of(&[process::NAME]) {
        0 => named.map_or(0, |(last_day, _)| day_after(*last_day)),
        day => day,
    };
    compare(ChangeKind::Name, name_day, names);
    compare(ChangeKind::Reading, 0, both.map(|view| view.furigana().to_string()));
    compare(ChangeKind::EnglishName, 0, both.map(|view| view.en_name().text.to_owned()));
    compare(ChangeKind::Address, day_of(&process::ADDRESS), both.map(address));
    if day_of(&process::MERGER) != 0 || before.successor() != now.successor() && !now.is_closed() {
        let merger = Change::new(ChangeKind::Merger, day_of(&process::MERGER), version);
        changes.push(merger.with_cause(now));
    }
    let closing =
        |view: &CorporateView<'_>| (view.close_date(), view.close_cause(), view.successor());
    match (before.is_closed(), now.is_closed()) {
        (true, false) => {
            changes.push(Change::new(ChangeKind::Reopened, day_of(&[process::REOPENED]), version));
        }
        (was_closed, true) if !was_closed || closing(before) != closing(now) => {
            let date = now.close_date().unwrap_or_default();
            changes.push(Change::new(ChangeKind::Closed, date, version).with_cause(now));
        }
        _ => {}
    }
    changes
}

/// The whole address in Japan; for a corporation abroad its address there.
fn address(view: &CorporateView<'_>) -> String {
    let inland = view.inland_address();
    if inland.is_empty() { view.outside().text.to_owned() } else { inland }
}

members! {
    /// A change of a corporation.
    pub const CHANGE: "CorporateChange" of it: &Change;
    "date": DATE_OR_NULL => Day::or_none(it.date), "The day of the change, or null if the register does not give it", "変更の日。公表データから分からなければnull";
    "version": Date => it.version, "The oldest loaded version with the change", "変更が最初に現れた、読み込まれているバージョン";
    "kind": OneOf(ChangeKind::WORDS) => it.kind.word(), "Kind of change", "変更の種類";
    "before": TEXT_OR_NULL => it.before.as_deref(), "The name, reading or address before, or null", "変更前の名称、フリガナまたは所在地。なければnull";
    "after": TEXT_OR_NULL => it.after.as_deref(), "The same after the change, or null", "変更後の値。なければnull";
    "change_cause": TEXT_OR_NULL => it.cause.as_deref(), "Details of the cause from the register, such as a merger", "変更事由の詳細（合併など）。なければnull";
    "close_cause": OrNull(&OneNumber(&[1, 11, 21, 31])) => it.close_cause, "Cause of closing; null for other changes", "登記記録の閉鎖等の事由。閉鎖でなければnull";
    "successor_corporate_number": OrNull(&CORPORATE_NUMBER) => it.successor, "Successor after a merger, or null", "承継先法人番号。なければnull";
}

pub fn write_history(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    number: CorporateNumber,
    changes: &[Change],
) {
    out.extend_from_slice(b"{\"version\":\"");
    push_version(out, version);
    out.extend_from_slice(b"\",\"corporate_number\":");
    number.write(out, api);
    out.extend_from_slice(b",\"data\":");
    write_list(out, changes.iter(), |out, change| change.write(out, api));
    close_data(out);
}
