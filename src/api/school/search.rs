//! `GET /v1/school`: from a query to schools.

use super::lookup::choose;
use crate::api::ask::Ask;
use crate::api::error::ApiError;
use crate::api::params::Params;
use crate::api::query::QueryParams;
use crate::api::reply::Reply;
use crate::json;
use crate::query::SchoolSearch;
use crate::query::syntax::SchoolFacet;

const FACETS: [(SchoolFacet, &str); 4] = [
    (SchoolFacet::Prefecture, "facet_prefecture"),
    (SchoolFacet::Type, "facet_type"),
    (SchoolFacet::EstablishmentType, "facet_establishment_type"),
    (SchoolFacet::Branch, "facet_branch"),
];

/// Every search: each school that is found is put in order, which may take a millisecond.
pub fn takes_long(_params: &Params<'_>) -> bool {
    true
}

pub fn search(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let asked = QueryParams::read(&ask.params, ask.api.grouping, &FACETS)?;
    let requested = choose(ask)?;
    requested.found(ask, |out| {
        let QueryParams { expression, facets, offset, limit, .. } = &asked;
        let search = SchoolSearch { q: expression, facets, offset: *offset, limit: *limit };
        let found = requested.data.search(&search)?;
        json::write_school_search(out, requested.data, &asked.outcome(&found))
    })
}
