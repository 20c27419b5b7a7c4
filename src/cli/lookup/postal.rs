//! `daicho lookup postal`: looks up the records of a code; prints text or the JSON of the API.

use std::{fmt::Write as _, io::Write};

use clap::Args;

use crate::cli::{
    data::AnswerArg,
    error::CommandError,
    print::{print, print_response},
};
use crate::dataset::catalog::Catalog;
use crate::dataset::postal::PostalData;
use crate::json::{self, CityFragments};
use crate::record::postal::PostalView;
use crate::text::codes::{ApiVersion, PostalCode};

#[derive(Debug, Args)]
pub struct PostalArgs {
    /// Seven digits, with or without the hyphen
    code: String,
    #[command(flatten)]
    answer: AnswerArg,
}

pub fn run(args: PostalArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let code = PostalCode::parse(&args.code).map_err(CommandError::failed)?;
    let data = args.answer.data.choose(args.answer.data.version()?, Catalog::postal)?;
    let rows = data.lookup(code)?;
    if rows.len() == 0 {
        let message = format!("no postal code {code} in version {}", data.version());
        return Err(CommandError::Failed(message));
    }
    if !args.answer.json {
        return print(stdout, as_text(&data, code, rows));
    }
    let (api, cities) = (ApiVersion::NEWEST, CityFragments::NONE);
    print_response(stdout, |out| json::write_postal(out, api, data.version(), rows, cities))
}

fn as_text<'s>(
    data: &PostalData,
    code: PostalCode,
    rows: impl Iterator<Item = PostalView<'s>>,
) -> String {
    let mut out = format!("{code}  (data version {})\n", data.version());
    for row in rows {
        out.push_str("  ");
        push_record(&mut out, row);
    }
    out
}

/// Appends a record as text: a line in kanji, and below it the readings.
pub fn push_record(out: &mut String, row: PostalView<'_>) {
    let city = row.city();
    let area = [city.prefecture().name, city.city().name];
    area.iter().for_each(|part| out.push_str(part.text));
    if let Some(corporation) = row.corporation() {
        // As published: the parsed town, street, building and floor may come from the lot.
        let [lot, name] = [corporation.block_lot(), corporation.name()].map(|part| part.text);
        let _ = write!(out, "{}{lot}  {name}", row.town_raw().text);
    } else {
        let town = [row.kyoto_street(), row.town().name, row.koaza()];
        town.iter().chain(&[row.building(), row.floor()]).for_each(|part| out.push_str(part.text));
    }
    let kana = [city.prefecture().kana, city.city().kana, row.town().kana];
    let roman = [row.town().roman, city.city().roman, city.prefecture().roman];
    let kana: String = kana.map(|part| part.text).concat();
    let roman = roman.map(|part| part.text);
    let roman: Vec<&str> = roman.into_iter().filter(|part| !part.is_empty()).collect();
    let _ = writeln!(out, "\n      {kana}  {}", roman.join(", "));
}
