//! Postal codes: looks up the places of a code, and searches for codes by the names of places and businesses.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::keyword::phrase;
use crate::api::RequestTarget;
use crate::dataset::postal::syntax::PostalVocabulary;
use crate::mcp::tool::{ApiClient, Found, Limit, NonBlank, Tool, ToolError, Versioned, hint};
use crate::text::codes::plain_code;

/// Maximum number of places in the answer; only a few codes have more.
const PLACES_MAX: usize = 30;

/// A place that has a postal code, or a business with a code of its own (大口事業所個別番号).
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Place {
    /// Seven digits
    postal_code: String,
    /// Code of the municipality (全国地方公共団体コード), five digits
    jisx0402: String,
    /// 都道府県
    prefecture: String,
    /// County, city and ward (郡・市区町村)
    city: String,
    /// Town area (町域); empty if the code covers the whole municipality
    town: String,
    /// Koaza, chome or 地割
    #[serde(default, skip_serializing_if = "String::is_empty")]
    koaza: String,
    /// Kyoto street name (通り名)
    #[serde(default, skip_serializing_if = "String::is_empty")]
    kyoto_street: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    building: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    floor: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    prefecture_kana: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    city_kana: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    town_kana: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    prefecture_roman: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    city_roman: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    town_roman: String,
    /// The business to which the code belongs (大口事業所)
    #[serde(rename = "corporation", skip_serializing_if = "Option::is_none")]
    business: Option<Business>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Business {
    name: String,
    /// Address of the business below the town (番地), as published
    block_lot: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Places {
    /// Date of the data
    version: String,
    /// Total number of places
    count: u64,
    places: Vec<Place>,
    /// How to find the other places; absent if all are listed
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupPostalCode {
    /// Seven digits, with or without a hyphen, such as 100-0001
    postal_code: String,
}

impl Tool for LookupPostalCode {
    const NAME: &'static str = "lookup_postal_code";
    const TITLE: &'static str = "Look up a postal code (郵便番号)";
    const DESCRIPTION: &'static str = "Looks up the places of a Japanese postal code (郵便番号). Returns \
        prefecture (都道府県), municipality (市区町村) and town area (町域) with readings in kana and Roman \
        letters, or the large business (大口事業所) to which the code belongs. A code may cover several towns.";
    type Output = Places;

    async fn call(self, client: &ApiClient) -> Result<Places, ToolError> {
        let target =
            RequestTarget::new("/v1/postalcode").with_segment(&plain_code(&self.postal_code));
        let Versioned::<Vec<Place>> { version, data: mut places } = client.get(target).await?;
        let count = places.len() as u64;
        places.truncate(PLACES_MAX);
        let hint = (count > places.len() as u64).then(|| {
            "use search_postal_codes with the name of a place to find the others".to_owned()
        });
        Ok(Places { version, count, places, hint })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchPostalCodes {
    /// Words that must all occur in the address or in the name of the business, separated by spaces, such as
    /// '六本木 ヒルズ'; at least one of them with two or more characters
    text: NonBlank,
    /// A prefecture (都道府県) in Japanese, such as 東京都
    prefecture: Option<String>,
    #[serde(default)]
    limit: Limit,
}

impl SearchPostalCodes {
    /// The words joined with AND. Without an operator, a query finds records with any of its words.
    fn query(&self) -> String {
        let words = self.text.as_str().split_whitespace().map(phrase::<PostalVocabulary>);
        let prefecture = self.prefecture.iter();
        let prefecture =
            prefecture.map(|name| format!("prefecture:{}", phrase::<PostalVocabulary>(name)));
        words.chain(prefecture).collect::<Vec<_>>().join(" AND ")
    }
}

impl Tool for SearchPostalCodes {
    const NAME: &'static str = "search_postal_codes";
    const TITLE: &'static str = "Search postal codes by names (郵便番号検索)";
    const DESCRIPTION: &'static str = "Finds postal codes by parts of place names, building names or names \
        of large businesses (大口事業所), in Japanese. For a whole address use normalize_address, which also \
        returns its code.";
    type Output = Places;

    async fn call(self, client: &ApiClient) -> Result<Places, ToolError> {
        let limit = self.limit.get();
        let target =
            RequestTarget::new("/v1/postalcode").with("q", self.query()).with("limit", limit);
        let Found { version, data: places, count } = client.get(target).await?;
        let hint = hint(places.len(), count, "add the prefecture or another word of the address");
        Ok(Places { version, count, places, hint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_phrase_that_must_match() {
        #[track_caller]
        fn check(text: &str, prefecture: Option<&str>, expected: &str) {
            let text = NonBlank::try_from(text.to_owned()).expect("a text");
            let prefecture = prefecture.map(str::to_owned);
            let arguments = SearchPostalCodes { text, prefecture, limit: Limit::default() };
            assert_eq!(arguments.query(), expected);
        }
        check("六本木　ヒルズ", None, "\"六本木\" AND \"ヒルズ\"");
        check("a OR -b", None, "\"a\" AND \"OR\" AND \"-b\"");
        check("\"\\", Some("東京都"), "\"\\\"\\\\\" AND prefecture:\"東京都\"");
    }
}
