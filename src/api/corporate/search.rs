//! `GET /v1/houjinbangou`: from a query to corporations.
//!
//! As in the postal search, all parameters are validated before the search.

use super::lookup::choose;
use crate::api::ask::Ask;
use crate::api::effort::{Effort, NotDone};
use crate::api::error::ApiError;
use crate::api::params::{Params, one_of};
use crate::api::query::QueryParams;
use crate::api::reply::Reply;
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
    pub fn read(params: &Params<'r>, grouping: Grouping) -> Result<SearchParams<'r>, ApiError> {
        let query = QueryParams::read(params, grouping, &FACETS)?;
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
    params.filled(name)?.map(|text| one_of(name, &text, words)).transpose()
}

pub fn search(ask: &Ask<'_>, effort: &Effort<'_>) -> Result<Reply, NotDone> {
    let asked = SearchParams::read(&ask.params, ask.api.grouping)?;
    let requested = choose(ask)?;
    effort.need_ready(requested.data.is_search_checked())?;
    let search = asked.search();
    let cost = requested.data.search_cost(&search, false);
    let cost = cost.map_err(|error| requested.damaged(ask, &error))?;
    effort.weigh(&cost, "q", asked.q())?;
    requested.searched(ask, effort, "q", |out| {
        let found = requested.data.search_within_budget(&search, None, &effort.work)?;
        let form = ask.data.corporate_form(requested.data, ask.api_version, asked.naming);
        Ok(json::write_corporate_search(out, &form, requested.data, &asked.outcome(&found))?)
    })
}
