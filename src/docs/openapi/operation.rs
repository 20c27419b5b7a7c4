//! An endpoint with one of its methods as an operation of the document: its name, from which code generators derive
//! function names, its parameters, and its responses, of which there is one for each error status.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::schema::Schemas;
use crate::api::endpoint::{Content, Endpoint, Handler, Parameter, Verb};
use crate::api::error::Code;
use crate::api::shape::Shape;
use crate::api::table::{ROOT, Resource};
use crate::api::words::{Words, words};
use crate::language::Language;
use crate::text::codes::ApiVersion;

const API_VERSION: Words = words(
    "The API version of the response; default: the setting of the account, or the newest",
    "応答のAPIバージョン。省略するとアカウントの設定（なければ最新）",
);

const IF_NONE_MATCH: Words = words(
    "The ETag of a response that the client has; 304 if it is still current",
    "取得済みの応答のETag。変わっていなければ304",
);

impl Schemas {
    pub fn operation(&mut self, resource: &Resource, endpoint: &Endpoint, method: Verb) -> Value {
        let language = self.language;
        let mut operation = json!({
            "operationId": id(endpoint, method),
            "tags": [resource.name],
            "summary": language.text(endpoint.summary),
            "parameters": self.parameters(endpoint, method),
            "responses": all(self, endpoint, method),
        });
        match endpoint.needs {
            None => operation["security"] = json!([]),
            Some(needs) if needs.secret_key => operation["security"] = json!([{"Token": []}]),
            // The default of the document: a public key may be in the URL.
            Some(_) => {}
        }
        if method == Verb::Post {
            let schema = match endpoint.body {
                Some(object) => self.reference(object),
                None => self.search_body(endpoint),
            };
            let mut content = json!({"schema": schema});
            if let Ok(example) = serde_json::from_str::<Value>(endpoint.example_body) {
                content["example"] = example;
            }
            operation["requestBody"] =
                json!({"required": true, "content": {"application/json": content}});
        }
        operation
    }

    /// The parameters of the path, then of the query string, then the headers.
    fn parameters(&mut self, endpoint: &Endpoint, method: Verb) -> Vec<Value> {
        let examples = examples(endpoint);
        let version = self.version;
        let is_search = method == Verb::Post && endpoint.method == Verb::Get;
        let mut parameters: Vec<Value> = endpoint
            .parameters
            .iter()
            .filter(|known| known.since <= version)
            // A search by `POST` has them in its body.
            .filter(|known| !is_search || endpoint.has_path_parameter(known.name))
            .map(|known| self.parameter(endpoint, known, &examples))
            .collect();
        if endpoint.needs.is_some() {
            parameters.push(json!({
                "name": "API-Version",
                "in": "header",
                "description": self.language.text(API_VERSION),
                "schema": {"type": "string", "enum": [self.version.as_str()]},
            }));
        }
        if method == Verb::Get && is_tagged(endpoint) {
            parameters.push(json!({
                "name": "If-None-Match",
                "in": "header",
                "description": self.language.text(IF_NONE_MATCH),
                "schema": {"type": "string"},
            }));
        }
        parameters
    }

    fn parameter(
        &mut self,
        endpoint: &Endpoint,
        parameter: &Parameter,
        examples: &HashMap<String, String>,
    ) -> Value {
        let is_in_path = endpoint.has_path_parameter(parameter.name);
        let example = examples.get(parameter.name).map_or(parameter.example, |value| value);
        let mut schema = self.parameter_schema(&parameter.shape);
        if parameter.is_required && matches!(parameter.shape, Shape::Text) {
            schema["minLength"] = 1.into();
        }
        json!({
            "name": parameter.name,
            "in": if is_in_path { "path" } else { "query" },
            "required": is_in_path || parameter.is_required,
            "description": self.language.text(parameter.meaning),
            "schema": schema,
            "example": match parameter.shape {
                Shape::Whole { .. } => example.parse::<u64>().map_or(example.into(), Value::from),
                _ => example.into(),
            },
        })
    }

    /// The parameters of a search as members of a body.
    fn search_body(&mut self, endpoint: &Endpoint) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let version = self.version;
        let known = endpoint.parameters.iter().filter(|known| known.since <= version);
        for parameter in known {
            let mut schema = self.member_schema(&parameter.shape);
            if parameter.is_required {
                schema = json!({"type": "string", "minLength": 1});
                required.push(parameter.name);
            }
            schema["description"] = self.language.text(parameter.meaning).into();
            properties.insert(parameter.name.to_owned(), schema);
        }
        let mut schema =
            json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }
}

/// The parameter values in the example of an endpoint.
fn examples(endpoint: &Endpoint) -> HashMap<String, String> {
    let (path, query) = endpoint.example.split_once('?').unwrap_or((endpoint.example, ""));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut found: HashMap<String, String> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), decoded(value)))
        .collect();
    for (index, name) in endpoint.path_parameters() {
        if let Some(value) = path.split('/').nth(index) {
            found.insert(name.to_owned(), decoded(value));
        }
    }
    found
}

