//! Places near a location.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::api::RequestTarget;
use crate::dataset::postal::PostalData;
use crate::mcp::tool::{ApiClient, Limit, Tool, ToolError};
use crate::snapshot::{Dataset, DatasetKind};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindTownsNear {
    /// Latitude (緯度) in decimal degrees, such as 35.681236
    latitude: f64,
    /// Longitude (経度) in decimal degrees, such as 139.767125
    longitude: f64,
    #[serde(default)]
    limit: Limit,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NearTowns {
    /// Date of the data
    version: String,
    /// The nearest first
    towns: Vec<Town>,
    /// What the distances say, or why nothing was found
    hint: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Town {
    /// Prefecture, municipality, town (町域), chome and koaza in one line
    address: String,
    /// Code of the municipality (全国地方公共団体コード), five digits
    jisx0402: String,
    /// 郵便番号, seven digits; several if the town is divided
    postal_codes: Vec<String>,
    /// The area that the point represents: koaza, chome, town or city
    level: String,
    lat: f64,
    lon: f64,
    /// Metres from the location to the point
    distance: u64,
}

#[derive(Debug, Deserialize)]
struct NearResponse {
    version: String,
    data: Vec<Town>,
    reason: Option<String>,
    note: String,
}

impl Tool for FindTownsNear {
    const NAME: &'static str = "find_towns_near";
    const TITLE: &'static str = "Find the towns near a location (座標から住所)";
    const DESCRIPTION: &'static str = "Finds the towns (町域・丁目) of Japan whose representative points are nearest to a \
        latitude and longitude, within 10 km, with their postal codes (郵便番号) and the distance in metres. No boundary \
        is known: the location may lie in a neighbouring town.";
    const DATASET: Option<DatasetKind> = Some(PostalData::KIND);
    type Output = NearTowns;

    async fn call(self, client: &ApiClient) -> Result<NearTowns, ToolError> {
        let target = RequestTarget::new("/v1/reverse").with("lat", self.latitude);
        let target = target.with("lon", self.longitude).with("limit", self.limit.get());
        let NearResponse { version, data: towns, reason, note } = client.get(target).await?;
        let hint = match reason.as_deref() {
            None => note,
            Some("outside_japan") => {
                "nothing was found: the location is outside Japan; check that latitude and longitude are not exchanged"
                    .to_owned()
            }
            Some(_) => "nothing was found: no town has its point within 10 km".to_owned(),
        };
        Ok(NearTowns { version, towns, hint })
    }
}
