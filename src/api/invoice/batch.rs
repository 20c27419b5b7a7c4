//! `POST /v1/batch/invoice/search`: many registration numbers in one request.

use super::lookup::{day, open};
use crate::api::ask::Ask;
use crate::api::batch::questions::{Batch, Origin, Questions, Tail};
use crate::api::batch::request::{need_text, queries, text};
use crate::api::error::{ApiError, Code};
use crate::api::input::Object;
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::version::RequestedData;
use crate::json::{self, Naming};
use crate::query::InvoiceData;
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::syntax::Grouping;
use crate::text::codes::{DataVersion, InvoiceNumber};

pub enum Numbers {}

pub struct Query {
    number: InvoiceNumber,
    /// The day of a purchase.
    date: Option<DataVersion>,
    id: Option<String>,
}

impl Questions for Numbers {
    type Data = InvoiceData;
    type Query = Query;
    type Scratch = ();

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, InvoiceData>, ApiError> {
        open(ask)
    }

    fn read(body: &mut Object, _grouping: Grouping) -> Result<Batch<Query>, ApiError> {
        let default_date = date(body, "default_date")?;
        let queries = queries(body, |mut query| {
            let (text, path) = need_text(&mut query, "number", "a registration number")?;
            let number = InvoiceNumber::parse(&text);
            let number = number.map_err(|error| {
                ApiError::of(path, Code::InvalidInvoiceNumber, error.to_string())
            })?;
            let date = date(&mut query, "date")?.or(default_date);
            let id = query.take("id")?.map(|id| id.text(BATCH_TEXT_BYTES_MAX)).transpose()?;
            Ok(Query { number, date, id })
        })?;
        let mut params = b"{\"default_date\":".to_vec();
        let date = default_date.map(|date| date.to_string());
        json::push_or_null(&mut params, date.as_deref());
        params.push(b'}');
        Ok(Batch { params, queries })
    }

    fn ask(
        origin: &Origin<InvoiceData>,
        query: &Query,
        _scratch: &mut (),
        tail: Tail<'_>,
        _work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let found = origin.data.find_offset(query.number)?;
        // A block is verified when it is first read: find damage before the answer begins.
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
    text(object, name)?.map(|(text, path)| day(path, &text)).transpose()
}
