//! `/v1/school`: schools by code and by query; and their suggestions.

use super::{digit_fault, requested_data, suggest};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, QueryParams, expression, path_value};
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::member::{write_answer, write_answers, write_found};
use crate::dataset::school::corrections::school_of;
use crate::dataset::school::search::{SchoolOrder, SchoolSearch};
use crate::dataset::school::suggest::{SuggestedSchool, TypedSchool, suggest_schools};
use crate::dataset::school::syntax::SchoolFacet;
use crate::text::codes::SchoolCode;

/// `GET /v1/school/{code}`. A code with a wrong check digit is well formed: the ministry publishes some.
pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "code";
    let code = path_value(request, "code", NAME, Code::InvalidSchoolCode, SchoolCode::parse)?;
    let requested = requested_data(request, Catalog::school)?;
    let Some(view) = requested.sound(requested.data.lookup(code))? else {
        let found = format!("{code}{}", digit_fault(code.is_sound()));
        return Err(requested.no_such(NAME, Code::NoSuchSchool, "a code", found));
    };
    let version = requested.version();
    requested.mark(|row| school_of(row) == Some(code));
    Ok(requested.reply(|out| write_answer(out, request.api_version, version, view)))
}

const FACETS: [(SchoolFacet, &str); 4] = [
    (SchoolFacet::Prefecture, "facet_prefecture"),
    (SchoolFacet::Type, "facet_type"),
    (SchoolFacet::EstablishmentType, "facet_establishment_type"),
    (SchoolFacet::Branch, "facet_branch"),
];

pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let params =
        QueryParams::parse(&request.params, &FACETS, |q| expression("q", q, request.api.grouping))?;
    let requested = requested_data(request, Catalog::school)?;
    budget.require_ready(requested.data.is_search_checked())?;
    let QueryParams { expression, facets, offset, limit, .. } = &params;
    let (offset, limit, order) = (*offset, *limit, SchoolOrder::ByArea);
    let search = SchoolSearch { q: expression, facets, offset, limit, order };
    let cost = requested.sound(requested.data.search_cost(&search))?;
    budget.admit(&cost, "q", &params.text)?;
    requested.search_reply(budget, "q", |out| {
        let found = requested.data.search_within_budget(&search, &budget.work)?;
        let (api, data) = (request.api_version, requested.data);
        let schools = data.found_schools(expression, &found.rows)?;
        requested.mark(|row| schools.iter().any(|school| school_of(row) == Some(school.code())));
        let schools = schools.into_iter();
        write_found(out, api, data.version(), schools, &params.outcome(&found));
        Ok(())
    })
}

/// `GET /v1/suggest/school`.
pub fn suggestions(
    request: &ApiRequest<'_>,
    budget: &CostBudget<'_>,
) -> Result<Reply, HandlerError> {
    let (text, limit) = (suggest::text(&request.params, budget)?, suggest::limit(&request.params)?);
    let requested = requested_data(request, Catalog::school)?;
    let (api, version) = (request.api_version, requested.version());
    let Some(typed) = TypedSchool::parse(&text) else {
        let none = std::iter::empty::<&SuggestedSchool<'_>>();
        return Ok(requested.reply(|out| write_answers(out, api, version, none)));
    };
    budget.require_ready(requested.data.is_search_checked())?;
    let cost = requested.sound(requested.data.search_cost(&typed.search(limit)))?;
    budget.admit(&cost, "q", &text)?;
    requested.search_reply(budget, "q", |out| {
        let found = suggest_schools(requested.data, &typed, limit, &budget.work)?;
        requested.mark(|row| found.iter().any(|it| school_of(row) == Some(it.code())));
        write_answers(out, api, version, found.iter());
        Ok(())
    })
}
