//! `POST /v1/batch/houjinbangou/search`: many searches for corporations.

use std::sync::Arc;

use super::lookup;
use crate::api::ask::Ask;
use crate::api::batch::questions::{Origin, Questions, Received, Tail};
use crate::api::batch::request::{LIMIT_DEFAULT, limit, need_text, queries};
use crate::api::batch::run;
use crate::api::endpoint::Replying;
use crate::api::error::ApiError;
use crate::api::input::{Input, fault};
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::query::expression;
use crate::api::version::RequestedData;
use crate::json;
use crate::json::{CorporateForm, Naming, QueryOutcome};
use crate::query::CorporateData;
use crate::query::corporate_search::CorporateSearch;
use crate::query::syntax::{CorporateExpression, Grouping};
use crate::snapshot::OpenError;

#[derive(Debug)]
struct Corporations {
    default_limit: usize,
    queries: Vec<Query>,
}

#[derive(Debug)]
pub struct Query {
    text: String,
    expression: CorporateExpression,
    limit: usize,
    id: Option<String>,
}

pub fn search<'a>(ask: &'a Ask<'a>, received: Received) -> Replying<'a> {
    Box::pin(run::answer::<Corporations>(ask, received))
}

impl Questions for Corporations {
    type Data = CorporateData;
    type Query = Query;
    type Scratch = ();

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, CorporateData>, ApiError> {
        lookup::choose(ask)
    }

    fn read(body: &[u8], grouping: Grouping) -> Result<Corporations, ApiError> {
        let mut body = Input::parse(body)?.object()?;
        let default_limit = limit(&mut body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let queries = queries(&mut body, |mut query| {
            let (text, path) = need_text(&mut query, "q", "a query")?;
            if text.is_empty() {
                return Err(fault(path, "expected a query; found an empty string"));
            }
            let expression = expression(path, &text, grouping)?;
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            let id = query.take("id")?.map(|id| id.text(BATCH_TEXT_BYTES_MAX)).transpose()?;
            Ok(Query { text, expression, limit, id })
        })?;
        Ok(Corporations { default_limit, queries })
    }

    fn queries(&self) -> &[Query] {
        &self.queries
    }

    fn write_params(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"default_limit\":");
        json::push_number(out, self.default_limit as u64);
        out.push(b'}');
    }

    fn ask(
        origin: &Origin<CorporateData>,
        query: &Query,
        _scratch: &mut (),
        tail: Tail<'_>,
    ) -> Result<Vec<u32>, Arc<OpenError>> {
        let Query { text, expression, limit, id } = query;
        let data = &origin.data;
        let found = data.search(&CorporateSearch::of(expression, 0, *limit))?;
        // A block is compared when it is first touched: damage must be found now.
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
