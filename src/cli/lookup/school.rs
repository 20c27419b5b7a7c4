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
use crate::dataset::school::search::school_type;
use crate::dataset::school::syntax::SchoolFacet;
use crate::query::syntax::CodeFacet;
use crate::text::codes::SchoolCode;

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
    let code = |name: &str| record[name].as_u64().and_then(|code| u16::try_from(code).ok());
    let kinds = [
        (SchoolFacet::Type, school_type(&get("type"))),
        (SchoolFacet::EstablishmentType, code("establishment_type")),
        (SchoolFacet::Branch, code("branch")),
    ];
    let kinds = kinds.map(|(facet, code)| code.and_then(|code| facet.word(code)));
    push_line(&mut out, "  ", &kinds.map(Option::unwrap_or_default).join(", "));
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
