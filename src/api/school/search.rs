//! `GET /v1/school`: from a query to schools.

use super::lookup::requested_data;
use crate::api::cost_budget::{CostBudget, HandlerError};
use crate::api::query_params::QueryParams;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::json;
use crate::query::SchoolSearch;
use crate::query::syntax::SchoolFacet;

const FACETS: [(SchoolFacet, &str); 4] = [
    (SchoolFacet::Prefecture, "facet_prefecture"),
    (SchoolFacet::Type, "facet_type"),
    (SchoolFacet::EstablishmentType, "facet_establishment_type"),
    (SchoolFacet::Branch, "facet_branch"),
];

pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let params = QueryParams::parse(&request.params, request.api.grouping, &FACETS)?;
    let requested = requested_data(request)?;
    budget.require_ready(requested.data.is_search_checked())?;
    let QueryParams { expression, facets, offset, limit, .. } = &params;
    let search = SchoolSearch { q: expression, facets, offset: *offset, limit: *limit };
    let cost = requested.data.search_cost(&search);
    let cost = cost.map_err(|error| requested.damaged_error(request, &error))?;
    budget.admit(&cost, "q", &params.text)?;
    requested.search_reply(request, budget, "q", |out| {
        let found = requested.data.search_within_budget(&search, &budget.work)?;
        Ok(json::write_school_search(out, requested.data, &params.outcome(&found))?)
    })
}
