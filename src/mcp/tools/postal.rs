//! Postal codes: looks up the places of a code, and searches for codes by the names of places and businesses.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::reading::{self, is_reading};
use crate::api::RequestTarget;
use crate::api::error::Code;
use crate::dataset::phrase::phrase;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::syntax::PostalVocabulary;
use crate::mcp::tool::{
    ApiClient, Found, Limit, NonBlank, Prefecture, Tool, ToolError, Versioned, hint, number_segment,
};
use crate::snapshot::{Dataset, DatasetKind};

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
    /// How to find the other places, why none was found, or how readings were read; absent if there is nothing to say
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupPostalCode {
    /// Seven digits, with or without a hyphen, such as 100-0001
    postal_code: NonBlank,
}

impl Tool for LookupPostalCode {
    const NAME: &'static str = "lookup_postal_code";
    const TITLE: &'static str = "Look up a postal code (郵便番号)";
    const DESCRIPTION: &'static str = "Looks up the places of a Japanese postal code (郵便番号). Returns \
        prefecture (都道府県), municipality (市区町村) and town area (町域) with readings in kana and Roman \
        letters, or the large business (大口事業所) to which the code belongs. A code may cover several towns.";
    const DATASET: Option<DatasetKind> = Some(PostalData::KIND);
    type Output = Places;

    async fn call(self, client: &ApiClient) -> Result<Places, ToolError> {
        let code = number_segment(&self.postal_code, Code::InvalidPostalCode)?;
        let target = RequestTarget::new("/v1/postalcode").with_segment(&code);
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
    /// '六本木 ヒルズ'; at least one of them with two or more characters. The reading of a place in kana or Roman letters,
    /// such as まるのうち, works too
    text: NonBlank,
    prefecture: Option<Prefecture>,
    #[serde(default)]
    limit: Limit,
}

/// Most combinations of names for readings in one search.
const COMBINATIONS_MAX: usize = 16;

impl SearchPostalCodes {
    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.as_str().split_whitespace()
    }

    /// The words joined with AND. Without an operator, a query finds records with any of its words.
    fn query(&self) -> String {
        self.all_of(self.words())
    }

    fn all_of<'w>(&self, words: impl Iterator<Item = &'w str>) -> String {
        let words = words.map(phrase::<PostalVocabulary>);
        let prefecture = self.prefecture.iter();
        let prefecture =
            prefecture.map(|it| format!("prefecture:{}", phrase::<PostalVocabulary>(it.name())));
        words.chain(prefecture).collect::<Vec<_>>().join(" AND ")
    }

    /// The words with names in place of readings, one query for each combination, joined with OR, which binds weaker.
    fn query_of_names(&self, readings: &[(&str, Vec<String>)]) -> String {
        let mut combinations: Vec<Vec<&str>> = vec![Vec::new()];
        for word in self.words() {
            let names = readings.iter().find(|(reading, _)| *reading == word);
            let names =
                names.map_or(vec![word], |(_, names)| names.iter().map(|it| &**it).collect());
            let longer = combinations
                .iter()
                .flat_map(|before| names.iter().map(|name| [&before[..], &[*name]].concat()));
            combinations = longer.take(COMBINATIONS_MAX).collect();
        }
        let queries = combinations.into_iter().map(|words| self.all_of(words.into_iter()));
        queries.collect::<Vec<_>>().join(" OR ")
    }

    /// The words that are readings of places, each with the names of these places.
    async fn readings(&self, client: &ApiClient) -> Result<Vec<(&str, Vec<String>)>, ToolError> {
        let mut readings = Vec::new();
        for word in self.words().filter(|word| is_reading(word)) {
            let names =
                reading::names_of(client, word, self.prefecture, reading::Places::All).await?;
            if !names.is_empty() {
                readings.push((word, names));
            }
        }
        Ok(readings)
    }

    async fn find(&self, client: &ApiClient, query: String) -> Result<Found<Place>, ToolError> {
        let target = RequestTarget::new("/v1/postalcode").with("q", query);
        client.get(target.with("limit", self.limit.get())).await
    }

    /// What to do if nothing has all of the words.
    fn advice(&self) -> String {
        let words = "use fewer words, names as they are written (in kanji), or normalize_address for a whole address";
        match self.prefecture {
            Some(prefecture) => format!("leave out the prefecture {}, {words}", prefecture.name()),
            None => words.to_owned(),
        }
    }
}

impl Tool for SearchPostalCodes {
    const NAME: &'static str = "search_postal_codes";
    const TITLE: &'static str = "Search postal codes by names (郵便番号検索)";
    const DESCRIPTION: &'static str = "Finds postal codes by parts of place names, building names or names \
        of large businesses (大口事業所), in Japanese. For a whole address use normalize_address, which also \
        returns its code.";
    const DATASET: Option<DatasetKind> = Some(PostalData::KIND);
    type Output = Places;

    async fn call(self, client: &ApiClient) -> Result<Places, ToolError> {
        let mut found = self.find(client, self.query()).await?;
        let mut readings = Vec::new();
        if found.count == 0 {
            readings = self.readings(client).await?;
            if !readings.is_empty() {
                found = self.find(client, self.query_of_names(&readings)).await?;
            }
        }
        let Found { version, data: places, count } = found;
        let narrow = "add the prefecture or another word of the address";
        let hint = hint(places.len(), count, narrow, &self.advice());
        let told = (!readings.is_empty()).then(|| reading::told(&readings));
        let hint = told.into_iter().chain(hint).reduce(|told, hint| format!("{told}; {hint}"));
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
            let prefecture =
                prefecture.map(|name| Prefecture::try_from(name.to_owned()).expect("a prefecture"));
            let arguments = SearchPostalCodes { text, prefecture, limit: Limit::default() };
            assert_eq!(arguments.query(), expected);
        }
        check("六本木　ヒルズ", None, "\"六本木\" AND \"ヒルズ\"");
        check("a OR -b", None, "\"a\" AND \"OR\" AND \"-b\"");
        check("\"\\", Some("東京都"), "\"\\\"\\\\\" AND prefecture:\"東京都\"");
    }

    #[test]
    fn readings_are_searched_by_each_of_their_names() {
        let arguments = r#"{"text":"まるのうち とうきょう ビル","prefecture":"Tokyo"}"#;
        let arguments: SearchPostalCodes = serde_json::from_str(arguments).expect("arguments");
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let readings =
            [("まるのうち", names(&["丸の内", "丸之内"])), ("とうきょう", names(&["東京都"]))];
        assert_eq!(
            arguments.query_of_names(&readings),
            "\"丸の内\" AND \"東京都\" AND \"ビル\" AND prefecture:\"東京都\" OR \
             \"丸之内\" AND \"東京都\" AND \"ビル\" AND prefecture:\"東京都\""
        );
    }
}
