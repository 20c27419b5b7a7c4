//! `/v1/invoice/…`: the issuer of a registration number, and the list of versions.

use crate::api::ask::Ask;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::version::{RequestedData, choose, list_versions, since};
use crate::json;
use crate::query::InvoiceData;
use crate::text::codes::{ApiVersion, DataVersion, InvoiceNumber};

pub const SINCE: ApiVersion = ApiVersion::V2024_01_01;

pub fn open<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, InvoiceData>, ApiError> {
    since(ask, SINCE)?;
    choose(ask, ask.data.catalog.invoice(), "/v1/invoice/versions")
}

/// `GET /v1/invoice/{number}`. A number with a wrong check digit is well formed, since individuals have such
/// numbers.
pub fn lookup(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "qualified_invoice_issuer_number";
    since(ask, SINCE)?;
    let number = ask.path("number");
    let number = path_value(NAME, Code::InvalidInvoiceNumber, number, InvoiceNumber::parse)?;
    let date = ask.params.filled("date")?.map(|date| day("date", &date)).transpose()?;
    let requested = open(ask)?;
    match &requested.data.lookup(number) {
        Ok(Some(view)) => {
            let registered = date.map(|date| view.is_registered_on(date.number()));
            let version = requested.version();
            Ok(requested.reply(ask, |out| json::write_invoice(out, version, view, registered)))
        }
        Ok(None) => {
            let version = requested.version();
            let sound = number.corporate().is_sound();
            let wrong = if sound { "" } else { ", whose check digit is wrong" };
            let detail =
                format!("expected a number that version {version} has; found {number}{wrong}");
            Err(ApiError::of(NAME, Code::NoSuchInvoiceIssuer, detail))
        }
        Err(error) => Err(requested.damaged(ask, error)),
    }
}

/// The day of a purchase, from `parameter`.
pub fn day(
    parameter: impl Into<std::borrow::Cow<'static, str>>,
    text: &str,
) -> Result<DataVersion, ApiError> {
    DataVersion::parse(text).map_err(|error| {
        let detail = format!("expected a day, YYYY-MM-DD; found {}", error.found);
        ApiError::of(parameter, Code::InvalidDate, detail)
    })
}

pub fn versions(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    since(ask, SINCE)?;
    Ok(list_versions(ask, ask.data.catalog.invoice()))
}
