//! `GET /v1/school`: from a query to schools.

use super::lookup::choose;
use crate::api::ask::Ask;
use crate::api::effort::{Effort, NotDone};
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

pub fn search(ask: &Ask<'_>, effort: &Effort<'_>) -> Result<Reply, NotDone> {
    let asked = QueryParams::read(&ask.params, ask.api.grouping, &FACETS)?;
    let requested = choose(ask)?;
    effort.need_ready(requested.data.is_search_checked())?;
    let QueryParams { expression, facets, offset, limit, .. } = &asked;
    let search = SchoolSearch { q: expression, facets, offset: *offset, limit: *limit };
    let cost = requested.data.search_cost(&search);
    let cost = cost.map_err(|error| requested.damaged(ask, &error))?;
    effort.weigh(&cost, "q", &asked.text)?;
    requested.searched(ask, effort, "q", |out| {
        let found = requested.data.search_within_budget(&search, &effort.work)?;
        Ok(json::write_school_search(out, requested.data, &asked.outcome(&found))?)
    })
}
