//! Coordinates in requests: the parameters `lat` and `lon`, the parameter `near`, the members of a batch; and the error of
//! data without coordinates.

use super::batch::required;
use crate::address::points::location::{Location, LocationFault};
use crate::api::error::{ApiError, Code};
use crate::api::pipeline::input::Object;
use crate::api::pipeline::params::Params;
use crate::text::codes::DataVersion;

/// The location in the parameters `lat` and `lon`.
pub fn location(params: &Params<'_>) -> Result<Location, ApiError> {
    let required = |name: &'static str, what: &str| {
        params.non_empty(name)?.ok_or_else(|| {
            let detail = format!("expected {name} ({what} in decimal degrees); found none");
            ApiError::in_parameter(name, Code::InvalidCoordinates, detail)
        })
    };
    let (lat, lon) = (required("lat", "a latitude")?, required("lon", "a longitude")?);
    Location::parse(&lat, &lon).map_err(|fault| invalid(name_of(&fault).to_owned(), &fault))
}

/// The location in the members `lat` and `lon`, which may be numbers or texts.
pub fn location_in(query: &mut Object) -> Result<Location, ApiError> {
    let lat = required(query, "lat", "a latitude in decimal degrees")?.parameter()?;
    let lon = required(query, "lon", "a longitude in decimal degrees")?.parameter()?;
    Location::parse(&lat, &lon).map_err(|fault| invalid(query.path_of(name_of(&fault)), &fault))
}

/// The location in the parameter `near`, if the request has it.
pub fn near(params: &Params<'_>) -> Result<Option<Location>, ApiError> {
    const NAME: &str = "near";
    let Some(text) = params.non_empty(NAME)? else { return Ok(None) };
    Location::parse_pair(&text).map(Some).map_err(|fault| invalid(NAME.to_owned(), &fault))
}

fn name_of(fault: &LocationFault) -> &'static str {
    if fault.is_of_longitude() { "lon" } else { "lat" }
}

fn invalid(parameter: String, fault: &LocationFault) -> ApiError {
    ApiError::in_parameter(parameter, Code::InvalidCoordinates, fault.to_string())
}

/// The error of data in which no place can be found by its point.
pub fn no_coordinates(version: DataVersion) -> ApiError {
    let detail = format!(
        "expected postal data with coordinates that can be searched; found version {version} without; the operator \
         builds it again with `daicho build postal --towns FILE`"
    );
    ApiError::new(Code::NoCoordinates, detail)
}
