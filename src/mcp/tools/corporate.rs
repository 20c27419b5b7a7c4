//! Corporations: looks them up by number, with their changes, and searches by name and place.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Deserializer, Serialize};

use super::reading::{self, is_reading};
use crate::api::RequestTarget;
use crate::api::error::Code;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::history::ChangeKind;
use crate::dataset::corporate::syntax::CorporateVocabulary;
use crate::dataset::phrase::phrase;
use crate::index::attributes::Attribute;
use crate::mcp::tool::{
    ApiClient, Found, Limit, NonBlank, Prefecture, Tool, ToolError, Versioned, hint, number_segment,
};
use crate::query::syntax::CodeFacet;
use crate::snapshot::{Dataset, DatasetKind};
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{self, Form};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Corporation {
    /// 法人番号, thirteen digits
    corporate_number: String,
    name: String,
    /// The former name by which a search found it; absent if it was found by its present name
    #[serde(default, skip_serializing_if = "Option::is_none")]
    former_name: Option<String>,
    /// Reading of the name in katakana
    #[serde(skip_serializing_if = "String::is_empty")]
    furigana: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    en_name: String,
    /// 法人種別, such as 株式会社
    #[serde(deserialize_with = "kind_in_words", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(flatten, deserialize_with = "registered_place")]
    place: RegisteredPlace,
    /// Day on which the number was assigned (法人番号指定年月日)
    #[serde(skip_serializing_if = "Option::is_none")]
    assignment_date: Option<String>,
    /// Day of the newest entry (更新年月日)
    #[serde(skip_serializing_if = "Option::is_none")]
    update_date: Option<String>,
    /// Day on which the register was closed (登記記録の閉鎖等年月日); absent while it is open
    #[serde(skip_serializing_if = "Option::is_none")]
    close_date: Option<String>,
    /// 登記記録の閉鎖等の事由
    #[serde(deserialize_with = "cause_in_words", skip_serializing_if = "Option::is_none")]
    close_cause: Option<String>,
    /// Number of the corporation that took it over (承継先法人番号)
    #[serde(skip_serializing_if = "Option::is_none")]
    successor_corporate_number: Option<String>,
    /// Details of the newest change from the register, in Japanese
    #[serde(skip_serializing_if = "String::is_empty")]
    change_cause: String,
    /// Registration number as a qualified invoice issuer, if registered on the day of the data; absent without a
    /// register of invoice issuers
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_invoice_issuer_number: Option<String>,
}

