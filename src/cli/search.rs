//! `daicho search`: searches a snapshot by address or query, without a server. Prints text or the JSON of the API.

use std::fmt::Write as _;
use std::io::Write;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;

use super::data::AnswerArg;
use super::get::{ShortForm, elements, text};
use super::lookup::push_postal;
use super::print::{counted, own};
use crate::address::Component;
use crate::api::RequestTarget;
use crate::api::pipeline::params;
use crate::cli::error::CommandError;
use crate::dataset::Catalog;
use crate::dataset::corporate::syntax::CorporateQuery;
use crate::index::attributes::Attribute;
use crate::query::syntax::{CodePath, FacetPath, Grouping};

#[derive(Debug, Subcommand)]
pub enum SearchArgs {
    /// Postal records, by an address or a query
    Address(AddressArgs),
    /// Corporations, by a query
    Corporate(CorporateArgs),
}

pub fn run(args: SearchArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        SearchArgs::Address(args) => run_address(args, stdout),
        SearchArgs::Corporate(args) => run_corporate(args, stdout),
    }
}

/// Default number of records as text.
const LIMIT_TEXT: u8 = 10;

/// The largest limit, as in the API; also the default number of records as JSON.
const LIMIT_MAX: u8 = params::LIMIT_MAX as u8;

fn limit_or_default(given: Option<u8>, json: bool) -> u8 {
    given.unwrap_or(if json { LIMIT_MAX } else { LIMIT_TEXT })
}

/// Prints the answer of a search, as it is or as text; an empty result is an error.
fn print_found(
    stdout: &mut dyn Write,
    form: &ShortForm,
    target: RequestTarget,
    as_text: fn(&Value) -> String,
) -> Result<(), CommandError> {
    let missing = |_| "nothing found".to_owned();
    let answer = form.print(target, stdout, missing, as_text)?;
    match answer["count"].as_u64() {
        Some(0) => Err(CommandError::Failed(format!("nothing found in version {}", form.version))),
        _ => Ok(()),
    }
}

/// Appends the number of records found, and how to see more of them.
fn push_total(out: &mut String, answer: &Value, has_offset: bool, noun: &str) {
    let number = |name: &str| answer[name].as_u64().unwrap_or_default();
    let offset = has_offset.then(|| number("offset"));
    let (count, shown) = (number("count"), elements(&answer["data"]).len() as u64);
    if count > 0 {
        let (found, version) = (counted(count, noun), text(answer, "version"));
        let _ = match remark(offset, number("limit"), shown, count) {
            None => writeln!(out, "{found} in data version {version}"),
            Some(shown) => writeln!(out, "{found} in data version {version}; {shown}"),
        };
    }
}

/// How many of all results are shown, and which option shows those that follow; `None` if all are. `offset` is `None` if
/// the command has no `--offset`.
fn remark(offset: Option<u64>, limit: u64, shown: u64, all: u64) -> Option<String> {
    let has_more = offset.unwrap_or(0).saturating_add(shown) < all;
    let count = shown;
    Some(match offset {
        _ if shown == all => return None,
        _ if has_more && limit < u64::from(LIMIT_MAX) => {
            format!("{count} shown, --limit shows more")
        }
        Some(_) if has_more => format!("{count} shown, --offset shows the others"),
        _ => format!("{count} shown"),
    })
}

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

fn run_address(args: AddressArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
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
    print_found(stdout, &form, target, address_text)
}

