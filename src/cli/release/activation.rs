//! `daicho release activate` and `daicho release rollback`: how they wait for nodes, and what they print.

use std::{io::Write, time::Duration};

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::bucket::{DepthArg, KeyArg, PublisherArg};
use crate::cli::error::CommandError;
use crate::cli::print::{StepBar, counted, own, print_json, print_lines, said};
use crate::cli::serve::units::parse_time;
use crate::release::{self, ActivateOptions, Activation, Label, Number, Quorum, WaitOptions};

/// Catches a mistyped unit: no publisher waits longer on purpose.
const TIMEOUT_MAX: Duration = Duration::from_secs(12 * 60 * 60);

#[derive(Debug, Args)]
pub struct ActivateArgs {
    /// The number of the release
    #[arg(value_parser = Number::parse)]
    pub number: Number,
    #[command(flatten)]
    pub options: ActivationArgs,
}

#[derive(Debug, Args)]
pub struct ActivationArgs {
    /// Only for servers with this label
    #[arg(long, value_name = "LABEL", value_parser = Label::parse)]
    label: Option<Label>,
    #[command(flatten)]
    waiting: WaitingArgs,
    #[command(flatten)]
    depth: DepthArg,
    #[command(flatten)]
    key: KeyArg,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    bucket: PublisherArg,
}

/// How an activation waits for nodes.
#[derive(Debug, Args)]
pub struct WaitingArgs {
    /// Nodes that must be prepared before the switch, as a number or a share of live nodes; 0: do not wait [default: 100%]
    #[arg(long, value_name = "N|PERCENT", value_parser = Quorum::parse)]
    quorum: Option<Quorum>,
    /// How long to wait for nodes, up to 12h; on timeout the active release stays [default: 15m]
    #[arg(long, value_name = "TIME", value_parser = parse_timeout)]
    timeout: Option<Duration>,
    /// Earliest time at which nodes switch, such as 2026-11-24T03:00:00+09:00
    #[arg(long, value_name = "TIME", value_parser = parse_at)]
    at: Option<Timestamp>,
}

impl WaitingArgs {
    pub fn options(&self) -> WaitOptions {
        let default = WaitOptions::default();
        WaitOptions {
            quorum: self.quorum.unwrap_or(default.quorum),
            timeout: self.timeout.unwrap_or(default.timeout),
            not_before: self.at,
        }
    }

    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let quorum = self.quorum.map(|_| "--quorum");
        quorum.or(self.timeout.map(|_| "--timeout")).or(self.at.map(|_| "--at"))
    }
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let time = parse_time(text).filter(|time| *time <= TIMEOUT_MAX);
    time.ok_or_else(|| "expected a time from 0s to 12h with its unit, such as 15m".to_owned())
}

fn parse_at(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_wrong| {
        "expected a time with its UTC offset, such as 2026-11-24T03:00:00+09:00".to_owned()
    })
}

/// Activates this release, or the previously active one.
pub fn move_active(
    args: &ActivationArgs,
    number: Option<Number>,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let label = args.label.as_ref();
    let (wait, depth, key) = (args.waiting.options(), args.depth.depth(), args.key.read()?);
    let (bucket, options) = (args.bucket.open()?, ActivateOptions { label, wait, key, depth });
    let activation = match number {
        Some(number) => release::activate(&bucket, number, &options, &StepBar::new())?,
        None => release::rollback(&bucket, &options, &StepBar::new())?,
    };
    match args.json {
        true => print_json(stdout, as_json(&activation, label)),
        false => print_lines(stdout, &as_text(&activation, label)),
    }
}

pub fn as_json(activation: &Activation, label: Option<&Label>) -> Value {
    json!({
        "active": activation.now.active.release_for(label).map(Number::value),
        "before": activation.before.active.release_for(label).map(Number::value),
        "label": label.map(Label::to_string),
        "generation": activation.now.generation,
        "nodes": activation.nodes,
        "at": activation.now.switch.as_ref().map(|switch| switch.time.to_string()),
    })
}

/// A line for people.
pub fn as_text(activation: &Activation, label: Option<&Label>) -> String {
    let [now, before] =
        [&activation.now, &activation.before].map(|state| state.active.release_for(label));
    let now = now.map_or("none".to_owned(), |number| number.to_string());
    let switch = activation.now.switch_ahead(Timestamp::now()).map(|switch| switch.time);
    let active = said(&match (label.map(own), switch) {
        (None, None) => "active".to_owned(),
        (Some(label), None) => format!("active for {label}"),
        (None, Some(time)) => format!("active from {time} on"),
        (Some(label), Some(time)) => format!("active for {label} from {time} on"),
    });
    let generation = activation.now.generation;
    let made = match activation.nodes {
        0 => format!("generation {generation}"),
        nodes => {
            let nodes = counted(nodes as u64, "node");
            format!("generation {generation}, {nodes}")
        }
    };
    match before {
        Some(before) => format!("{active}: release {now} after {before} ({made})\n"),
        None => format!("{active}: release {now} after none ({made})\n"),
    }
}
