//! `/v1/invoice/…`: qualified invoice issuers by registration number, and by name and reading. The endpoints exist from API
//! version 2024-01-01 on.

use std::borrow::Cow;

use super::batch::{
    BatchData, BatchQuery, BesideRecords, ParsedBatch, id, queries, required_text, text,
};
use super::corporate::{SearchParams, check_answerable};
use super::{digit_fault, latest_data, requested_data};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::input::Object;
use crate::api::pipeline::params::{ApiRequest, path_value};
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::corporate::corrections::number_of;
use crate::dataset::corporate::search::FormerNameMatches;
use crate::dataset::invoice::members::Issuer;
use crate::dataset::invoice::record::InvoiceView;
use crate::dataset::invoice::{InvoiceData, write_invoice, write_invoice_outcome};
use crate::dataset::member::{MemberValue, write_found};
use crate::json;
use crate::query::budget::QueryError;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::{ApiVersion, DataVersion, InvoiceNumber};
use crate::work::WorkBudget;

pub const SINCE: ApiVersion = ApiVersion::V2024_01_01;

/// `GET /v1/invoice/{number}`. A number with a wrong check digit is well formed, since individuals have such
/// numbers.
pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "qualified_invoice_issuer_number";
    let error = Code::InvalidInvoiceNumber;
    let number = path_value(request, "number", NAME, error, InvoiceNumber::parse)?;
    let date = request.params.non_empty("date")?.map(|date| day("date", &date)).transpose()?;
    let requested = requested_data(request, Catalog::invoice)?;
    let Some(view) = &requested.sound(requested.data.lookup(number))? else {
        let found = format!("{number}{}", digit_fault(number.corporate().is_sound()));
        return Err(requested.no_such(NAME, Code::NoSuchInvoiceIssuer, "a number", found));
    };
    let version = requested.version();
    let registered = date.map(|date| registration(view, date, version));
    Ok(requested.reply(|out| write_invoice(out, request.api_version, version, view, registered)))
}

/// Whether an issuer was registered on a day; `None` if the day is after the data, which do not know it.
fn registration(view: &InvoiceView<'_>, date: DataVersion, version: DataVersion) -> Option<bool> {
    (date <= version).then(|| view.is_registered_on(date.number()))
}

/// The day of a purchase, from `parameter`.
pub fn day(parameter: impl Into<Cow<'static, str>>, text: &str) -> Result<DataVersion, ApiError> {
    DataVersion::parse(text).map_err(|error| {
        let detail = format!("expected a day, YYYY-MM-DD; found {}", error.found);
        ApiError::in_parameter(parameter, Code::InvalidDate, detail)
    })
}

/// `GET /v1/invoice`: issuers by name and reading.
///
/// The register has no search index of its own: the query searches the newest register of corporations, restricted
/// to those registered on the day of the invoice data. Issuers that are not in the register of corporations, such
/// as individuals, are found by number only.
pub fn search(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let register = requested_data(request, Catalog::invoice)?;
    let params = SearchParams::parse(&request.params, request.api.grouping)?;
    let searched = latest_data(request, Catalog::corporate)?;
    let corporations = searched.data;
    let version = register.version();
    let requested = register.with_dependency(corporations.file());
    let known_issuers = requested.data.known_registered_rows(corporations);
    budget.require_ready(corporations.is_search_checked() && known_issuers.is_some())?;
    let search = params.search();
    let former = FormerNameMatches::of(&search);
    check_answerable(&former, corporations, &requested)?;
    let cost = requested.sound(corporations.search_cost(&search, true))?;
    budget.admit(&cost, "q", &params.query.text)?;
    requested.search_reply(budget, "q", |out| {
        let issuers = match known_issuers {
            Some(issuers) => issuers,
            // May take seconds. The thread of a connection does not get here.
            None => requested.data.registered_rows(corporations)?,
        };
        let found = corporations.search_within_budget(&search, Some(&issuers), &budget.work)?;
        let mut records = Vec::with_capacity(found.rows.len());
        for row in &found.rows {
            let number = corporations.record(*row)?.number();
            let found = former.found(corporations, *row)?;
            if found.alias.is_some() {
                searched.mark(|row| number_of(row) == Some(number));
            }
            let found_by = found.found_by(corporations)?;
            let view = requested.data.lookup(InvoiceNumber::from_corporate(number))?;
            records.extend(view.map(|view| (view, found_by)));
        }
        requested.add_marks_of(&searched);
        let outcome = params.query.outcome(&found);
        let naming = params.naming;
        let records = records.iter();
        let records = records.map(|(view, found_by)| Issuer { view, naming, found_by: *found_by });
        write_found(out, request.api_version, version, records, &outcome);
        Ok(())
    })
}

pub struct BatchedNumber {
    number: InvoiceNumber,
    /// The day of a purchase.
    date: Option<DataVersion>,
    id: Option<String>,
}

impl BatchQuery for BatchedNumber {
    type Data = InvoiceData;
    type Row = u32;
    type Corrected = ();
    type Scratch = ();

    const VERSIONS: fn(&Catalog) -> &Versions<InvoiceData> = Catalog::invoice;

    fn parse_batch(
        body: &mut Object,
        _grouping: Grouping,
    ) -> Result<ParsedBatch<BatchedNumber>, ApiError> {
        let default_date = date(body, "default_date")?;
        let queries = queries(body, |mut query| {
            let (text, path) = required_text(&mut query, "number", "a registration number")?;
            let number = InvoiceNumber::parse(&text);
            let number = number.map_err(|error| {
                ApiError::in_parameter(path, Code::InvalidInvoiceNumber, error.to_string())
            })?;
            let date = date(&mut query, "date")?.or(default_date);
            let id = id(&mut query)?;
            Ok(BatchedNumber { number, date, id })
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
        result: &mut BesideRecords<()>,
        _work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError> {
        let found = source.data.find_offset(self.number)?;
        // A block is verified when it is first read: find damage before the answer begins.
        let view = found.map(|offset| source.data.record(offset)).transpose()?;
        let registered = self.date.zip(view.as_ref());
        let version = source.data.version();
        let registered = registered.and_then(|(date, view)| registration(view, date, version));
        let (found, count): (Vec<u32>, _) = (found.into_iter().collect(), found.iter().len());
        let (api, id) = (source.api_version, self.id.as_deref());
        write_invoice_outcome(&mut result.tail, api, self.number, registered, count, id);
        Ok(found)
    }

    fn write_record(source: &BatchData<InvoiceData>, offset: u32, out: &mut Vec<u8>) {
        let view = source.data.record(offset).expect("the search has read this record");
        Issuer::published(&view).write(out, source.api_version);
    }
}

fn date(object: &mut Object, name: &str) -> Result<Option<DataVersion>, ApiError> {
    text(object, name)?.map(|(text, path)| day(path, &text)).transpose()
}
