//! `daicho lookup postal`.

use std::io::Write;

use clap::Args;
use serde_json::Value;

use super::parts::{heading, parsed, path, push_line};
use crate::cli::data::AnswerArg;
use crate::cli::error::CommandError;
use crate::cli::get::{ShortForm, elements, text};
use crate::dataset::Catalog;
use crate::text::codes::PostalCode;

#[derive(Debug, Args)]
pub struct PostalArgs {
    /// Seven digits, with or without the hyphen
    code: String,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: &PostalArgs, stdout: &mut dyn Write) -> Result<Value, CommandError> {
    let code = parsed(&args.code, PostalCode::parse)?;
    let form = ShortForm::open(&args.answer, Catalog::postal)?;
    let missing = |_| format!("no postal code {code}");
    form.print(path("/v1/postalcode", code), stdout, missing, postal_text)
}

fn postal_text(answer: &Value) -> String {
    let records = elements(&answer["data"]);
    let code = records.first().map(|record| text(record, "postal_code")).unwrap_or_default();
    let mut out = heading(&code, answer);
    for record in records {
        out.push_str("  ");
        push_postal(&mut out, record);
    }
    out
}

/// Appends a postal record: a line in kanji, and below it the readings.
pub fn push_postal(out: &mut String, record: &Value) {
    let join = |names: &[&str]| names.iter().map(|name| text(record, name)).collect::<String>();
    let place = join(&["prefecture", "city"]);
    let inside = match &record["corporation"] {
        Value::Null => join(&["kyoto_street", "town", "koaza", "building", "floor"]),
        // As published: the parsed town, street, building and floor may come from the lot.
        office => {
            let [lot, name] = ["block_lot", "name"].map(|name| text(office, name));
            format!("{}{lot}  {name}", text(record, "town_raw"))
        }
    };
    push_line(out, "", &format!("{place}{inside}"));
    let kana = join(&["prefecture_kana", "city_kana", "town_kana"]);
    let roman = ["town_roman", "city_roman", "prefecture_roman"].map(|name| text(record, name));
    let roman: Vec<_> = roman.into_iter().filter(|part| !part.is_empty()).collect();
    push_line(out, "      ", &format!("{kana}  {}", roman.join(", ")));
}
