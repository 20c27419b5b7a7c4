//! `daicho search corporate`: searches corporations by a query; prints text or the JSON of the API.

use std::{fmt::Write as _, io::Write};

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::page::{LIMIT_MAX, Page, limit_or_default, print_found, push_total};
use crate::api::target::RequestTarget;
use crate::cli::get::short_form::{ShortForm, elements, text};
use crate::cli::{data::AnswerArg, error::CommandError};
use crate::dataset::Catalog;
use crate::dataset::corporate::syntax::CorporateQuery;
use crate::index::attributes::Attribute;
use crate::query::syntax::{CodePath, FacetPath, Grouping};

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

pub fn run(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
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
    print_found(stdout, &form, target, as_text)
}

/// One line per corporation, then one line per count of a facet.
fn as_text(answer: &Value) -> String {
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
        let closed = if is_closed { "  (closed)" } else { "" };
        let (number, name) = (text(record, "corporate_number"), text(record, "name"));
        let _ = writeln!(out, "{number}  {name}  {address}{closed}");
    }
    for counts in FACETS.iter().flat_map(|(_, name)| elements(&answer["facets"][*name])) {
        let (path, count) = (counts[0].as_str().unwrap_or_default(), &counts[1]);
        let _ = writeln!(out, "{:>13}  {path}", count.as_u64().unwrap_or_default());
    }
    push_total(&mut out, Page::of(answer, true), "corporation", &text(answer, "version"));
    out
}
