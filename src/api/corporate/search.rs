//! `GET /v1/houjinbangou`: from a query to corporations.
//!
//! As in the postal search, all parameters are validated before the search.

use super::lookup::requested_with_issuers;
use crate::api::cost_budget::{CostBudget, HandlerError};
use crate::api::error::ApiError;
use crate::api::params::{Params, QueryParams, one_of};
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::json::{self, Naming, QueryOutcome};
use crate::query::SearchResults;
use crate::query::corporate_search::{CorporateSearch, SearchMode};
use crate::query::syntax::{Attribute, CorporateVocabulary, Grouping};

const MODES: [(SearchMode, &str); 3] = [
    (SearchMode::Partial, "partial"),
    (SearchMode::Exact, "exact"),
    (SearchMode::ExactWithKind, "exact_with_kind"),
];

const NAMINGS: [(Naming, &str); 2] = [(Naming::Normalised, "true"), (Naming::Published, "false")];

const FACETS: [(Attribute, &str); 3] = [
    (Attribute::Kind, "facet_kind"),
    (Attribute::Process, "facet_process"),
    (Attribute::CloseCause, "facet_close_cause"),
];

pub struct SearchParams<'r> {
    query: QueryParams<'r, CorporateVocabulary, Attribute>,
    mode: SearchMode,
    pub naming: Naming,
}

impl<'r> SearchParams<'r> {
    pub fn parse(params: &Params<'r>, grouping: Grouping) -> Result<SearchParams<'r>, ApiError> {
        let query = QueryParams::parse(params, grouping, &FACETS)?;
        let mode = word(params, "mode", &MODES)?.unwrap_or_default();
        let naming = word(params, "normalize_name", &NAMINGS)?.unwrap_or_default();
        Ok(SearchParams { query, mode, naming })
    }

    pub fn search(&self) -> CorporateSearch<'_> {
        let QueryParams { expression, facets, offset, limit, .. } = &self.query;
        let (offset, limit) = (*offset, *limit);
        CorporateSearch { q: expression, mode: self.mode, facets: Some(facets), offset, limit }
    }

    pub fn q(&self) -> &str {
        &self.query.text
    }

    pub fn outcome<'a>(&'a self, found: &'a SearchResults) -> QueryOutcome<'a> {
        self.query.outcome(found)
    }
}

/// A parameter that takes one of a few words; an empty one counts as absent.
fn word<T: Copy>(
    params: &Params<'_>,
    name: &'static str,
    words: &[(T, &'static str)],
) -> Result<Option<T>, ApiError> {
    params.non_empty(name)?.map(|text| one_of(name, &text, words)).transpose()
}

pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let params = SearchParams::parse(&request.params, request.api.grouping)?;
    let requested = requested_with_issuers(request)?;
    budget.require_ready(requested.data.is_search_checked())?;
    let search = params.search();
    let cost = requested.sound(requested.data.search_cost(&search, false))?;
    budget.admit(&cost, "q", params.q())?;
    requested.search_reply(budget, "q", |out| {
        let found = requested.data.search_within_budget(&search, None, &budget.work)?;
        let form = request.data.corporate_form(requested.data, request.api_version, params.naming);
        Ok(json::write_corporate_search(out, &form, requested.data, &params.outcome(&found))?)
    })
}