/// The response headers, each described once.
const HEADERS: &[(&str, Words)] = &[
    ("API-Version", words("The API version of this answer", "この応答のAPIバージョン")),
    (
        "ETag",
        words(
            "Changes when the response may have changed; send it back in If-None-Match",
            "応答が変わりうるときに変わる。If-None-Matchで送り返す",
        ),
    ),
    (
        "Daicho-Notice",
        words(
            "Reports parameters that have no effect and the age of the data",
            "効果のないパラメーターや、データの古さを知らせる",
        ),
    ),
    (
        "RateLimit",
        words(
            "Remaining quota, and the seconds until it is full again",
            "利用上限までの残りと、すべて回復するまでの秒数",
        ),
    ),
    ("RateLimit-Policy", words("The quotas of the account", "アカウントの利用上限")),
    ("Retry-After", words("Seconds to wait before retrying", "再試行までの秒数")),
    (
        "X-Request-Id",
        words(
            "Id of the request in the log of the server",
            "サーバーのログに記録されるリクエストID",
        ),
    ),
    ("WWW-Authenticate", words("The expected authentication scheme", "必要な認証方式")),
    ("Allow", words("The methods that the path accepts", "パスが受け付けるメソッド")),
    (
        "Content-Range",
        words("The returned range of the file, or its length", "ファイルの範囲または長さ"),
    ),
];

const UNCHANGED: Words =
    words("The response that the client has is still current", "取得済みの応答から変わっていない");

const PART: Words = words("The requested part of the file", "リクエストされた範囲");

/// The headers as components of the document.
pub fn headers(language: Language) -> Value {
    let header = |(name, meaning): &(&str, Words)| {
        let description = language.text(*meaning);
        ((*name).to_owned(), json!({"description": description, "schema": {"type": "string"}}))
    };
    HEADERS.iter().map(header).collect::<Map<String, Value>>().into()
}

pub fn is_tagged(endpoint: &Endpoint) -> bool {
    endpoint.path.starts_with(ROOT)
        && endpoint.handler.starts_on_connection()
        && endpoint.path != "/v1/whoami"
}

pub fn all(schemas: &mut Schemas, endpoint: &Endpoint, method: Verb) -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), success(schemas, endpoint, method));
    let language = schemas.language;
    let is_file = matches!(endpoint.content, Content::Other("application/x-xz"));
    if is_file {
        let mut part = success(schemas, endpoint, method);
        part["description"] = language.text(PART).into();
        part["headers"]["Content-Range"] = reference("Content-Range");
        responses.insert("206".to_owned(), part);
    }
    if method == Verb::Get && is_tagged(endpoint) {
        let headers = json!({"ETag": reference("ETag")});
        let unchanged = json!({"description": language.text(UNCHANGED), "headers": headers});
        responses.insert("304".to_owned(), unchanged);
    }
    let codes = endpoint.errors_of(method);
    for codes in codes.chunk_by(|one, other| one.status() == other.status()) {
        let status = codes[0].status().as_str().to_owned();
        let mut failure = failure(codes, language);
        // With nothing loaded, its body is its own and not an error.
        if endpoint.path == "/readyz" && status == "503" {
            let own = responses["200"]["content"]["application/json"]["schema"].clone();
            let schema = &mut failure["content"]["application/json"]["schema"];
            *schema = json!({"anyOf": [own, schema.take()]});
        }
        responses.insert(status, failure);
    }
    responses.into()
}

fn success(schemas: &mut Schemas, endpoint: &Endpoint, method: Verb) -> Value {
    let mut names = Vec::new();
    if endpoint.needs.is_some() {
        names.extend(["API-Version", "Daicho-Notice", "RateLimit", "RateLimit-Policy"]);
    }
    if is_tagged(endpoint) {
        names.push("ETag");
    }
    let headers: Map<String, Value> =
        names.into_iter().map(|name| (name.to_owned(), reference(name))).collect();
    let mut response =
        json!({"description": schemas.language.text(endpoint.answer), "headers": headers});
    match endpoint.content {
        Content::Nothing => {}
        Content::Json(object) => {
            let mut content = json!({"schema": schemas.reference(object)});
            let is_newest = schemas.version == ApiVersion::NEWEST;
            if let Some(answer) = recorded_answer(&id(endpoint, method)).filter(|_| is_newest)
                && let Ok(example) = serde_json::from_str::<Value>(answer)
            {
                content["example"] = example;
            }
            response["content"] = json!({"application/json": content});
        }
        Content::Other(media) => {
            let schema = match media.starts_with("text/") || media.contains("openmetrics") {
                true => json!({"type": "string"}),
                false => json!({}),
            };
            response["content"] = json!({media: {"schema": schema}});
        }
    }
    response
}

fn failure(codes: &[Code], language: Language) -> Value {
    let status = codes[0].status();
    let line = |code: &Code| format!("- `{}`: {}", code.as_str(), language.text(code.title()));
    let lines: Vec<String> = codes.iter().map(line).collect();
    let names: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let mut headers = Map::new();
    for name in headers_of(status.as_u16()) {
        headers.insert((*name).to_owned(), reference(name));
    }
    json!({
        "description": lines.join("\n"),
        "headers": headers,
        "content": {"application/json": {"schema": {"allOf": [
            {"$ref": "#/components/schemas/Error"},
            {"type": "object", "properties": {
                "code": {"enum": names},
                "status": {"const": status.as_u16()},
            }},
        ]}}},
    })
}

