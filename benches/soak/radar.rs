//! The client of the radar: checks that its watch list has added numbers and lacks removed ones, and that the radar of
//! the day of the last webhook has the change.
//!
//! These requests need the store, and are refused while the store is down.

use serde_json::json;

use crate::connection::{Connection, json_of};
use crate::questions::{WATCHED, head, summary};
use crate::receiver::Arrival;

#[derive(Default)]
pub struct RadarClient {
    /// Whether the list has [`OTHER`]; `None` after a change request without a valid answer.
    has_other: Option<bool>,
    steps: u64,
}

/// A number that the client adds and removes.
const OTHER: &str = "7000012050002";

const LIST: &str = "/v1/houjinbangou/radar/corporate_numbers";

impl RadarClient {
    /// Sends the next request: add, list, remove and list in turn, at times the radar of a day.
    pub fn send_next(&mut self, connection: &mut Connection<'_>) {
        self.steps += 1;
        let adds = self.steps % 4 == 1;
        if self.steps % 2 == 1 {
            let verb = if adds { "add" } else { "remove" };
            let change = head("POST", &format!("{LIST}/{verb}"), Some(&connection.load.key));
            let done = connection
                .request_with_store(&change, Some(&json!({ "data": [OTHER] }).to_string()));
            self.has_other = done.map(|_answer| adds);
            return;
        }
        if self.steps.is_multiple_of(8) {
            return ask_for_day(connection);
        }
        let list = head("GET", LIST, Some(&connection.load.key));
        let Some(answer) = connection.request_with_store(&list, None) else { return };
        let found = json_of(&answer);
        let contains = |number: &str| {
            found["data"].as_array().is_some_and(|all| all.iter().any(|one| one == number))
        };
        if !contains(WATCHED) || self.has_other.is_some_and(|expected| contains(OTHER) != expected)
        {
            connection.report_wrong(
                &list,
                &format!("{OTHER} expected: {:?}; {}", self.has_other, summary(&answer)),
            );
        }
    }
}

/// Requests the radar of the day of the last webhook, if it is the newest day: older days may have been pruned.
fn ask_for_day(connection: &mut Connection<'_>) {
    let load = connection.load;
    let newest = load.published.lock().expect("no panic").last().map(ToString::to_string);
    let last_delivered = load.receiver.with_arrivals(|all| all.last().map(Arrival::day));
    let Some(day) = last_delivered.filter(|day| Some(day) == newest.as_ref()) else { return };
    let radar = head("GET", &format!("/v1/houjinbangou/radar/{day}"), Some(&load.key));
    let Some(answer) = connection.request_with_store(&radar, None) else { return };
    if json_of(&answer)["data"] != json!([WATCHED]) {
        connection.report_wrong(&radar, &summary(&answer));
    }
}
