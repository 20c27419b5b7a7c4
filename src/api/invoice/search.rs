//! `GET /v1/invoice`: qualified invoice issuers by name and reading.
//!
//! The register has no search index of its own: the query searches the newest register of corporations, restricted
//! to those registered on the day of the invoice data. Issuers that are not in the register of corporations, such
//! as individuals, are found by number only.

use crate::api::corporate::search::SearchParams;
use crate::api::cost_budget::{CostBudget, HandlerError};
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::api::version::latest_data;
use crate::json;
use crate::snapshot::Dataset;
use crate::text::codes::InvoiceNumber;

use super::lookup::requested_data;

pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let register = requested_data(request)?;
    let params = SearchParams::parse(&request.params, request.api.grouping)?;
    let corporations = latest_data(request.data.catalog.corporate())?.data;
    let version = register.version();
    let requested = register.with_dependency(corporations.file());
    let cached_issuers = request.data.cached_issuers(requested.data);
    budget.require_ready(corporations.is_search_checked() && cached_issuers.is_some())?;
    let search = params.search();
    let cost = corporations.search_cost(&search, true);
    budget.admit(
        &cost.map_err(|error| requested.damaged_error(request, &error))?,
        "q",
        params.q(),
    )?;
    requested.search_reply(request, budget, "q", |out| {
        let issuers = match cached_issuers {
            Some(issuers) => issuers,
            // May take seconds. The thread of a connection does not get here.
            None => request.data.issuers(corporations, requested.data)?,
        };
        let found = corporations.search_within_budget(&search, Some(&issuers), &budget.work)?;
        let mut records = Vec::with_capacity(found.rows.len());
        for row in &found.rows {
            let number = InvoiceNumber::from_corporate(corporations.record(*row)?.number());
            records.extend(requested.data.lookup(number)?);
        }
        let outcome = params.outcome(&found);
        json::write_invoice_search(out, version, &records, params.naming, &outcome);
        Ok(())
    })
}
