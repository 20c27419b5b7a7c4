//! `POST /v1/batch/postalcode/search`: many addresses.

use std::sync::Arc;

use super::expression;
use crate::api::error::ApiError;
use crate::api::pipeline::input::Object;
use crate::api::resource::batch::{
    BatchData, BatchQuery, LIMIT_DEFAULT, ParsedBatch, flag, limit, queries, required_text, text,
};
use crate::dataset::Catalog;
use crate::dataset::member::MemberValue;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::address_search::{AddressSearch, SearchScratch};
use crate::dataset::postal::syntax::PostalQuery;
use crate::dataset::postal::{AddressOutcome, write_address_outcome};
use crate::json;
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::snapshot::{OpenError, Versions};

/// An address, with the defaults of the batch filled in.
pub struct Query {
    t: String,
    q: Option<Arc<Syntax>>,
    limit: usize,
    explain: bool,
}

impl Query {
    fn address_search(&self) -> AddressSearch<'_> {
        let q = self.q.as_ref().map(|q| &q.expression);
        AddressSearch { t: Some(&self.t), q, limit: self.limit, ..AddressSearch::default() }
    }
}

/// A `q` as text and parsed.
struct Syntax {
    text: String,
    expression: PostalQuery,
}

impl BatchQuery for Query {
    type Data = PostalData;
    type Scratch = SearchScratch;

    const VERSIONS: fn(&Catalog) -> &Versions<PostalData> = Catalog::postal;

    fn parse_batch(body: &mut Object, _grouping: Grouping) -> Result<ParsedBatch<Query>, ApiError> {
        let default_q = syntax(body, "default_q")?;
        let default_limit = limit(body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
        let explain = flag(body, "explain")?;
        let queries = queries(body, |mut query| {
            // An empty address finds nothing: a list of a thousand may have gaps.
            let (t, _) = required_text(&mut query, "t", "an address")?;
            let q = syntax(&mut query, "q")?.or_else(|| default_q.clone());
            let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
            Ok(Query { t, q, limit, explain })
        })?;
        let mut params = b"{\"default_q\":".to_vec();
        json::push_or_null(&mut params, default_q.as_ref().map(|q| q.text.as_str()));
        params.extend_from_slice(format!(",\"default_limit\":{default_limit}}}").as_bytes());
        Ok(ParsedBatch { params, queries })
    }

    fn cost(&self, source: &BatchData<PostalData>) -> Result<Cost, Arc<OpenError>> {
        source.data.search_address_cost(&self.address_search(), self.explain)
    }

    fn q(&self) -> &str {
        self.q.as_ref().map_or("", |q| &q.text)
    }

    fn search(
        &self,
        source: &BatchData<PostalData>,
        scratch: &mut SearchScratch,
        tail: &mut Vec<u8>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let search = self.address_search();
        let found = source.data.search_address_within_budget(&search, scratch, work)?;
        let explain = || source.data.explain(&self.t, scratch.address());
        let explained = self.explain.then(explain).transpose()?;
        let outcome = AddressOutcome {
            q: self.q.as_ref().map(|q| q.text.as_str()),
            t: Some((&self.t, scratch.address())),
            found: &found,
            offset: 0,
            limit: self.limit,
            explain: explained.as_ref(),
        };
        write_address_outcome(tail, source.api_version, &outcome);
        Ok(found.rows)
    }

    fn write_record(source: &BatchData<PostalData>, row: u32, out: &mut Vec<u8>) {
        let BatchData { data, loaded, api_version } = source;
        for record in data.rows(&[row]).expect("the data has answered the search") {
            loaded.cities(data).record(*api_version, record).write(out, *api_version);
        }
    }
}

/// The query in the member of this name; an empty one counts as absent.
fn syntax(object: &mut Object, name: &str) -> Result<Option<Arc<Syntax>>, ApiError> {
    let Some((text, path)) = text(object, name)? else { return Ok(None) };
    let expression = expression(path, &text)?;
    Ok(Some(Arc::new(Syntax { text, expression })))
}