fn headers_of(status: u16) -> &'static [&'static str] {
    match status {
        401 => &["WWW-Authenticate"],
        405 => &["Allow"],
        416 => &["Content-Range"],
        429 => &["Retry-After", "RateLimit", "RateLimit-Policy"],
        500 => &["X-Request-Id"],
        503 => &["Retry-After"],
        _ => &[],
    }
}

fn reference(header: &str) -> Value {
    json!({"$ref": format!("#/components/headers/{header}")})
}

/// The documented methods of an endpoint, with their names in OpenAPI.
pub fn methods(endpoint: &Endpoint) -> Vec<(Verb, &'static str)> {
    match (endpoint.method, endpoint.handler) {
        (Verb::Post, _) => vec![(Verb::Post, "post")],
        (Verb::Get, Handler::Search(_)) => vec![(Verb::Get, "get"), (Verb::Post, "post")],
        (Verb::Get, _) => vec![(Verb::Get, "get")],
    }
}

/// The name of an operation, which stays the same: `getBankByBankBranches` for `GET /v1/bank/{bank}/branches`.
pub fn id(endpoint: &Endpoint, method: Verb) -> String {
    let mut id = match method {
        Verb::Get => "get".to_owned(),
        Verb::Post => "post".to_owned(),
    };
    let path = endpoint.path.strip_prefix("/v1").unwrap_or(endpoint.path);
    for part in path.split(['/', '_', '.', '-']) {
        let (by, name) = match part.strip_prefix('{') {
            Some(name) => ("By", name.trim_end_matches('}')),
            None => ("", part),
        };
        let mut letters = name.chars();
        id.push_str(by);
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.extend(letters);
    }
    id
}

/// The recorded answer of an operation, indented; `None` if there is none.
pub fn recorded_answer(operation: &str) -> Option<&'static str> {
    /// For each operation a heading and its answer in a block of JSON, which a test records over the sample data.
    const ANSWERS: &str = include_str!("../../../docs/answers.md");
    let mut sections = ANSWERS.split("\n## ").skip(1);
    let section = sections.find(|section| section.lines().next() == Some(operation))?;
    let (_, block) = section.split_once("```json\n")?;
    block.split_once("\n```").map(|(answer, _)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::table::TABLE;

    #[test]
    fn the_values_of_an_example_come_from_its_target() {
        let endpoint = TABLE.iter().find(|known| known.path == "/v1/invoice/{number}");
        let found = examples(endpoint.expect("the table has it"));
        assert_eq!(found["number"], "T6010001999901");
        assert_eq!(found["date"], "2026-04-01");
    }
}

#[cfg(test)]
mod responses_tests {
    use super::*;
    use crate::api::endpoint::Handler;
    use crate::api::table::TABLE;

    #[test]
    fn every_error_code_is_documented_at_an_endpoint() {
        let documented: Vec<Code> = TABLE
            .iter()
            .flat_map(|endpoint| [Verb::Get, Verb::Post].map(|verb| endpoint.errors_of(verb)))
            .flatten()
            .collect();
        for code in Code::ALL {
            assert!(documented.contains(code), "{code:?}");
        }
    }

    #[test]
    fn only_paths_of_data_list_missing_and_damaged_data() {
        let errors = |path| {
            let endpoint = TABLE.iter().find(|endpoint| endpoint.path == path);
            endpoint.expect("an endpoint").errors_of(Verb::Get)
        };
        let metrics = errors("/metrics");
        assert!(metrics.contains(&Code::InvalidToken));
        assert!(!metrics.contains(&Code::NoData) && !metrics.contains(&Code::DamagedData));
        assert!(errors("/v1/houjinbangou/radar/{date}").contains(&Code::DamagedData));
        let download = errors("/v1/download/postalcode/latest/kenall.json.xz");
        assert!(download.contains(&Code::NoData) && download.contains(&Code::DamagedData));
    }

    #[test]
    fn answers_of_batches_have_no_tag() {
        let tagged = TABLE.iter().filter(|endpoint| is_tagged(endpoint));
        assert!(tagged.clone().all(|endpoint| !matches!(endpoint.handler, Handler::Batch(_))));
        assert!(tagged.count() > 10);
    }
}

#[cfg(test)]
mod operation_id_tests {
    use std::collections::HashSet;

    use super::*;
    use crate::api::table::TABLE;

    #[test]
    fn every_operation_has_a_unique_name() {
        let mut names = HashSet::new();
        for endpoint in TABLE {
            for (method, _) in methods(endpoint) {
                let name = id(endpoint, method);
                assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric()), "{name}");
                assert!(names.insert(name.clone()), "{name}");
            }
        }
        assert!(names.contains("getBankByBankBranchesByBranch"), "{names:?}");
        assert!(names.contains("postBatchPostalcodeSearch"), "{names:?}");
    }
}