/// The parsed address, then the records with their codes.
fn address_text(answer: &Value) -> String {
    let mut out = String::new();
    for component in Component::ALL {
        let value = text(&answer["query"], component.name());
        if !value.is_empty() {
            let _ = writeln!(out, "{:<13}  {}", component.name(), own(value));
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    for record in elements(&answer["data"]) {
        let _ = write!(out, "{}  ", text(record, "postal_code"));
        push_postal(&mut out, record);
    }
    push_total(&mut out, answer, false, "record");
    out
}

#[derive(Debug, Args)]
pub struct CorporateArgs {
    /// A query, such as '見本 AND prefecture_name:東京'; parentheses group terms
    query: String,
    /// How a keyword is matched against names
    #[arg(long, value_enum, default_value_t = ModeArg::Partial)]
    mode: ModeArg,
    /// Number of corporations to show, 1 to 100 [default: 10, with --json 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(LIMIT_MAX)))]
    limit: Option<u8>,
    /// Number of corporations to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
    /// Count results by area below this one: / or /東京都
    #[arg(long, value_name = "PATH")]
    facet_area: Option<String>,
    /// Count results by kind: /, or one kind such as /株式会社
    #[arg(long, value_name = "PATH")]
    facet_kind: Option<String>,
    /// Count results by process (処理区分): /, or one process such as /新規
    #[arg(long, value_name = "PATH")]
    facet_process: Option<String>,
    /// Count results by cause of closing: /, or one cause such as /清算の結了等; /その他 counts records without a cause
    #[arg(long, value_name = "PATH")]
    facet_close_cause: Option<String>,
    #[command(flatten)]
    answer: AnswerArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeArg {
    /// The name contains the keyword
    Partial,
    /// The name without its kind word equals the keyword
    Exact,
    /// The whole name equals the keyword
    #[value(name = "exact_with_kind", alias = "exact-with-kind")]
    ExactWithKind,
    /// The name as people type it: other kana, marks, spaces, legal forms, a typing error
    Loose,
}

/// The facets in the order in which they are printed: the parameter, and the member of the answer with the counts.
const FACETS: [(&str, &str); 4] = [
    ("facet_area", "area"),
    ("facet_kind", "kind"),
    ("facet_process", "process"),
    ("facet_close_cause", "close_cause"),
];

impl CorporateArgs {
    /// The facets with their paths. An empty path is an error here; the API takes it for none.
    fn facets(&self) -> Result<Vec<(&'static str, &str)>, CommandError> {
        let [(area, _), ..] = FACETS;
        let mut facets = Vec::new();
        if let Some(path) = &self.facet_area {
            FacetPath::parse(path).map_err(CommandError::failed)?;
            facets.push((area, path.as_str()));
        }
        let codes = [
            (Attribute::Kind, &self.facet_kind),
            (Attribute::Process, &self.facet_process),
            (Attribute::CloseCause, &self.facet_close_cause),
        ];
        for ((facet, path), (name, _)) in codes.into_iter().zip(FACETS.into_iter().skip(1)) {
            let Some(path) = path else { continue };
            CodePath::parse(facet, path).map_err(|expected| {
                let option = name.replace('_', "-");
                CommandError::Failed(format!("--{option}: expected {expected}; found {path:?}"))
            })?;
            facets.push((name, path));
        }
        Ok(facets)
    }
}

fn run_corporate(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    CorporateQuery::parse_with(&args.query, Grouping::Allowed).map_err(CommandError::failed)?;
    let mode = args.mode.to_possible_value();
    let mode = mode.as_ref().map_or("partial", |mode| mode.get_name());
    let mut target = RequestTarget::new("/v1/houjinbangou")
        .with("q", &args.query)
        .with("mode", mode)
        .with("limit", limit_or_default(args.limit, args.answer.json))
        .with("offset", args.offset);
    for (name, path) in args.facets()? {
        target = target.with(name, path);
    }
    let form = ShortForm::open(&args.answer, Catalog::corporate)?;
    print_found(stdout, &form, target, corporate_text)
}

/// One line per corporation, then one line per count of a facet.
fn corporate_text(answer: &Value) -> String {
    let mut out = String::new();
    for record in elements(&answer["data"]) {
        let names = ["prefecture", "city", "street_number"];
        let address = match text(record, "address_outside") {
            outside if outside.is_empty() => {
                names.map(|name| text(&record["address"], name)).concat()
            }
            outside => outside.into_owned(),
        };
        let is_closed = ["close_date", "close_cause"].iter().any(|name| !record[*name].is_null());
        let (number, name) = (text(record, "corporate_number"), text(record, "name"));
        let line = own(format!("{number}  {name}  {address}"));
        let _ = match is_closed {
            true => writeln!(out, "{line}  (closed)"),
            false => writeln!(out, "{line}"),
        };
    }
    for counts in FACETS.iter().flat_map(|(_, name)| elements(&answer["facets"][*name])) {
        let (path, count) = (counts[0].as_str().unwrap_or_default(), &counts[1]);
        let _ = writeln!(out, "{:>13}  {}", count.as_u64().unwrap_or_default(), own(path));
    }
    push_total(&mut out, answer, true, "corporation");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_names_an_option_that_shows_more() {
        #[track_caller]
        fn check(offset: Option<u64>, limit: u64, shown: u64, count: u64, expected: &str) {
            let found = remark(offset, limit, shown, count).unwrap_or_default();
            assert_eq!(found, expected, "{offset:?} {limit} {shown} {count}");
        }
        check(None, 10, 7, 7, "");
        check(None, 10, 10, 11, "10 shown, --limit shows more");
        check(None, 100, 100, 101, "100 shown");
        check(Some(0), 10, 10, 11, "10 shown, --limit shows more");
        check(Some(0), 100, 100, 101, "100 shown, --offset shows the others");
        check(Some(100), 100, 1, 101, "1 shown");
        check(Some(10), 10, 1, 11, "1 shown");
        check(Some(u64::MAX), 10, 0, 11, "0 shown");
    }
}
