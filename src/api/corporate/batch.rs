//! `POST /v1/batch/houjinbangou/search`: many searches for corporations.

use std::sync::Arc;

use super::lookup;
use crate::api::batch::body::{LIMIT_DEFAULT, limit, queries, required_text};
use crate::api::batch::kind::{BatchData, BatchKind, ParsedBatch};
use crate::api::error::ApiError;
use crate::api::input::{Object, fault};
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::query_params::expression;
use crate::api::request::ApiRequest;
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

impl BatchKind for Corporations {
    type Data = CorporateData;
    type Query = Query;
    type Scratch = ();

    fn requested_data<'r>(
        request: &ApiRequest<'r>,
    ) -> Result<RequestedData<'r, CorporateData>, ApiError> {
        lookup::requested_with_issuers(request)
    }

    fn parse(body: &mut Object, grouping: Grouping) -> Result<ParsedBatch<Query>, ApiError> {
        let default_limit = limit(body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let queries = queries(body, |mut query| {
            let (text, path) = required_text(&mut query, "q", "a query")?;
            if text.is_empty() {
                return Err(fault(path, "expected a query; found an empty string"));
            }
            let expression = expression(path, &text, grouping)?;
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            let id = query.remove("id")?.map(|id| id.text(BATCH_TEXT_BYTES_MAX)).transpose()?;
            Ok(Query { text, expression, limit, id })
        })?;
        let params = format!("{{\"default_limit\":{default_limit}}}").into_bytes();
        Ok(ParsedBatch { params, queries })
    }

    fn cost(source: &BatchData<CorporateData>, query: &Query) -> Result<Cost, Arc<OpenError>> {
        let search = CorporateSearch::new(&query.expression, 0, query.limit);
        source.data.search_cost(&search, false)
    }

    fn q(query: &Query) -> &str {
        &query.text
    }

    fn search(
        source: &BatchData<CorporateData>,
        query: &Query,
        _scratch: &mut (),
        tail: &mut Vec<u8>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let Query { text, expression, limit, id } = query;
        let data = &source.data;
        let found =
            data.search_within_budget(&CorporateSearch::new(expression, 0, *limit), None, work)?;
        // A block is verified when it is first read: find damage before the answer begins.
        let form = form(source);
        for row in &found.rows {
            form.is_issuer(&data.record(*row)?)?;
        }
        let outcome = QueryOutcome { q: text, found: &found, offset: 0, limit: *limit };
        json::write_query_outcome(tail, &outcome);
        tail.extend_from_slice(b",\"id\":");
        json::push_or_null(tail, id.as_deref());
        tail.push(b'}');
        Ok(found.rows)
    }

    fn write_record(
        source: &BatchData<CorporateData>,
        row: u32,
        is_first: bool,
        out: &mut Vec<u8>,
    ) {
        json::write_corporate_records(out, &form(source), &source.data, &[row], is_first)
            .expect("the search has read this record");
    }
}

fn form(source: &BatchData<CorporateData>) -> CorporateForm<'_> {
    source.loaded.corporate_form(&source.data, source.api_version, Naming::Published)
}
