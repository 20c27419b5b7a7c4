//! `daicho lookup corporate`.

use std::fmt::Write as _;
use std::io::Write;

use clap::Args;
use serde_json::Value;

use super::parts::{heading, parsed, parts, path, push_address, push_line};
use crate::cli::data::AnswerArg;
use crate::cli::error::CommandError;
use crate::cli::get::{ShortForm, elements, text};
use crate::cli::print::own;
use crate::dataset::Catalog;
use crate::text::codes::CorporateNumber;

#[derive(Debug, Args)]
pub struct CorporateArgs {
    /// Thirteen digits
    number: String,
    /// Show the changes between the versions in the folder instead of the record
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: &CorporateArgs, stdout: &mut dyn Write) -> Result<Value, CommandError> {
    let number = parsed(&args.number, CorporateNumber::parse)?;
    if !number.is_sound() {
        return Err(CommandError::Failed(format!(
            "expected a number with a valid check digit; found {number}; check it for typing errors"
        )));
    }
    let form = ShortForm::open(&args.answer, Catalog::corporate)?;
    let data = form.data();
    let data = data.catalog.corporate().get(form.version);
    let coverage = data.and_then(|data| data.coverage().ok().flatten());
    let missing = |_| match coverage {
        Some(coverage) => {
            format!("no corporation {number} (the data are of {} only)", coverage.roman())
        }
        None => format!("no corporation {number}"),
    };
    let target = path("/v1/houjinbangou", number);
    match args.history {
        true => form.print(target.with_segment("history"), stdout, missing, history_text),
        false => form.print(target, stdout, missing, corporation_text),
    }
}

fn corporation_text(answer: &Value) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let mut out = heading(&get("corporate_number"), answer);
    push_line(&mut out, "  ", &format!("{}  {}", get("name"), get("furigana")));
    push_address(&mut out, &record["address"]);
    let parts = parts(&record["address"]);
    for line in [parts.into(), get("address_outside"), get("en_name"), get("change_cause")] {
        if !line.is_empty() {
            push_line(&mut out, "      ", &line);
        }
    }
    let [kind, process] = ["kind", "process"].map(get);
    let [assigned, updated] = ["assignment_date", "update_date"].map(get);
    let _ =
        writeln!(out, "  kind {kind}, process {process}, assigned {assigned}, updated {updated}");
    if !record["close_date"].is_null() {
        let cause = &record["close_cause"].as_u64().unwrap_or_default();
        let _ = writeln!(out, "  closed {} (cause {cause})", get("close_date"));
    }
    out
}

/// One line per change: day, kind, values, and the version with the change.
fn history_text(answer: &Value) -> String {
    let number = text(answer, "corporate_number");
    let mut out = format!("{number}  (data versions to {})\n", text(answer, "version"));
    for change in elements(&answer["data"]) {
        let _ = writeln!(out, "  {}", change_line(change));
    }
    out
}

fn change_line(change: &Value) -> String {
    let get = |name| Some(text(change, name)).filter(|_text| !change[name].is_null());
    let mut what = format!("{:<8}", text(change, "kind"));
    if let Some(before) = get("before") {
        let _ = write!(what, "  {before} ->");
    }
    if let Some(after) = get("after") {
        let _ = write!(what, "  {after}");
    }
    let what = own(what);
    let mut line = match get("date") {
        Some(date) => format!("{date:<11}  {what}"),
        None => format!("unknown date  {what}"),
    };
    if let Some(cause) = get("close_cause") {
        line = format!("{line}  cause {cause}");
    }
    if let Some(number) = get("successor_corporate_number") {
        line = format!("{line}  successor {number}");
    }
    if let Some(cause) = get("change_cause") {
        line = format!("{line}  {}", own(cause));
    }
    let version = text(change, "version");
    format!("{line}  (version {version})")
}
