//! Schools, by code or by the words of their names and addresses.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::api::RequestTarget;
use crate::dataset::phrase::phrase;
use crate::dataset::school::SchoolData;
use crate::dataset::school::search::school_type;
use crate::dataset::school::syntax::{SchoolFacet, SchoolVocabulary};
use crate::mcp::tool::{ApiClient, Found, Limit, NonBlank, Tool, ToolError, Versioned, hint};
use crate::query::syntax::CodeFacet;
use crate::snapshot::{Dataset, DatasetKind};
use crate::text::codes::{SchoolCode, plain_code};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindSchools {
    /// Words that must all occur in the name or the address, separated by spaces, such as '日比谷高校 東京都', or a
    /// school code (学校コード), a letter and twelve digits
    text: NonBlank,
    #[serde(default)]
    limit: Limit,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Schools {
    /// Date of the data
    version: String,
    /// Number of matches, including closed schools
    count: u64,
    schools: Vec<School>,
    /// How to narrow or widen the search; absent if all rows are listed
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct School {
    /// 学校コード, a letter and twelve digits
    code: String,
    name: String,
    /// 学校種, such as 高等学校
    #[serde(
        rename(deserialize = "type"),
        deserialize_with = "type_in_words",
        skip_serializing_if = "Option::is_none"
    )]
    kind: Option<String>,
    /// 国立, 公立 or 私立
    #[serde(
        rename(deserialize = "establishment_type"),
        deserialize_with = "establishment_in_words",
        skip_serializing_if = "Option::is_none"
    )]
    established_by: Option<String>,
    /// 本校, 分校 or 廃校 (closed)
    #[serde(deserialize_with = "branch_in_words", skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// Address as published
    #[serde(rename(deserialize = "address_raw"))]
    address: String,
    /// Day on which it was closed, if known (属性情報廃止年月日)
    #[serde(rename(deserialize = "abolished_date"), skip_serializing_if = "Option::is_none")]
    closed_date: Option<String>,
    /// Codes of the schools that followed a closed one (移行後の学校コード)
    #[serde(rename(deserialize = "new_code"), skip_serializing_if = "Vec::is_empty")]
    successor_codes: Vec<String>,
}

fn type_in_words<'de, D: Deserializer<'de>>(code: D) -> Result<Option<String>, D::Error> {
    let number = school_type(&String::deserialize(code)?);
    Ok(number.and_then(|number| SchoolFacet::Type.word(number)).map(str::to_owned))
}

fn establishment_in_words<'de, D: Deserializer<'de>>(code: D) -> Result<Option<String>, D::Error> {
    Ok(SchoolFacet::EstablishmentType.word(u16::deserialize(code)?).map(str::to_owned))
}

fn branch_in_words<'de, D: Deserializer<'de>>(code: D) -> Result<Option<String>, D::Error> {
    Ok(SchoolFacet::Branch.word(u16::deserialize(code)?).map(str::to_owned))
}

impl FindSchools {
    /// The words, each as a phrase; a space between them means that all must match.
    fn query(&self) -> String {
        let words = self.text.as_str().split_whitespace().map(phrase::<SchoolVocabulary>);
        words.collect::<Vec<_>>().join(" ")
    }
}

impl Tool for FindSchools {
    const NAME: &'static str = "find_schools";
    const TITLE: &'static str = "Find schools (学校検索)";
    const DESCRIPTION: &'static str = "Finds Japanese schools (学校: 幼稚園 to 大学) by words of the name and the \
        address, or by the school code (学校コード) of the ministry of education (文部科学省). The word for the \
        founder (都立, 市立) may be left out, and 高校 and 高専 stand for the long words. Closed schools (廃校) are \
        included, with the codes of the schools that followed them. Needs the plan premium.";
    const DATASET: Option<DatasetKind> = Some(SchoolData::KIND);
    type Output = Schools;

    async fn call(self, client: &ApiClient) -> Result<Schools, ToolError> {
        let target = RequestTarget::new("/v1/school");
        if let Ok(code) = SchoolCode::parse(&plain_code(self.text.as_str())) {
            let target = target.with_segment(&code.to_string());
            let Versioned { version, data } = client.get(target).await?;
            return Ok(Schools { version, count: 1, schools: vec![data], hint: None });
        }
        let target = target.with("q", self.query()).with("limit", self.limit.get());
        let Found { version, data: schools, count } = client.get(target).await?;
        let widen = "use fewer words, and names as they are written (in kanji)";
        let narrow = "add a municipality or more of the name";
        let hint = hint(schools.len(), count, narrow, widen);
        Ok(Schools { version, count, schools, hint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::school::syntax::SchoolQuery;

    #[test]
    fn every_word_is_a_phrase_that_must_match() {
        for (text, expected) in [
            ("日比谷高校　東京都", "\"日比谷高校\" \"東京都\""),
            ("台帳 OR -大学", "\"台帳\" \"OR\" \"-大学\""),
            ("a\" code:F1 (x)", "\"a\\\"\" \"code:F1\" \"（x）\""),
        ] {
            let text = NonBlank::try_from(text.to_owned()).expect("a text");
            let query = FindSchools { text, limit: Limit::default() }.query();
            assert_eq!(query, expected);
            SchoolQuery::parse(&query).expect("the query is valid");
        }
    }
}
