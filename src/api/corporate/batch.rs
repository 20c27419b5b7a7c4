//! `POST /v1/batch/houjinbangou/search`: many searches for corporations.

use std::sync::Arc;

use super::lookup;
use crate::api::ask::Ask;
use crate::api::batch::questions::{Batch, Origin, Questions, Tail};
use crate::api::batch::request::{LIMIT_DEFAULT, limit, need_text, queries};
use crate::api::error::ApiError;
use crate::api::input::{Object, fault};
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::query::expression;
use crate::api::version::RequestedData;
use crate::json::{self, CorporateForm, Naming, QueryOutcome};
use crate::query::CorporateData;
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::corporate_search::CorporateSearch;
use crate::query::cost::Cost;
use crate::query::syntax::{CorporateQuery, Grouping};
use crate::snapshot::OpenError;

pub enum Corporations {}

pub struct Query {
    text: String,
    expression: CorporateQuery,
    limit: usize,
    id: Option<String>,
}

impl Questions for Corporations {
    type Data = CorporateData;
    type Query = Query;
    type Scratch = ();

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, CorporateData>, ApiError> {
        lookup::choose(ask)
    }

    fn read(body: &mut Object, grouping: Grouping) -> Result<Batch<Query>, ApiError> {
        let default_limit = limit(body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let queries = queries(body, |mut query| {
            let (text, path) = need_text(&mut query, "q", "a query")?;
            if text.is_empty() {
                return Err(fault(path, "expected a query; found an empty string"));
            }
            let expression = expression(path, &text, grouping)?;
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            let id = query.take("id")?.map(|id| id.text(BATCH_TEXT_BYTES_MAX)).transpose()?;
            Ok(Query { text, expression, limit, id })
        })?;
        let params = format!("{{\"default_limit\":{default_limit}}}").into_bytes();
        Ok(Batch { params, queries })
    }

    fn cost(origin: &Origin<CorporateData>, query: &Query) -> Result<Cost, Arc<OpenError>> {
        let search = CorporateSearch::new(&query.expression, 0, query.limit);
        origin.data.search_cost(&search, false)
    }

    fn q(query: &Query) -> &str {
        &query.text
    }

    fn ask(
        origin: &Origin<CorporateData>,
        query: &Query,
        _scratch: &mut (),
        tail: Tail<'_>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let Query { text, expression, limit, id } = query;
        let data = &origin.data;
        let found =
            data.search_within_budget(&CorporateSearch::new(expression, 0, *limit), None, work)?;
        // A block is verified when it is first read: find damage before the answer begins.
        let form = form(origin);
        for row in &found.rows {
            form.is_issuer(&data.record(*row)?)?;
        }
        let outcome = QueryOutcome { q: text, found: &found, offset: 0, limit: *limit };
        json::write_query_outcome(tail.0, &outcome);
        tail.0.extend_from_slice(b",\"id\":");
        json::push_or_null(tail.0, id.as_deref());
        tail.0.push(b'}');
        Ok(found.rows)
    }

    fn write_record(origin: &Origin<CorporateData>, row: u32, first: bool, out: &mut Vec<u8>) {
        json::write_corporate_records(out, &form(origin), &origin.data, &[row], first)
            .expect("the search has read this record");
    }
}

fn form(origin: &Origin<CorporateData>) -> CorporateForm<'_> {
    origin.loaded.corporate_form(&origin.data, origin.api_version, Naming::Published)
}
