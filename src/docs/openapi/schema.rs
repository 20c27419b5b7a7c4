//! Shapes of bodies and parameters as JSON Schema, for one API version and in one language.

use serde_json::{Map, Value, json};

use crate::api::shape::{Object, Shape};
use crate::language::Language;
use crate::text::codes::ApiVersion;

/// The schemas of one document, in which each named object is defined once.
pub struct Schemas {
    pub version: ApiVersion,
    pub language: Language,
    named: Map<String, Value>,
}

impl Schemas {
    pub fn new(version: ApiVersion, language: Language) -> Schemas {
        Schemas { version, language, named: Map::new() }
    }

    pub fn into_named(self) -> Value {
        Value::Object(self.named)
    }

    pub fn schema(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Text => json!({"type": "string"}),
            Shape::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
            Shape::PatternOf(pattern) => json!({"type": "string", "pattern": pattern()}),
            Shape::Date => json!({"type": "string", "format": "date"}),
            Shape::Whole { min, max } => whole(*min, *max),
            Shape::Decimal => json!({"type": "number"}),
            Shape::Bool => json!({"type": "boolean"}),
            Shape::OneOf(words) => json!({"type": "string", "enum": words}),
            Shape::OneNumber(numbers) => json!({"type": "integer", "enum": numbers}),
            Shape::List(of) => json!({"type": "array", "items": self.schema(of)}),
            Shape::UpTo(most, of) => {
                json!({"type": "array", "maxItems": most, "items": self.schema(of)})
            }
            Shape::Tuple(values) => {
                let values: Vec<Value> = values.iter().map(|value| self.schema(value)).collect();
                let count = values.len();
                json!({"type": "array", "prefixItems": values, "minItems": count, "maxItems": count})
            }
            Shape::Map(names, of) => json!({
                "type": "object",
                "propertyNames": {"pattern": names},
                "additionalProperties": self.schema(of),
            }),
            Shape::Object(object) => self.reference(object),
            Shape::OrNull(of) => or_null(self.schema(of)),
            Shape::Changed { before, since, then } => {
                self.schema(if self.version < *since { before } else { then })
            }
        }
    }

    /// The schema of a parameter in a path, a query string or a header, where a number is a text.
    pub fn parameter_schema(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::OneNumber(numbers) => {
                let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
                json!({"type": "string", "enum": texts})
            }
            shape => self.schema(shape),
        }
    }

    /// The schema of a parameter as a member of a body, where it may be null, which means the same as absent.
    pub fn member_schema(&mut self, shape: &Shape) -> Value {
        or_null(self.schema(shape))
    }

    /// A reference to a named object, which is defined on first use.
    pub fn reference(&mut self, object: &Object) -> Value {
        if !self.named.contains_key(object.name) {
            // Terminates: no object contains itself.
            let schema = self.object(object);
            self.named.insert(object.name.to_owned(), schema);
        }
        json!({"$ref": format!("#/components/schemas/{}", object.name)})
    }

    fn object(&mut self, object: &Object) -> Value {
        let (version, language) = (self.version, self.language);
        let members = object.members.iter().filter(|member| member.is_in(version));
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for member in members {
            let mut schema = self.schema(&member.shape);
            schema["description"] = language.text(member.meaning).into();
            properties.insert(member.name.to_owned(), schema);
            if !member.is_optional {
                required.push(member.name);
            }
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        if !object.is_open {
            schema["additionalProperties"] = false.into();
        }
        schema
    }
}

/// A whole number. A limit beyond the exact range of JSON numbers is omitted.
fn whole(min: u64, max: u64) -> Value {
    const EXACT_MAX: u64 = (1 << 53) - 1;
    let mut schema = json!({"type": "integer", "minimum": min});
    if max <= EXACT_MAX {
        schema["maximum"] = max.into();
    } else {
        schema["format"] = "int64".into();
    }
    schema
}

fn or_null(mut schema: Value) -> Value {
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    match schema.get("type").and_then(Value::as_str).map(str::to_owned) {
        Some(kind) => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        None => json!({"oneOf": [schema, {"type": "null"}]}),
    }
}
