//! `POST /v1/batch/invoice/search`: many registration numbers in one request.

use super::day;
use crate::api::error::{ApiError, Code};
use crate::api::limits::BATCH_TEXT_BYTES_MAX;
use crate::api::pipeline::input::Object;
use crate::api::resource::batch::{
    BatchData, BatchQuery, ParsedBatch, queries, required_text, text,
};
use crate::dataset::Catalog;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::members::Issuer;
use crate::dataset::invoice::write_invoice_outcome;
use crate::dataset::member::MemberValue;
use crate::dataset::name::Naming;
use crate::json;
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::syntax::Grouping;
use crate::snapshot::Versions;
use crate::text::codes::{DataVersion, InvoiceNumber};

pub struct Query {
    number: InvoiceNumber,
    /// The day of a purchase.
    date: Option<DataVersion>,
    id: Option<String>,
}

impl BatchQuery for Query {
    type Data = InvoiceData;
    type Scratch = ();

    const VERSIONS: fn(&Catalog) -> &Versions<InvoiceData> = Catalog::invoice;

    fn parse_batch(body: &mut Object, _grouping: Grouping) -> Result<ParsedBatch<Query>, ApiError> {
        let default_date = date(body, "default_date")?;
        let queries = queries(body, |mut query| {
            let (text, path) = required_text(&mut query, "number", "a registration number")?;
            let number = InvoiceNumber::parse(&text);
            let number = number.map_err(|error| {
                ApiError::in_parameter(path, Code::InvalidInvoiceNumber, error.to_string())
            })?;
            let date = date(&mut query, "date")?.or(default_date);
            let id = query.remove("id")?.map(|id| id.text(BATCH_TEXT_BYTES_MAX)).transpose()?;
            Ok(Query { number, date, id })
        })?;
        let mut params = b"{\"default_date\":".to_vec();
        let date = default_date.map(|date| date.to_string());
        json::push_or_null(&mut params, date.as_deref());
        params.push(b'}');
        Ok(ParsedBatch { params, queries })
    }

    fn search(
        &self,
        source: &BatchData<InvoiceData>,
        _scratch: &mut (),
        tail: &mut Vec<u8>,
        _work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let found = source.data.find_offset(self.number)?;
        // A block is verified when it is first read: find damage before the answer begins.
        let view = found.map(|offset| source.data.record(offset)).transpose()?;
        let registered = self.date.zip(view.as_ref());
        let registered = registered.map(|(date, view)| view.is_registered_on(date.number()));
        let (found, count): (Vec<u32>, _) = (found.into_iter().collect(), found.iter().len());
        let (api, id) = (source.api_version, self.id.as_deref());
        write_invoice_outcome(tail, api, self.number, registered, count, id);
        Ok(found)
    }

    fn write_record(source: &BatchData<InvoiceData>, offset: u32, out: &mut Vec<u8>) {
        let view = source.data.record(offset).expect("the search has read this record");
        Issuer { view: &view, naming: Naming::Published }.write(out, source.api_version);
    }
}

fn date(object: &mut Object, name: &str) -> Result<Option<DataVersion>, ApiError> {
    text(object, name)?.map(|(text, path)| day(path, &text)).transpose()
}
