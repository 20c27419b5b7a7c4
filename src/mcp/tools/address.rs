//! Addresses in any spelling: splits and corrects them, and finds postal codes and coordinates.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::postal::Place;
use crate::api::RequestTarget;
use crate::dataset::postal::PostalData;
use crate::mcp::tool::{ApiClient, NonBlank, Tool, ToolError};
use crate::snapshot::{Dataset, DatasetKind};

const NO_PLACE: &str = "the text names no place that the data have; write the prefecture or the municipality first, in \
    Japanese, or use search_postal_codes with a name or a reading";

/// Maximum number of places in the answer, best match first.
const PLACES_MAX: u8 = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalizeAddress {
    /// A Japanese address in any spelling, such as 千代田区霞が関１丁目２－３
    address: NonBlank,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Normalized {
    /// Date of the data
    version: String,
    /// How precisely the address was matched: full, town, city, prefecture or none
    #[serde(rename = "match")]
    matched: String,
    address: Parts,
    /// Coordinates, and the area that they represent
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<Point>,
    /// Corrections that were made to the address, such as an old name or another spelling
    #[serde(skip_serializing_if = "Vec::is_empty")]
    corrections: Vec<Correction>,
    /// Candidates if the address is ambiguous
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Candidate>,
    /// Why nothing was found, if the match is none
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Total number of matching places
    count: u64,
    /// At most three matching places with their postal codes, best match first. A large business has its own code
    places: Vec<Place>,
}

/// The components; missing ones are omitted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Parts {
    #[serde(skip_serializing_if = "Option::is_none")]
    prefecture: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    county: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city_ward: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    town: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kyoto_street: Option<String>,
    /// Chome, block and lot (丁目・番地・号) joined by hyphens
    #[serde(skip_serializing_if = "Option::is_none")]
    block_lot_num: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    building: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    floor_room: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Point {
    lat: f64,
    lon: f64,
    /// The area that the point represents, such as town or city
    level: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Correction {
    kind: String,
    /// The part of the address that was corrected
    component: String,
    /// The text in the address
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<String>,
    /// The corrected value
    became: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Candidate {
    prefecture: String,
    city: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    town: Option<String>,
}

#[derive(Debug, Deserialize)]
struct AddressResponse {
    version: String,
    data: Vec<Place>,
    query: Parts,
    count: u64,
    explain: Explain,
}

#[derive(Debug, Deserialize)]
struct Explain {
    #[serde(rename = "match")]
    matched: String,
    corrections: Vec<Correction>,
    candidates: Vec<Candidate>,
    point: Option<Point>,
}

impl Tool for NormalizeAddress {
    const NAME: &'static str = "normalize_address";
    const TITLE: &'static str = "Normalise an address (住所の正規化)";
    const DESCRIPTION: &'static str = "Splits a Japanese address (住所) in any spelling into prefecture, \
        municipality, town, lot number, building and floor. Corrects old names and variant spellings. Returns the \
        postal code (郵便番号) and coordinates. If the address is ambiguous, it lists the candidates.";
    const DATASET: Option<DatasetKind> = Some(PostalData::KIND);
    type Output = Normalized;

    async fn call(self, client: &ApiClient) -> Result<Normalized, ToolError> {
        let target = RequestTarget::new("/v1/postalcode").with("t", self.address.as_str());
        let target = target.with("limit", PLACES_MAX).with("explain", 1);
        let AddressResponse { version, data, query, count, explain } = client.get(target).await?;
        let Explain { matched, corrections, candidates, point } = explain;
        let (address, places) = (query, data);
        let hint = (matched == "none").then(|| NO_PLACE.to_owned());
        Ok(Normalized {
            version,
            matched,
            address,
            point,
            corrections,
            candidates,
            hint,
            count,
            places,
        })
    }
}
