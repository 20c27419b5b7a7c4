//! `POST /v1/batch/houjinbangou/search`: many searches for corporations.

use std::sync::Arc;

use crate::api::error::ApiError;
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::pipeline::input::{Object, fault};
use crate::api::pipeline::params::expression;
use crate::api::resource::batch::{
    BatchData, BatchQuery, LIMIT_DEFAULT, ParsedBatch, limit, queries, required_text,
};
use crate::dataset::Catalog;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::search::CorporateSearch;
use crate::dataset::corporate::syntax::CorporateQuery;
use crate::dataset::corporate::{CorporateForm, write_corporate_record};
use crate::dataset::name::Naming;
use crate::json::{self, QueryOutcome};
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::snapshot::{OpenError, Versions};

pub struct Query {
    text: String,
    expression: CorporateQuery,
    limit: usize,
    id: Option<String>,
}

impl BatchQuery for Query {
    type Data = CorporateData;
    type Scratch = ();

    const VERSIONS: fn(&Catalog) -> &Versions<CorporateData> = Catalog::corporate;

    fn parse_batch(body: &mut Object, grouping: Grouping) -> Result<ParsedBatch<Query>, ApiError> {
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

    fn cost(&self, source: &BatchData<CorporateData>) -> Result<Cost, Arc<OpenError>> {
        source.data.search_cost(&CorporateSearch::new(&self.expression, 0, self.limit), false)
    }

    fn q(&self) -> &str {
        &self.text
    }

    fn search(
        &self,
        source: &BatchData<CorporateData>,
        _scratch: &mut (),
        tail: &mut Vec<u8>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let Query { text, expression, limit, id } = self;
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

    fn write_record(source: &BatchData<CorporateData>, row: u32, out: &mut Vec<u8>) {
        let record = source.data.record(row);
        record
            .and_then(|record| write_corporate_record(out, &form(source), &record))
            .expect("the search has read this record");
    }
}

fn form(source: &BatchData<CorporateData>) -> CorporateForm<'_> {
    source.loaded.corporate_form(&source.data, source.api_version, Naming::Published)
}
