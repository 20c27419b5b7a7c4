//! The client of the radar: checks that its watch list has added numbers and lacks removed ones, and that the radar of
//! the day of the last webhook has the change.
//!
//! These requests need the store, and are refused while the store is down.

use serde_json::json;

use crate::line::{Line, json_of};
use crate::questions::{WATCHED, head, summary};
use crate::receiver::Arrival;

#[derive(Default)]
pub struct Watch {
    /// Whether the list has [`OTHER`]; `None` after a change request without a valid answer.
    has_other: Option<bool>,
    steps: u64,
}

/// A number that the client adds and removes.
const OTHER: &str = "7000012050002";

const LIST: &str = "/v1/houjinbangou/radar/corporate_numbers";

impl Watch {
    /// Sends the next request: add, list, remove and list in turn, at times the radar of a day.
    pub fn step(&mut self, line: &mut Line<'_>) {
        self.steps += 1;
        let adds = self.steps % 4 == 1;
        if self.steps % 2 == 1 {
            let verb = if adds { "add" } else { "remove" };
            let change = head("POST", &format!("{LIST}/{verb}"), Some(&line.load.key));
            let done = line.ask_store(&change, Some(&json!({ "data": [OTHER] }).to_string()));
            self.has_other = done.map(|_answer| adds);
            return;
        }
        if self.steps.is_multiple_of(8) {
            return ask_for_day(line);
        }
        let list = head("GET", LIST, Some(&line.load.key));
        let Some(answer) = line.ask_store(&list, None) else { return };
        let found = json_of(&answer);
        let has = |number: &str| {
            found["data"].as_array().is_some_and(|all| all.iter().any(|one| one == number))
        };
        if !has(WATCHED) || self.has_other.is_some_and(|expected| has(OTHER) != expected) {
            line.wrong(
                &list,
                &format!("{OTHER} expected: {:?}; {}", self.has_other, summary(&answer)),
            );
        }
    }
}

/// Requests the radar of the day of the last webhook, if it is the newest day: older days may have been pruned.
fn ask_for_day(line: &mut Line<'_>) {
    let load = line.load;
    let newest = load.published.lock().expect("no panic").last().map(ToString::to_string);
    let told_last = load.receiver.with_arrivals(|all| all.last().map(Arrival::day));
    let Some(day) = told_last.filter(|day| Some(day) == newest.as_ref()) else { return };
    let radar = head("GET", &format!("/v1/houjinbangou/radar/{day}"), Some(&load.key));
    let Some(answer) = line.ask_store(&radar, None) else { return };
    if json_of(&answer)["data"] != json!([WATCHED]) {
        line.wrong(&radar, &summary(&answer));
    }
}
