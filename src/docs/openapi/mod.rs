//! `/openapi.json`: the API described for programs (OpenAPI 3.1), from the table of endpoints.
//!
//! One document describes one API version: validators and code generators cannot express that a member exists only
//! in some versions. The parameter `api_version` selects it, as in the API, and `lang` selects the language of the
//! texts. Pure: from the table to a JSON value.

mod operation;
mod schema;

use serde_json::{Map, Value, json};

use self::schema::Schemas;
use crate::api::error::Code;
use crate::api::pipeline::params::KEY_PARAMETER;
use crate::api::table::server::ERROR;
use crate::api::table::{RESOURCES, Resource};
use crate::api::words::{Words, words};
use crate::language::Language;
use crate::text::codes::ApiVersion;

pub use operation::{id, methods, recorded_answer};

const ABOUT: Words = words(
    "Look-ups and searches of Japanese reference data. All responses below are those of API version {version}: send it in the \
     header `API-Version`, unless the account is set to it. The documentation for people is at `/docs/`.",
    "日本の基礎データの照会と検索。以下はAPIバージョン{version}の応答です。アカウントの設定がこのバージョンでなければ、\
     ヘッダー`API-Version`で指定してください。人が読むための文書は`/docs/ja/`にあります。",
);

const TOKEN: Words = words(
    "The word `Token`, a space and a key: `Authorization: Token dk_sec_…`. A public key works only from its registered \
     origins.",
    "`Token`と空白に続けてキーを送ります（`Authorization: Token dk_sec_…`）。公開キーは登録したオリジンからだけ使えます。",
);

const PUBLIC_KEY: Words = words(
    "A public key in the URL, which avoids a CORS preflight in browsers. It works only from its registered origins. A \
     secret key is rejected here.",
    "URLで送る公開キー。ブラウザーのプリフライトが不要になります。登録したオリジンからだけ使えます。シークレットキーは拒否されます。",
);

/// `server` is the URL at which clients reach the API, or `/`.
pub fn document(version: ApiVersion, language: Language, server: &str) -> Value {
    let mut schemas = Schemas::new(version, language);
    let mut paths: Map<String, Value> = Map::new();
    for resource in RESOURCES {
        let endpoints = resource.endpoints.iter().filter(|endpoint| endpoint.since <= version);
        for endpoint in endpoints {
            let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
            for (method, key) in methods(endpoint) {
                path[key] = schemas.operation(resource, endpoint, method);
            }
        }
    }
    schemas.reference(&ERROR);
    let tag = |resource: &Resource| json!({"name": resource.name, "description": language.text(resource.title)});
    let tags: Vec<Value> = RESOURCES.iter().map(tag).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "daicho",
            "version": version.as_str(),
            "description": language.text(ABOUT).replace("{version}", version.as_str()),
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": server}],
        "security": [{"Token": []}, {"PublicKey": []}],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {
                "Token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": language.text(TOKEN),
                },
                "PublicKey": {
                    "type": "apiKey",
                    "in": "query",
                    "name": KEY_PARAMETER,
                    "description": language.text(PUBLIC_KEY),
                },
            },
            "headers": operation::headers(language),
            "schemas": with_codes(schemas.into_named(), language),
        },
    })
}

/// Adds every error code to the schemas, with its status and what to do.
fn with_codes(mut schemas: Value, language: Language) -> Value {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let lines: Vec<String> = Code::ALL
        .iter()
        .map(|code| {
            let status = code.status().as_u16();
            format!("- `{}` ({status}): {}", code.as_str(), language.text(code.remedy()))
        })
        .collect();
    schemas["ErrorCode"] =
        json!({"type": "string", "enum": codes, "description": lines.join("\n")});
    schemas["Error"]["properties"]["code"] = json!({"$ref": "#/components/schemas/ErrorCode"});
    schemas
}
