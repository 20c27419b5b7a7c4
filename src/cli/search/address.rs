//! `daicho search address`: searches postal records by an address or a query.

use std::{fmt::Write as _, io::Write};

use clap::Args;
use serde_json::Value;

use super::page::{LIMIT_MAX, Page, limit_or_default, print_found, push_total};
use crate::address::Component;
use crate::api::target::RequestTarget;
use crate::cli::get::short_form::{ShortForm, elements, text};
use crate::cli::{data::AnswerArg, error::CommandError, lookup::push_postal};
use crate::dataset::Catalog;

#[derive(Debug, Args)]
pub struct AddressArgs {
    /// An address in any spelling
    #[arg(required_unless_present = "q")]
    text: Option<String>,
    /// A query, such as 'corporation:新聞 AND prefecture:東京'; given with an address, both must match
    #[arg(long, value_name = "QUERY")]
    q: Option<String>,
    /// Number of records to show, 1 to 100 [default: 10, with --json 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(LIMIT_MAX)))]
    limit: Option<u8>,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: AddressArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let non_empty = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (t, q) = (non_empty(&args.text), non_empty(&args.q));
    if t.is_none() && q.is_none() {
        return Err(CommandError::failed("expected an address or a query; found empty text"));
    }
    let limit = limit_or_default(args.limit, args.answer.json);
    let form = ShortForm::open(&args.answer, Catalog::postal)?;
    let mut target = RequestTarget::new("/v1/postalcode").with("limit", limit);
    for (name, value) in [("t", t), ("q", q)] {
        if let Some(value) = value {
            target = target.with(name, value);
        }
    }
    print_found(stdout, &form, target, as_text)
}

/// The parsed address, then the records with their codes.
fn as_text(answer: &Value) -> String {
    let mut out = String::new();
    for component in Component::ALL {
        let value = text(&answer["query"], component.name());
        if !value.is_empty() {
            let _ = writeln!(out, "{:<13}  {value}", component.name());
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    for record in elements(&answer["data"]) {
        let _ = write!(out, "{}  ", text(record, "postal_code"));
        push_postal(&mut out, record);
    }
    push_total(&mut out, Page::of(answer, false), "record", &text(answer, "version"));
    out
}
