//! `POST /v1/batch/invoice/search`: many registration numbers in one request.

use std::sync::Arc;

use super::lookup::{day, open};
use crate::api::ask::Ask;
use crate::api::batch::questions::{Origin, Questions, Received, Tail};
use crate::api::batch::request::{need_text, queries};
use crate::api::batch::run;
use crate::api::endpoint::Replying;
use crate::api::error::{ApiError, Code};
use crate::api::input::{Input, Object};
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::version::RequestedData;
use crate::json::{self, Naming};
use crate::query::InvoiceData;
use crate::query::syntax::Grouping;
use crate::snapshot::OpenError;
use crate::text::codes::{DataVersion, InvoiceNumber};

#[derive(Debug)]
struct Numbers {
    default_date: Option<DataVersion>,
    queries: Vec<Query>,
}

#[derive(Debug)]
pub struct Query {
    number: InvoiceNumber,
    /// The day of a purchase.
    date: Option<DataVersion>,
    id: Option<String>,
}

pub fn search<'a>(ask: &'a Ask<'a>, received: Received) -> Replying<'a> {
    Box::pin(run::answer::<Numbers>(ask, received))
}

impl Questions for Numbers {
    type Data = InvoiceData;
    type Query = Query;
    type Scratch = ();

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, InvoiceData>, ApiError> {
        open(ask)
    }

    fn read(body: &[u8], _grouping: Grouping) -> Result<Numbers, ApiError> {
        let mut body = Input::parse(body)?.object()?;
        let default_date = date(&mut body, "default_date")?;
        let queries = queries(&mut body, |mut query| {
            let (text, path) = need_text(&mut query, "number", "a registration number")?;
            let number = InvoiceNumber::parse(&text);
            let number = number.map_err(|error| {
                ApiError::of(path, Code::InvalidInvoiceNumber, error.to_string())
            })?;
            let date = date(&mut query, "date")?.or(default_date);
            let id = query.take("id")?.map(|id| id.text(BATCH_TEXT_BYTES_MAX)).transpose()?;
            Ok(Query { number, date, id })
        })?;
        Ok(Numbers { default_date, queries })
    }

    fn queries(&self) -> &[Query] {
        &self.queries
    }

    fn write_params(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"default_date\":");
        let date = self.default_date.map(|date| date.to_string());
        json::push_or_null(out, date.as_deref());
        out.push(b'}');
    }

    fn ask(
        origin: &Origin<InvoiceData>,
        query: &Query,
        _scratch: &mut (),
        tail: Tail<'_>,
    ) -> Result<Vec<u32>, Arc<OpenError>> {
        let found = origin.data.find(query.number)?;
        // A block is compared when it is first touched: damage must be found now.
        let view = found.map(|offset| origin.data.record(offset)).transpose()?;
        let registered = query.date.zip(view.as_ref());
        let registered = registered.map(|(date, view)| view.is_registered_on(date.number()));
        let (found, count): (Vec<u32>, _) = (found.into_iter().collect(), found.iter().len());
        json::write_invoice_outcome(tail.0, query.number, registered, count, query.id.as_deref());
        Ok(found)
    }

    fn write_record(origin: &Origin<InvoiceData>, offset: u32, first: bool, out: &mut Vec<u8>) {
        if !first {
            out.push(b',');
        }
        let view = origin.data.record(offset).expect("the search has read this record");
        json::write_issuer(out, &view, Naming::Published);
    }
}

fn date(object: &mut Object, name: &str) -> Result<Option<DataVersion>, ApiError> {
    let Some(input) = object.take(name)? else { return Ok(None) };
    let path = input.path().to_owned();
    let text = input.text(BATCH_TEXT_BYTES_MAX)?;
    if text.is_empty() { Ok(None) } else { day(path, &text).map(Some) }
}
