//! `daicho node list`: the servers that follow releases, with the state that they report.

use std::io::Write;

use clap::Subcommand;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::error::CommandError;
use super::print::{TableRecord, own, print_lines, print_records};
use super::release::bucket::{ListArgs, print_left_out};
use crate::api::age::days;
use crate::calendar::day_in_japan;
use crate::release::{self, Label, Listing, Node, Number, Presence};
use crate::text::codes::DataVersion;

#[derive(Debug, Subcommand)]
pub enum NodeArgs {
    /// List the servers that follow releases: the release that each serves, its data versions and its load
    List(ListArgs),
}

struct Row {
    node: Node,
    now: Timestamp,
}

impl Row {
    fn presence(&self) -> &'static str {
        match self.node.presence(self.now) {
            Presence::Live => "live",
            Presence::Gone => "gone",
            Presence::Stopped => "left",
        }
    }

    /// Age of the last report in whole seconds; 0 if the local clock is behind.
    fn seen_seconds_ago(&self) -> i64 {
        self.now.duration_since(self.node.seen).as_secs().max(0)
    }

    fn age_days(&self, version: DataVersion) -> Option<u32> {
        day_in_japan(self.now).and_then(|today| days(version, today))
    }

    fn data(&self) -> String {
        let shown = self.node.state.newest.iter().map(|(dataset, version)| {
            let age = self.age_days(*version).map(|days| format!(" ({days}d)"));
            format!("{dataset} {version}{}", age.unwrap_or_default())
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

impl TableRecord<10> for Row {
    const HEADING: [&'static str; 10] = [
        "NAME", "STATE", "SEEN", "LABEL", "VERSION", "ACTIVE", "PREPARED", "REQ/S", "BUSY", "DATA",
    ];

    fn cells(&self) -> [String; 10] {
        let state = &self.node.state;
        let release =
            |number: Option<Number>| number.map_or("-".to_owned(), |number| number.to_string());
        [
            state.name.to_string(),
            self.presence().to_owned(),
            format!("{}s ago", self.seen_seconds_ago()),
            state.label.as_ref().map(Label::to_string).unwrap_or_default(),
            state.program.to_string(),
            release(state.active),
            release(state.prepared),
            state.load.requests_per_second.to_string(),
            state.load.in_flight.to_string(),
            self.data(),
        ]
    }

    fn json(&self) -> Value {
        let state = &self.node.state;
        let data = state.newest.iter().map(|(dataset, version)| {
            let age = self.age_days(*version);
            let data = json!({ "version": version.to_string(), "age_days": age });
            (dataset.name().to_owned(), data)
        });
        json!({
            "name": state.name.to_string(),
            "state": self.presence(),
            "seen_at": format!("{:.0}", self.node.seen),
            "seen_seconds_ago": self.seen_seconds_ago(),
            "label": state.label.as_ref().map(Label::to_string),
            "version": state.program.to_string(),
            "active": state.active.map(Number::value),
            "prepared": state.prepared.map(Number::value),
            "failure": state.failure,
            "requests_per_second": state.load.requests_per_second,
            "in_flight": state.load.in_flight,
            "connections": state.load.connections,
            "data": data.collect::<serde_json::Map<_, _>>(),
        })
    }
}

pub fn run(args: &NodeArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let NodeArgs::List(args) = args;
    let bucket = args.bucket.open()?;
    let now = Timestamp::now();
    let Listing { sound: nodes, bad } = release::nodes(&bucket)?;
    print_left_out(&bad);
    if nodes.is_empty() && !args.json {
        return print_lines(stdout, &format!("no servers follow {}\n", own(bucket.url())));
    }
    let rows: Vec<Row> = nodes.into_iter().map(|node| Row { node, now }).collect();
    print_records(stdout, args.json, &rows)
}
