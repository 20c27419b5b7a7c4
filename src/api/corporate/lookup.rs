//! `/v1/houjinbangou/…`: the corporation of a number.

use crate::api::ask::Ask;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::version::{self, RequestedData};
use crate::json::{self, Naming};
use crate::query::CorporateData;
use crate::snapshot::Dataset;
use crate::text::codes::{ApiVersion, CorporateNumber, DataVersion};

/// The API version from which a corporate record has the number of an invoice issuer.
const ISSUERS_SINCE: ApiVersion = ApiVersion::V2024_01_01;

/// The requested data, for answers without invoice issuers.
pub fn choose_corporate<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, CorporateData>, ApiError> {
    version::choose(ask, ask.data.catalog.corporate(), "daicho snapshot list")
}

pub fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, CorporateData>, ApiError> {
    let requested = choose_corporate(ask)?;
    // If a register of invoice issuers is loaded, the issuer's number comes from it.
    Ok(match ask.data.catalog.invoice().latest() {
        Some(register) if ask.api_version >= ISSUERS_SINCE => requested.beside(register.file()),
        _ => requested,
    })
}

/// `GET /v1/houjinbangou/{number}`. A number with a wrong check digit is well formed, but no corporation has
/// it.
pub fn lookup(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let number = number(ask)?;
    let requested = choose(ask)?;
    match &requested.data.lookup(number) {
        Ok(Some(view)) => {
            let form = ask.data.corporate_form(requested.data, ask.api_version, Naming::Published);
            requested.found(ask, |out| json::write_corporation(out, &form, view))
        }
        Ok(None) => Err(no_such_corporation(number, requested.version())),
        Err(error) => Err(requested.damaged(ask, error)),
    }
}

const NAME: &str = "corporate_number";

/// The number in the path.
pub fn number(ask: &Ask<'_>) -> Result<CorporateNumber, ApiError> {
    let number = ask.path("number");
    path_value(NAME, Code::InvalidCorporateNumber, number, CorporateNumber::parse)
}

pub fn no_such_corporation(number: CorporateNumber, version: DataVersion) -> ApiError {
    let wrong = if number.is_sound() { "" } else { ", whose check digit is wrong" };
    let detail = format!("expected a number that version {version} has; found {number}{wrong}");
    ApiError::of(NAME, Code::NoSuchCorporation, detail)
}
