//! An endpoint with one of its methods as an operation of the document.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::operation_id::id;
use super::responses;
use super::schema::{Schemas, member_schema, parameter_schema};
use crate::api::endpoint::{Endpoint, Kind, Parameter, Verb};
use crate::api::table::Resource;
use crate::api::words::{Words, words};

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
            "responses": responses::all(self, endpoint, method),
        });
        match endpoint.needs {
            None => operation["security"] = json!([]),
            Some(needs) if needs.requires_secret_key() => {
                operation["security"] = json!([{"Token": []}])
            }
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
    fn parameters(&self, endpoint: &Endpoint, method: Verb) -> Vec<Value> {
        let examples = examples(endpoint);
        let is_search = method == Verb::Post && endpoint.method == Verb::Get;
        let mut parameters: Vec<Value> = endpoint
            .parameters
            .iter()
            .filter(|known| known.since <= self.version)
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
        if method == Verb::Get && responses::is_tagged(endpoint) {
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
        &self,
        endpoint: &Endpoint,
        parameter: &Parameter,
        examples: &HashMap<String, String>,
    ) -> Value {
        let is_in_path = endpoint.has_path_parameter(parameter.name);
        let example = examples.get(parameter.name).map_or(parameter.example, |value| value);
        let mut schema = parameter_schema(&parameter.kind);
        if parameter.is_required && matches!(parameter.kind, Kind::Text) {
            schema["minLength"] = 1.into();
        }
        json!({
            "name": parameter.name,
            "in": if is_in_path { "path" } else { "query" },
            "required": is_in_path || parameter.is_required,
            "description": self.language.text(parameter.meaning),
            "schema": schema,
            "example": match parameter.kind {
                Kind::Whole { .. } => example.parse::<u64>().map_or(example.into(), Value::from),
                _ => example.into(),
            },
        })
    }

    /// The parameters of a search as members of a body.
    fn search_body(&self, endpoint: &Endpoint) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let known = endpoint.parameters.iter().filter(|known| known.since <= self.version);
        for parameter in known {
            let mut schema = member_schema(&parameter.kind);
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
