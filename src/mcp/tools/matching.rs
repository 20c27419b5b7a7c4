//! From a name and an address to a corporate number.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::api::RequestTarget;
use crate::dataset::corporate::CorporateData;
use crate::mcp::tool::{ApiClient, NonBlank, Tool, ToolError, Versioned};
use crate::snapshot::{Dataset, DatasetKind};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchCorporation {
    /// The name as it was written, such as （株）台帳 or ダイチョウ
    name: NonBlank,
    /// The address as it was written
    address: Option<String>,
    /// The postal code, such as 100-0004
    postal_code: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Matched {
    /// Date of the data
    version: String,
    #[serde(flatten)]
    matched: MatchFound,
}

/// The match of a name
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct MatchFound {
    /// exact, probable, review (a person must decide) or none
    match_level: String,
    /// The number of an exact or probable match
    #[serde(skip_serializing_if = "Option::is_none")]
    corporate_number: Option<String>,
    /// Points of the first candidate, 0 to 100
    match_score: u32,
    /// What speaks for the first candidate and against it; without a candidate why there is none
    match_reason: String,
    /// At most five, the likeliest first
    candidates: Vec<MatchedCandidate>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct MatchedCandidate {
    corporate_number: String,
    name: String,
    address: String,
    match_score: u32,
    match_reason: String,
    /// Absent while it is open
    #[serde(skip_serializing_if = "Option::is_none")]
    close_date: Option<String>,
    /// Number of the corporation that took it over (承継先法人番号)
    #[serde(skip_serializing_if = "Option::is_none")]
    successor_corporate_number: Option<String>,
}

impl Tool for MatchCorporation {
    const NAME: &'static str = "match_corporation";
    const TITLE: &'static str = "Match a name and an address to a corporation (名寄せ)";
    const DESCRIPTION: &'static str = "Finds the corporate number (法人番号) of a company as a customer table or an \
        invoice writes it: the name with or without its legal form, in any spelling, perhaps with an address or a postal \
        code. Says how sure the match is and why, and never decides between two open corporations that fit equally: \
        then match_level is review, and candidates lists them.";
    const DATASET: Option<DatasetKind> = Some(CorporateData::KIND);
    type Output = Matched;

    async fn call(self, client: &ApiClient) -> Result<Matched, ToolError> {
        let mut target =
            RequestTarget::new("/v1/match/corporation").with("name", self.name.as_str());
        for (parameter, value) in [("address", &self.address), ("postal_code", &self.postal_code)] {
            if let Some(value) = value {
                target = target.with(parameter, value);
            }
        }
        let Versioned { version, data: mut matched } =
            client.get::<Versioned<MatchFound>>(target).await?;
        if matched.candidates.is_empty() {
            let why = "no corporation of the data has a similar name".to_owned();
            let why = [Some(why), client.coverage_hint()].into_iter().flatten().collect::<Vec<_>>();
            matched.match_reason = why.join("; ");
        }
        Ok(Matched { version, matched })
    }
}
