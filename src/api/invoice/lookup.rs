//! `/v1/invoice/…`: the issuer of a registration number, and the list of versions.

use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::api::version::{self, RequestedData, list_versions};
use crate::json;
use crate::query::InvoiceData;
use crate::text::codes::{ApiVersion, DataVersion, InvoiceNumber};

pub const SINCE: ApiVersion = ApiVersion::V2024_01_01;

pub fn requested_data<'r>(
    request: &ApiRequest<'r>,
) -> Result<RequestedData<'r, InvoiceData>, ApiError> {
    version::requested_data(request, request.data.catalog.invoice(), Some("/v1/invoice/versions"))
}

/// `GET /v1/invoice/{number}`. A number with a wrong check digit is well formed, since individuals have such
/// numbers.
pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "qualified_invoice_issuer_number";
    let number = request.path("number");
    let number = path_value(NAME, Code::InvalidInvoiceNumber, number, InvoiceNumber::parse)?;
    let date = request.params.non_empty("date")?.map(|date| day("date", &date)).transpose()?;
    let requested = requested_data(request)?;
    match &requested.data.lookup(number) {
        Ok(Some(view)) => {
            let registered = date.map(|date| view.is_registered_on(date.number()));
            let version = requested.version();
            Ok(requested.reply(request, |out| json::write_invoice(out, version, view, registered)))
        }
        Ok(None) => {
            let version = requested.version();
            let sound = number.corporate().is_sound();
            let wrong = if sound { "" } else { ", whose check digit is wrong" };
            let detail =
                format!("expected a number that version {version} has; found {number}{wrong}");
            Err(ApiError::in_parameter(NAME, Code::NoSuchInvoiceIssuer, detail))
        }
        Err(error) => Err(requested.damaged_error(request, error)),
    }
}

/// The day of a purchase, from `parameter`.
pub fn day(
    parameter: impl Into<std::borrow::Cow<'static, str>>,
    text: &str,
) -> Result<DataVersion, ApiError> {
    DataVersion::parse(text).map_err(|error| {
        let detail = format!("expected a day, YYYY-MM-DD; found {}", error.found);
        ApiError::in_parameter(parameter, Code::InvalidDate, detail)
    })
}

pub fn versions(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    Ok(list_versions(request, request.data.catalog.invoice()))
}
