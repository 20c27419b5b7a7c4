//! Rows of a file that contradict each other on a day. Each day has at most one row that says of a record whether it
//! exists, and at most one that sets a member. So the order of rows never matters.

use std::collections::HashMap;

use super::declared::Action;
use super::fault::Fault;
use super::row::Correction;

/// The faults of rows that contradict an earlier row of the file.
pub fn conflicts<'r>(rows: impl Iterator<Item = &'r Correction>) -> Vec<Fault> {
    let mut by_record: HashMap<&[String], Vec<&Correction>> = HashMap::new();
    let mut faults = Vec::new();
    for row in rows {
        let others = by_record.entry(&row.key).or_default();
        faults.extend(others.iter().filter_map(|other| conflict(other, row)));
        others.push(row);
    }
    faults
}

fn conflict(earlier: &Correction, later: &Correction) -> Option<Fault> {
    let days = earlier.period.overlap(&later.period)?;
    let contradiction = match (earlier.action, later.action) {
        (Action::Alias, Action::Alias) => {
            (earlier.values == later.values).then(|| "says the same".to_owned())
        }
        (Action::Alias, _) | (_, Action::Alias) => None,
        (Action::Change, Action::Change) => {
            let sets = |row: &Correction, name| row.value(name).is_some();
            let mut names = later.file.members.iter().map(|field| field.name);
            let both = names.find(|name| sets(earlier, name) && sets(later, name));
            both.map(|name| format!("also sets {name}"))
        }
        (Action::Add, Action::Change) | (Action::Change, Action::Add) => None,
        (earlier, _) => Some(format!("says {earlier}")),
    }?;
    let expected = format!(
        "no other row about {} {days}, since {} {contradiction}: end one with valid_to before the other begins",
        later.record(),
        format_args!("line {}", earlier.line),
    );
    let found = format!("{} {}", later.action, later.period);
    Some(Fault::of_row(&later.file.file_name(), later.line, expected, found))
}
