//! `POST /v1/batch/postalcode/search`: many addresses.

use std::sync::Arc;

use super::lookup;
use super::search::expression;
use crate::api::ask::Ask;
use crate::api::batch::questions::{Origin, Questions, Received, Tail};
use crate::api::batch::request::{LIMIT_DEFAULT, limit, need_text, queries};
use crate::api::batch::run;
use crate::api::endpoint::Replying;
use crate::api::error::ApiError;
use crate::api::input::{Input, Object};
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::version::RequestedData;
use crate::json;
use crate::json::Outcome;
use crate::query::PostalData;
use crate::query::address_search::{AddressSearch, SearchScratch};
use crate::query::syntax::{Expression, Grouping};
use crate::snapshot::OpenError;

#[derive(Debug)]
struct Addresses {
    default_q: Option<Arc<Syntax>>,
    default_limit: usize,
    queries: Vec<Query>,
}

/// One query of a batch, with the defaults in their places.
#[derive(Debug)]
pub struct Query {
    t: String,
    q: Option<Arc<Syntax>>,
    limit: usize,
}

/// A `q` as it was sent and as it was read.
#[derive(Debug)]
struct Syntax {
    text: String,
    expression: Expression,
}

pub fn search<'a>(ask: &'a Ask<'a>, received: Received) -> Replying<'a> {
    Box::pin(run::answer::<Addresses>(ask, received))
}

impl Questions for Addresses {
    type Data = PostalData;
    type Query = Query;
    type Scratch = SearchScratch;

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, PostalData>, ApiError> {
        lookup::choose(ask)
    }

    fn read(body: &[u8], _grouping: Grouping) -> Result<Addresses, ApiError> {
        let mut body = Input::parse(body)?.object()?;
        let default_q = syntax(&mut body, "default_q")?;
        let default_limit = limit(&mut body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let queries = queries(&mut body, |mut query| {
            // An empty one is an address that finds nothing: a list of a thousand may have a gap.
            let (t, _) = need_text(&mut query, "t", "an address")?;
            let q = syntax(&mut query, "q")?.or_else(|| default_q.clone());
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            Ok(Query { t, q, limit })
        })?;
        Ok(Addresses { default_q, default_limit, queries })
    }

    fn queries(&self) -> &[Query] {
        &self.queries
    }

    fn write_params(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"default_q\":");
        json::push_or_null(out, self.default_q.as_ref().map(|q| q.text.as_str()));
        out.extend_from_slice(b",\"default_limit\":");
        json::push_number(out, self.default_limit as u64);
        out.push(b'}');
    }

    fn ask(
        origin: &Origin<PostalData>,
        query: &Query,
        scratch: &mut SearchScratch,
        tail: Tail<'_>,
    ) -> Result<Vec<u32>, Arc<OpenError>> {
        let q = query.q.as_deref();
        let search = AddressSearch {
            t: Some(&query.t),
            q: q.map(|q| &q.expression),
            limit: query.limit,
            ..AddressSearch::default()
        };
        let found = origin.data.search_address(&search, scratch)?;
        let outcome = Outcome {
            q: q.map(|q| q.text.as_str()),
            t: Some((&query.t, scratch.address())),
            found: &found,
            offset: 0,
            limit: query.limit,
        };
        json::write_outcome(tail.0, &outcome);
        Ok(found.rows)
    }

    fn write_record(origin: &Origin<PostalData>, row: u32, first: bool, out: &mut Vec<u8>) {
        let Origin { data, loaded, api_version } = origin;
        let rows = [row];
        let record = data.rows(&rows).expect("the data has answered the search");
        json::write_records(out, *api_version, record, loaded.cities(data), first);
    }
}

/// The query in the member of this name; an empty one counts as absent.
fn syntax(object: &mut Object, name: &str) -> Result<Option<Arc<Syntax>>, ApiError> {
    let Some(input) = object.take(name)? else { return Ok(None) };
    let path = input.path().to_owned();
    let text = input.text(BATCH_TEXT_BYTES_MAX)?;
    if text.is_empty() {
        return Ok(None);
    }
    let expression = expression(path, &text)?;
    Ok(Some(Arc::new(Syntax { text, expression })))
}
