//! `GET /v1/houjinbangou`: from a query to corporations.
//!
//! As in the postal search, every parameter is read before anything is searched.

use std::borrow::Cow;

use super::lookup::choose;
use crate::api::ask::Ask;
use crate::api::error::{ApiError, Code};
use crate::api::params::{LIMIT_MAX, LONG_BYTES, Params, found, one_of};
use crate::api::reply::Reply;
use crate::json::{self, CorporateOutcome, Naming};
use crate::query::corporate_search::{CorporateFound, CorporateSearch, FacetPaths, Mode};
use crate::query::syntax::{Attribute, CodePath, CorporateExpression, FacetPath, Grouping};

const MODES: [(Mode, &str); 3] =
    [(Mode::Partial, "partial"), (Mode::Exact, "exact"), (Mode::ExactWithKind, "exact_with_kind")];

const NAMINGS: [(Naming, &str); 2] = [(Naming::Normalised, "true"), (Naming::Published, "false")];

pub struct SearchParams<'r> {
    pub text: Cow<'r, str>,
    pub expression: CorporateExpression,
    pub mode: Mode,
    pub naming: Naming,
    pub facets: FacetPaths,
    pub offset: u64,
    pub limit: usize,
}

impl<'r> SearchParams<'r> {
    pub fn read(params: &Params<'r>, grouping: Grouping) -> Result<SearchParams<'r>, ApiError> {
        let text = params.filled("q")?.ok_or_else(|| {
            ApiError::of("q", Code::MissingQuery, "expected q (a query); found none")
        })?;
        let expression = expression("q", &text, grouping)?;
        let mode = word(params, "mode", &MODES)?.unwrap_or_default();
        let naming = word(params, "normalize_name", &NAMINGS)?.unwrap_or_default();
        let facets = facets(params)?;
        let offset = params.number("offset", Code::InvalidOffset, 0..=u64::MAX)?.unwrap_or(0);
        let limit = params.number("limit", Code::InvalidLimit, 1..=LIMIT_MAX)?;
        let limit = usize::try_from(limit.unwrap_or(LIMIT_MAX)).expect("at most 100");
        Ok(SearchParams { text, expression, mode, naming, facets, offset, limit })
    }

    pub fn search(&self) -> CorporateSearch<'_> {
        CorporateSearch {
            q: &self.expression,
            mode: self.mode,
            facets: Some(&self.facets),
            offset: self.offset,
            limit: self.limit,
        }
    }

    pub fn outcome<'a>(&'a self, found: &'a CorporateFound) -> CorporateOutcome<'a> {
        CorporateOutcome { q: &self.text, found, offset: self.offset, limit: self.limit }
    }
}

/// Reads a query; `parameter` is where it stood.
pub fn expression(
    parameter: impl Into<Cow<'static, str>>,
    q: &str,
    grouping: Grouping,
) -> Result<CorporateExpression, ApiError> {
    CorporateExpression::parse_with(q, grouping)
        .map_err(|error| ApiError::of(parameter, Code::InvalidQuery, error.to_string()))
}

/// Whether the search may hold up others: several terms, or digits of a number, may match every record.
pub fn takes_long(params: &Params<'_>) -> bool {
    // What cannot be decoded is refused at once.
    params.get("q").is_ok_and(|q| {
        q.is_some_and(|q| {
            q.len() > LONG_BYTES
                || q.contains("corporate_number:")
                || q.trim().contains(char::is_whitespace)
        })
    })
}

/// A parameter that is one of a few words; an empty one counts as absent.
fn word<T: Copy>(
    params: &Params<'_>,
    name: &'static str,
    words: &[(T, &'static str)],
) -> Result<Option<T>, ApiError> {
    params.filled(name)?.map(|text| one_of(name, &text, words)).transpose()
}

fn facets(params: &Params<'_>) -> Result<FacetPaths, ApiError> {
    let wrong = |name, detail: String| ApiError::of(name, Code::InvalidFacet, detail);
    let area = match params.filled("facet_area")? {
        Some(path) => {
            let path = FacetPath::parse(&path);
            Some(path.map_err(|error| wrong("facet_area", error.to_string()))?)
        }
        None => None,
    };
    let mut codes = Vec::new();
    for facet in Attribute::ALL {
        let name = match facet {
            Attribute::Kind => "facet_kind",
            Attribute::Process => "facet_process",
            Attribute::CloseCause => "facet_close_cause",
        };
        let Some(path) = params.filled(name)? else { continue };
        codes.push(CodePath::parse(facet, &path).map_err(|expected| {
            wrong(name, format!("expected {expected}; found {:?}", found(&path)))
        })?);
    }
    Ok(FacetPaths { area, codes })
}

pub fn search(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let asked = SearchParams::read(&ask.params, ask.api.grouping)?;
    let requested = choose(ask)?;
    requested.found(ask, |out| {
        let found = requested.data.search(&asked.search())?;
        let form = ask.data.corporate_form(requested.data, ask.api_version, asked.naming);
        json::write_corporate_search(out, &form, requested.data, &asked.outcome(&found))
    })
}