impl Corporation {
    /// The corporation without its number of an invoice issuer if no register says that it is one.
    fn with_known_issuer(mut self, client: &ApiClient) -> Corporation {
        if !client.has_register() {
            self.qualified_invoice_issuer_number = None;
        }
        self
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RegisteredPlace {
    /// Registered address (本店又は主たる事務所の所在地)
    address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<String>,
}

/// Joins the parts of the address in Japan, or takes the address abroad.
fn registered_place<'de, D: Deserializer<'de>>(record: D) -> Result<RegisteredPlace, D::Error> {
    #[derive(Deserialize)]
    struct Record {
        address: Address,
        address_outside: String,
    }
    #[derive(Deserialize)]
    struct Address {
        postal_code: Option<String>,
        prefecture: Option<String>,
        city: String,
        street_number: String,
    }
    let Record { address, address_outside } = Record::deserialize(record)?;
    let Address { postal_code, prefecture, city, street_number } = address;
    let address = match address_outside.is_empty() {
        true => [prefecture.unwrap_or_default(), city, street_number].concat(),
        false => address_outside,
    };
    Ok(RegisteredPlace { address, postal_code })
}

fn kind_in_words<'de, D: Deserializer<'de>>(kind: D) -> Result<Option<String>, D::Error> {
    Ok(Attribute::Kind.word(u16::deserialize(kind)?).map(str::to_owned))
}

fn cause_in_words<'de, D: Deserializer<'de>>(cause: D) -> Result<Option<String>, D::Error> {
    let cause = Option::<u16>::deserialize(cause)?;
    Ok(cause.and_then(|cause| Attribute::CloseCause.word(cause)).map(str::to_owned))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Change {
    /// Kind of change; removed means that the data no longer contain the number
    #[schemars(extend("enum" = ChangeKind::WORDS))]
    kind: String,
    /// Day of the change; absent if the register does not give it
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Date of the oldest data version that contains the change
    version: String,
    /// The previous value; absent if unknown
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The new value; absent if there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// 登記記録の閉鎖等の事由
    #[serde(deserialize_with = "cause_in_words", skip_serializing_if = "Option::is_none")]
    close_cause: Option<String>,
    /// Number of the corporation that took it over (承継先法人番号)
    #[serde(skip_serializing_if = "Option::is_none")]
    successor_corporate_number: Option<String>,
    /// Details of a closing or merger from the register, in Japanese
    #[serde(skip_serializing_if = "Option::is_none")]
    change_cause: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupCorporation {
    /// A corporate number (法人番号), thirteen digits; the T of a registration number may stand before them
    corporate_number: NonBlank,
    /// Whether to include changes: former names and addresses, closing, mergers
    #[serde(default)]
    history: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CorporationFound {
    /// Date of the data
    version: String,
    /// Absent if the newest data no longer contain the number
    #[serde(skip_serializing_if = "Option::is_none")]
    corporation: Option<Corporation>,
    /// With history: the changes between the server's data versions, oldest first. Changes before its oldest version
    /// are unknown
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<Change>>,
}

impl Tool for LookupCorporation {
    const NAME: &'static str = "lookup_corporation";
    const TITLE: &'static str = "Look up a corporation by number (法人番号)";
    const DESCRIPTION: &'static str = "Looks up a corporation by its Japanese corporate number (法人番号, \
        thirteen digits). Returns its name, reading, kind and registered address, whether and why it was closed, \
        its successor, and whether it is a qualified invoice issuer if the server has their register. With history, also returns its changes of \
        name and address (変更履歴). The source is the register of the National Tax Agency \
        (国税庁法人番号公表サイト).";
    const DATASET: Option<DatasetKind> = Some(CorporateData::KIND);
    type Output = CorporationFound;

    async fn call(self, client: &ApiClient) -> Result<CorporationFound, ToolError> {
        let number = number_segment(&self.corporate_number, Code::InvalidCorporateNumber)?;
        let number =
            number.strip_prefix(['T', 't']).filter(|rest| !rest.is_empty()).unwrap_or(&number);
        let target = RequestTarget::new("/v1/houjinbangou").with_segment(number);
        if !self.history {
            let Versioned { version, data } = client.get(target).await?;
            let corporation = Some(Corporation::with_known_issuer(data, client));
            return Ok(CorporationFound { version, corporation, changes: None });
        }
        let history = target.clone().with_segment("history");
        let Versioned { version, data: changes } = client.get(history).await?;
        // Request the same version, even if a newer one is loaded in between.
        let corporation = match client.get(target.with("version", &version)).await {
            Ok(Versioned { data, .. }) => Some(Corporation::with_known_issuer(data, client)),
            // The newest version may lack a number that an older one has.
            Err(error) if error.has_code(Code::NoSuchCorporation) => None,
            Err(error) => return Err(error),
        };
        Ok(CorporationFound { version, corporation, changes: Some(changes) })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchCorporations {
    /// The name, its reading or its English name, as people write it, such as 台帳 or ㈱台帳; with match partial a part of it
    name: NonBlank,
    prefecture: Option<Prefecture>,
    /// A municipality (市区町村), such as 千代田区; its reading works too
    city: Option<NonBlank>,
    #[serde(default, rename = "match")]
    matched: Match,
    #[serde(default)]
    limit: Limit,
}

/// How names are matched
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, derive_more::Display,
)]
#[display(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Match {
    /// The name as people write it: other kana, marks, spaces and legal forms, a typing error
    #[default]
    Loose,
    /// The name, reading or English name contains the text
    Partial,
    /// The name without its kind word (株式会社 and the like) equals the text; a text with a kind word is compared with
    /// whole names
    Exact,
    /// The whole name equals the text
    ExactWithKind,
}

impl SearchCorporations {
    fn query(&self, city: Option<&str>) -> String {
        let mut query = phrase::<CorporateVocabulary>(self.name.as_str());
        let prefecture = self.prefecture.map(Prefecture::name);
        for (field, value) in [("prefecture_name", prefecture), ("city_name", city)] {
            if let Some(value) = value {
                let keyword = phrase::<CorporateVocabulary>(value);
                query.push_str(&format!(" AND {field}:{keyword}"));
            }
        }
        query
    }

    async fn find(
        &self,
        client: &ApiClient,
        matched: Match,
        city: Option<&str>,
    ) -> Result<Found<Corporation>, ToolError> {
        let target = RequestTarget::new("/v1/houjinbangou")
            .with("q", self.query(city))
            .with("mode", matched)
            .with("limit", self.limit.get());
        client.get(target).await
    }

    /// Whether the name has a kind word, so that no name without one equals it.
    fn has_kind_word(&self) -> bool {
        let name = folded(self.name.as_str().trim(), Level::Kanji);
        kind_words::split(&kind_words::expand(&name, Level::Kanji), Level::Kanji).1 != Form::NONE
    }

    /// What to do if nothing was found.
    fn advice(&self) -> String {
        let by_match = match self.matched {
            Match::Loose => "use a part of the name with match partial",
            Match::Partial => "use a shorter part of the name, or match loose for other spellings",
            Match::Exact => "use match loose, which finds other spellings, or match partial",
            Match::ExactWithKind => {
                "the whole name must be equal: use match exact without the kind word, or match loose"
            }
        };
        let place = match (self.prefecture, &self.city) {
            (None, None) => String::new(),
            (prefecture, city) => {
                let names = prefecture.map(Prefecture::name).into_iter();
                let names = names.chain(city.iter().map(NonBlank::as_str)).collect::<Vec<_>>();
                format!("; or leave out the place ({})", names.join(", "))
            }
        };
        by_match.to_owned() + &place
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CorporationsFound {
    /// Date of the data
    version: String,
    /// Number of matches, including closed corporations
    count: u64,
    corporations: Vec<Corporation>,
    /// How to narrow or widen the search, and what the data lack; absent if there is nothing to say
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Tool for SearchCorporations {
    const NAME: &'static str = "search_corporations";
    const TITLE: &'static str = "Search corporations by name (法人検索)";
    const DESCRIPTION: &'static str = "Finds Japanese corporations (法人) by name, reading (フリガナ) or \
        English name, in all of Japan or in a prefecture or municipality, and returns them with their corporate \
        numbers (法人番号). Closed corporations are included and have close_date. For the history of a \
        corporation use lookup_corporation.";
    const DATASET: Option<DatasetKind> = Some(CorporateData::KIND);
    type Output = CorporationsFound;

    async fn call(self, client: &ApiClient) -> Result<CorporationsFound, ToolError> {
        let city = self.city.as_ref().map(NonBlank::as_str);
        let mut matched = self.matched;
        let mut found = self.find(client, matched, city).await?;
        let mut told = Vec::new();
        if found.count == 0 && matched == Match::Exact && self.has_kind_word() {
            matched = Match::ExactWithKind;
            found = self.find(client, matched, city).await?;
            told.push("the text has a kind word, so it was compared with whole names".to_owned());
        }
        if let Some(reading) = city.filter(|city| found.count == 0 && is_reading(city)) {
            let places = reading::Places::Municipalities;
            // Without postal data no readings are known.
            let names = reading::names_of(client, reading, self.prefecture, places).await;
            if let Some(name) = names.unwrap_or_default().into_iter().next() {
                found = self.find(client, matched, Some(&name)).await?;
                told.push(reading::told(&[(reading, vec![name])]));
            }
        }
        let Found { version, data, count } = found;
        let narrow = "add prefecture and city, or match by exact name";
        told.extend(hint(data.len(), count, narrow, &self.advice()));
        told.extend(client.coverage_hint());
        let hint = (!told.is_empty()).then(|| told.join("; "));
        let known = |found| Corporation::with_known_issuer(found, client);
        let corporations = data.into_iter().map(known).collect();
        Ok(CorporationsFound { version, count, corporations, hint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::corporate::syntax::CorporateQuery;

    #[test]
    fn a_query_has_the_name_as_a_phrase_and_the_place_in_its_own_fields() {
        let arguments = |text: &str| {
            serde_json::from_str::<SearchCorporations>(text).map(|arguments: SearchCorporations| {
                let city = arguments.city.as_ref().map(NonBlank::as_str);
                arguments.query(city)
            })
        };
        for (text, expected) in [
            (r#"{"name":"台帳"}"#, "\"台帳\""),
            (r#"{"name":"(株)台帳 OR"}"#, "\"（株）台帳 OR\""),
            (r#"{"name":"L'Oréal"}"#, "\"L＇Oréal\""),
            (r#"{"name":"a[b]","city":"{'}"}"#, "\"a［b］\" AND city_name:\"｛＇｝\""),
            (r#"{"name":"a","prefecture":"tokyo"}"#, "\"a\" AND prefecture_name:\"東京都\""),
            (
                r#"{"name":"a\"b","prefecture":"東京都","city":"港区","match":"exact","limit":1}"#,
                "\"a\\\"b\" AND prefecture_name:\"東京都\" AND city_name:\"港区\"",
            ),
        ] {
            let query = arguments(text).expect("arguments");
            assert_eq!(query, expected);
            CorporateQuery::parse(&query).expect("the query is valid");
        }
        for wrong in [
            r#"{}"#,
            r#"{"name":"a","prefecture":"関東"}"#,
            r#"{"name":"a","city":""}"#,
            r#"{"name":1}"#,
            r#"{"name":"a","match":"x"}"#,
            r#"{"name":"a","q":1}"#,
        ] {
            assert!(arguments(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_kind_word_is_seen_in_every_spelling() {
        for (name, expected) in [
            ("株式会社鳥取銀行", true),
            ("鳥取銀行㈱", true),
            ("(株) 鳥取銀行", true),
            ("鳥取銀行", false),
            ("株式会社", false),
        ] {
            let arguments = format!(r#"{{"name":"{name}"}}"#);
            let arguments: SearchCorporations =
                serde_json::from_str(&arguments).expect("arguments");
            assert_eq!(arguments.has_kind_word(), expected, "{name}");
        }
    }
}
