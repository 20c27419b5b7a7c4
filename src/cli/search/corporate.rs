//! `daicho search corporate`: searches corporations by a query; prints text or the JSON of the API.

use std::{fmt::Write as _, io::Write};

use clap::{Args, ValueEnum};

use super::page::{LIMIT_MAX, Page, limit_or_default, print_found, push_total};
use crate::cli::{data::AnswerArg, error::CommandError};
use crate::dataset::catalog::Catalog;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::search::{CorporateSearch, FacetPaths, SearchMode};
use crate::dataset::corporate::syntax::CorporateQuery;
use crate::index::attributes::Attribute;
use crate::json::{self, CorporateForm, QueryOutcome};
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

impl From<ModeArg> for SearchMode {
    fn from(mode: ModeArg) -> SearchMode {
        match mode {
            ModeArg::Partial => SearchMode::Partial,
            ModeArg::Exact => SearchMode::Exact,
            ModeArg::ExactWithKind => SearchMode::ExactWithKind,
        }
    }
}

impl CorporateArgs {
    fn facets(&self) -> Result<FacetPaths, CommandError> {
        let area = self.facet_area.as_deref().map(FacetPath::parse).transpose();
        let area = area.map_err(CommandError::failed)?;
        let mut codes = Vec::new();
        for facet in Attribute::ALL {
            let path = match facet {
                Attribute::Kind => &self.facet_kind,
                Attribute::Process => &self.facet_process,
                Attribute::CloseCause => &self.facet_close_cause,
            };
            let Some(path) = path else { continue };
            codes.push(CodePath::parse(facet, path).map_err(|expected| {
                let option = facet.name().replace('_', "-");
                let found = format!("expected {expected}; found {path:?}");
                CommandError::Failed(format!("--facet-{option}: {found}"))
            })?);
        }
        Ok(FacetPaths { area, codes })
    }
}

pub fn run(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let version = args.answer.data.version()?;
    let q = CorporateQuery::parse_with(&args.query, Grouping::Allowed);
    let q = q.map_err(CommandError::failed)?;
    let facets = args.facets()?;
    let limit = limit_or_default(args.limit, args.answer.json).into();
    let data = args.answer.data.choose(version, Catalog::corporate)?;
    let search = CorporateSearch {
        q: &q,
        mode: args.mode.into(),
        facets: Some(&facets),
        offset: args.offset,
        limit,
    };
    let found = data.search(&search)?;
    let outcome = QueryOutcome { q: &args.query, found: &found, offset: args.offset, limit };
    if !args.answer.json {
        return print_found(stdout, as_text(&data, &outcome)?, found.count, data.version());
    }
    let mut out = Vec::new();
    let register = args.answer.data.invoice_register()?;
    let newest = CorporateForm::newest(data.version());
    let form = CorporateForm { register: register.as_deref(), ..newest };
    json::write_corporate_search(&mut out, &form, &data, &outcome)?;
    out.push(b'\n');
    print_found(stdout, out, found.count, data.version())
}

/// One line per corporation, then one line per count of a facet.
fn as_text(data: &CorporateData, outcome: &QueryOutcome<'_>) -> Result<String, CommandError> {
    let QueryOutcome { found, offset, limit, .. } = *outcome;
    let mut out = String::new();
    for row in &found.rows {
        let Some(view) = data.row(*row)? else { continue };
        let place = view.place();
        let address = match view.outside().text {
            "" => [place.prefecture(), place.city(), view.street().text].concat(),
            outside => outside.to_owned(),
        };
        let closed = if view.is_closed() { "  (closed)" } else { "" };
        let _ = writeln!(out, "{}  {}  {address}{closed}", view.number(), view.name().text);
    }
    for (path, count) in found.facets.iter().flat_map(|(_, children)| children) {
        let _ = writeln!(out, "{count:>13}  {path}");
    }
    let shown = found.rows.len() as u64;
    let page = Page { offset: Some(offset), limit, shown, count: found.count };
    push_total(&mut out, page, "corporation", data.version());
    Ok(out)
}
