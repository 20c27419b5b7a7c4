//! `daicho lookup bank`.

use std::io::Write;

use clap::Args;
use serde_json::Value;

use super::parts::{heading, parsed, path, push_line};
use crate::api::error::Code;
use crate::cli::data::AnswerArg;
use crate::cli::error::CommandError;
use crate::cli::get::{ShortForm, elements, text};
use crate::cli::print::counted;
use crate::dataset::Catalog;
use crate::text::codes::{BankCode, BranchCode};

#[derive(Debug, Args)]
pub struct BankArgs {
    /// Institution code, four digits
    code: String,
    /// Branch code, three digits
    branch: Option<String>,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: &BankArgs, stdout: &mut dyn Write) -> Result<Value, CommandError> {
    let code = parsed(&args.code, BankCode::parse)?;
    let branch = args.branch.as_deref();
    let branch = branch.map(|branch| parsed(branch, BranchCode::parse)).transpose()?;
    let form = ShortForm::open(&args.answer, Catalog::bank)?;
    let missing = |error| match (error, branch) {
        (Code::NoSuchBranch, Some(branch)) => format!("institution {code} has no branch {branch}"),
        _ => format!("no institution {code}"),
    };
    let (target, branches) =
        (path("/v1/bank", code), path("/v1/bank", code).with_segment("branches"));
    match branch {
        Some(branch) => {
            let target = branches.with_segment(&branch.to_string());
            form.print(target, stdout, missing, branches_text)
        }
        None if form.is_json => form.print(target, stdout, missing, |_json| String::new()),
        // The text has the number of branches.
        None => form.print(branches, stdout, missing, bank_text),
    }
}

/// An institution, from the list of its branches.
fn bank_text(answer: &Value) -> String {
    let bank = &answer["data"]["bank"];
    let branches = answer["data"]["branches"].as_object();
    let branches = branches.iter().flat_map(|by_code| by_code.values());
    let count: usize = branches.map(|of_code| elements(of_code).len()).sum();
    let branches = counted(count as u64, "branch");
    format!("{}{}  {branches}\n", heading(&text(bank, "code"), answer), entry(bank))
}

fn branches_text(answer: &Value) -> String {
    let (bank, rows) = (&answer["data"]["bank"], elements(&answer["data"]["branch"]));
    let branch = rows.first().map(|row| text(row, "code")).unwrap_or_default();
    let mut out = heading(&format!("{}-{branch}", text(bank, "code")), answer);
    out.push_str(&entry(bank));
    out.extend(rows.iter().map(entry));
    out
}

/// An institution or branch: its name, and below it the readings.
fn entry(entry: &Value) -> String {
    let readings = ["katakana", "hiragana", "romaji"].map(|name| text(entry, name));
    let mut out = String::new();
    push_line(&mut out, "  ", &text(entry, "name"));
    push_line(&mut out, "      ", &readings.join("  "));
    out
}
