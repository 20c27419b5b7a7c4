//! `daicho lookup school`.

use std::fmt::Write as _;
use std::io::Write;

use clap::Args;
use serde_json::Value;

use super::parts::{heading, parsed, parts, path, postal_code, push_line};
use crate::cli::data::AnswerArg;
use crate::cli::error::CommandError;
use crate::cli::get::{ShortForm, elements, text};
use crate::dataset::Catalog;
use crate::text::codes::SchoolCode;
use crate::text::codes::school_code::{BRANCHES, ESTABLISHMENTS, TYPES};

#[derive(Debug, Args)]
pub struct SchoolArgs {
    /// A letter and twelve digits
    code: String,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: &SchoolArgs, stdout: &mut dyn Write) -> Result<Value, CommandError> {
    let code = parsed(&args.code, SchoolCode::parse)?;
    let form = ShortForm::open(&args.answer, Catalog::school)?;
    let missing = |_| format!("no school {code}");
    form.print(path("/v1/school", code), stdout, missing, school_text)
}

fn school_text(answer: &Value) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let what = format!("{}  {}", get("code"), get("name"));
    let mut out = heading(&what, answer);
    let kinds = [
        word(&TYPES, school_type(&get("type"))),
        word(&ESTABLISHMENTS, record["establishment_type"].as_u64()),
        word(&BRANCHES, record["branch"].as_u64()),
    ];
    push_line(&mut out, "  ", &kinds.join(", "));
    for address in elements(&record["addresses"]) {
        push_line(&mut out, "  ", &format!("{}{}", get("address_raw"), postal_code(address)));
        let parts = parts(address);
        if !parts.is_empty() {
            push_line(&mut out, "      ", &parts);
        }
    }
    if let Some(date) = record["established_date"].as_str() {
        let _ = writeln!(out, "  established {date}");
    }
    if let Some(date) = record["abolished_date"].as_str() {
        let _ = writeln!(out, "  abolished {date}");
    }
    for code in elements(&record["new_code"]) {
        let code = code.as_str().unwrap_or_default();
        let _ = writeln!(out, "  now {code}");
    }
    out
}

/// The number of a school type: 61 for `F1`.
fn school_type(text: &str) -> Option<u64> {
    let [letter, digit] = text.as_bytes() else { return None };
    Some(u64::from(letter.checked_sub(b'A' - 1)?) * 10 + u64::from(digit.checked_sub(b'0')?))
}

fn word(words: &[(u16, &'static str)], code: Option<u64>) -> &'static str {
    let found = words.iter().find(|(known, _)| Some(u64::from(*known)) == code);
    found.map_or("", |(_, word)| *word)
}
