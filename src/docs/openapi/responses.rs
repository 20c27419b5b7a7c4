//! The responses of an operation: its own with its headers, and one for each error status.

use serde_json::{Map, Value, json};

use super::operation_id::{id, recorded_answer};
use super::schema::Schemas;
use crate::api::endpoint::{Content, Endpoint, Verb};
use crate::api::error::Code;
use crate::api::table::ROOT;
use crate::api::words::{Words, words};
use crate::docs::pages::Language;
use crate::text::codes::ApiVersion;

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

/// Whether an answer has an entity tag.
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

#[cfg(test)]
mod tests {
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
