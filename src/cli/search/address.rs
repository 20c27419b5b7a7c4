//! `daicho search address`: searches postal records by an address or a query.

use std::{fmt::Write as _, io::Write};

use clap::Args;

use super::page::{LIMIT_MAX, Page, limit_or_default, print_found, push_total};
use crate::address::{Address, Component};
use crate::cli::{data::AnswerArg, error::CommandError, lookup::push_record};
use crate::dataset::catalog::Catalog;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::address_search::{AddressSearch, SearchScratch};
use crate::dataset::postal::search::PostalResults;
use crate::dataset::postal::syntax::PostalQuery;
use crate::json::{self, AddressOutcome, CityFragments};
use crate::text::codes::ApiVersion;

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
    let version = args.answer.data.version()?;
    let non_empty = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (t, q) = (non_empty(&args.text), non_empty(&args.q));
    if t.is_none() && q.is_none() {
        return Err(CommandError::failed("expected an address or a query; found empty text"));
    }
    let expression = q.as_deref().map(PostalQuery::parse).transpose();
    let expression = expression.map_err(CommandError::failed)?;
    let limit = limit_or_default(args.limit, args.answer.json);
    let data = args.answer.data.choose(version, Catalog::postal)?;
    let mut scratch = SearchScratch::default();
    let search = AddressSearch {
        t: t.as_deref(),
        q: expression.as_ref(),
        limit: limit.into(),
        ..AddressSearch::default()
    };
    let found = data.search_address(&search, &mut scratch)?;
    let address = t.as_ref().map(|_| scratch.address());
    if !args.answer.json {
        let text = as_text(&data, address, &found, limit)?;
        return print_found(stdout, text, found.count, data.version());
    }
    let mut out = Vec::new();
    let records = data.rows(&found.rows)?;
    let outcome = AddressOutcome {
        q: q.as_deref(),
        t: t.as_deref().zip(address),
        found: &found,
        offset: 0,
        limit: limit.into(),
        explain: None,
    };
    let (api, cities) = (ApiVersion::NEWEST, CityFragments::NONE);
    json::write_search(&mut out, api, data.version(), records, cities, &outcome);
    out.push(b'\n');
    print_found(stdout, out, found.count, data.version())
}

/// The parsed address, then the records with their codes.
fn as_text(
    data: &PostalData,
    address: Option<&Address>,
    found: &PostalResults,
    limit: u8,
) -> Result<String, CommandError> {
    let mut out = String::new();
    let get = |component| address.and_then(|address| address.get(component));
    for component in Component::ALL {
        if let Some(value) = get(component) {
            let _ = writeln!(out, "{:<13}  {value}", component.name());
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    for record in data.rows(&found.rows)? {
        let _ = write!(out, "{:07}  ", record.postal_code());
        push_record(&mut out, record);
    }
    let shown = found.rows.len() as u64;
    let page = Page { offset: None, limit: limit.into(), shown, count: found.count };
    push_total(&mut out, page, "record", data.version());
    Ok(out)
}
