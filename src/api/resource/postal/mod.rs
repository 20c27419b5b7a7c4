//! `/v1/postalcode`: the records of a code, the changes of a version, the search of addresses, its batch and the download.

pub mod batch;
pub mod download;

use std::borrow::Cow;
use std::cell::RefCell;

use super::version::requested_data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{Params, path_value};
use crate::api::pipeline::reply::Reply;
use crate::api::pipeline::request::ApiRequest;
use crate::dataset::Catalog;
use crate::dataset::member::write_answers;
use crate::dataset::postal::address_search::{AddressSearch, SearchScratch};
use crate::dataset::postal::members::PostalRecord;
use crate::dataset::postal::syntax::PostalQuery;
use crate::dataset::postal::{AddressOutcome, write_search};
use crate::query::syntax::FacetPath;
use crate::text::codes::PostalCode;

pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "postal_code";
    let code = request.path("code");
    let code = path_value(NAME, Code::InvalidPostalCode, code, PostalCode::parse)?;
    let with_points = request.params.flag("point")?;
    let requested = requested_data(request, Catalog::postal)?;
    let (data, version, api) = (requested.data, requested.version(), request.api_version);
    let rows = requested.sound(data.lookup(code))?;
    if rows.len() == 0 {
        return Err(requested.no_such(NAME, Code::NoSuchPostalCode, "a code", code));
    }
    let cities = request.data.cities(data);
    Ok(if with_points {
        let rows = rows.zip(requested.sound(data.lookup_points(code))?);
        let records =
            rows.map(|(row, point)| PostalRecord { point: Some(point), ..cities.record(api, row) });
        requested.reply(|out| write_answers(out, api, version, records))
    } else {
        let records = rows.map(|row| cities.record(api, row));
        requested.reply(|out| write_answers(out, api, version, records))
    })
}

pub fn updates(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let requested = requested_data(request, Catalog::postal)?;
    let rows = requested.sound(requested.data.updates())?;
    let (version, cities) = (requested.version(), request.data.cities(requested.data));
    let api = request.api_version;
    let records = rows.map(|row| cities.record(api, row));
    Ok(requested.reply(|out| write_answers(out, api, version, records)))
}

thread_local! {
    /// One per thread, so that a search allocates little.
    static SCRATCH: RefCell<SearchScratch> = RefCell::default();
}

struct SearchParams<'r> {
    t: Option<Cow<'r, str>>,
    q: Option<(Cow<'r, str>, PostalQuery)>,
    facet: Option<FacetPath>,
    offset: u64,
    limit: usize,
    explain: bool,
}

impl<'r> SearchParams<'r> {
    fn parse(params: &Params<'r>) -> Result<SearchParams<'r>, ApiError> {
        let (t, q) = (params.non_empty("t")?, params.non_empty("q")?);
        if t.is_none() && q.is_none() {
            let detail = "expected t (an address), q (a query) or both; found neither";
            return Err(ApiError::new(Code::MissingQuery, detail));
        }
        let q = q.map(|q| expression("q", &q).map(|expression| (q, expression))).transpose()?;
        let facet = params.area("facet")?;
        let (offset, limit) = params.page()?;
        let explain = params.flag("explain")?;
        Ok(SearchParams { t, q, facet, offset, limit, explain })
    }
}

fn expression(parameter: impl Into<Cow<'static, str>>, q: &str) -> Result<PostalQuery, ApiError> {
    PostalQuery::parse(q)
        .map_err(|error| ApiError::in_parameter(parameter, Code::InvalidQuery, error.to_string()))
}

/// `GET /v1/postalcode/`: from an address or a query to postal records.
///
/// All parameters are validated before the search, so that an invalid one is an error even if the client has the
/// answer already. For such a client the search does not run.
pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let params = SearchParams::parse(&request.params)?;
    let requested = requested_data(request, Catalog::postal)?;
    let search = AddressSearch {
        t: params.t.as_deref(),
        q: params.q.as_ref().map(|(_, expression)| expression),
        facet: params.facet.as_ref(),
        offset: params.offset,
        limit: params.limit,
    };
    let q = params.q.as_ref().map(|(text, _)| &**text);
    budget.require_ready(requested.data.is_search_checked())?;
    let cost = requested.sound(requested.data.search_address_cost(&search, params.explain))?;
    let parameter = if q.is_some() { "q" } else { "t" };
    budget.admit(&cost, parameter, q.unwrap_or_default())?;
    SCRATCH.with_borrow_mut(|scratch| {
        requested.search_reply(budget, parameter, |out| {
            let found =
                requested.data.search_address_within_budget(&search, scratch, &budget.work)?;
            let t = search.t.map(|text| (text, scratch.address()));
            let AddressSearch { offset, limit, .. } = search;
            let explain =
                || requested.data.explain(search.t.unwrap_or_default(), scratch.address());
            let explained = params.explain.then(explain).transpose()?;
            let explain = explained.as_ref();
            let outcome = AddressOutcome { q, t, found: &found, offset, limit, explain };
            let (version, cities) = (requested.data.version(), request.data.cities(requested.data));
            let api = request.api_version;
            let records = requested.data.rows(&found.rows)?.map(|row| cities.record(api, row));
            write_search(out, api, version, records, &outcome);
            Ok(())
        })
    })
}
