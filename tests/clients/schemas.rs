//! The shapes that the JavaScript client 2.5.0 accepts, against the server's responses.
//!
//! 2.5.0 is not in the registry that the tests install from. `javascript-2.5.0.json` states the facts of its schemas of
//! 2025-01-01, which it also uses for 2026-08-01: `T?` is a `T` or null, `[T]` a list, `{T}` an object with values of `T`.
//! The allowed numbers of its enumerations are not stated: the client 2.4.0, which runs, has the same.

use serde_json::{Map, Value};

const SCHEMAS: &str = include_str!("javascript-2.5.0.json");

/// The calls with a shape, and the name of it.
pub fn responses() -> Map<String, Value> {
    let schemas: Value = serde_json::from_str(SCHEMAS).expect("JSON");
    schemas["responses"].as_object().expect("an object").clone()
}

/// Checks a response against the type of this name; the error names the member.
pub fn check(response: &Value, type_name: &str) -> Result<(), String> {
    let schemas: Value = serde_json::from_str(SCHEMAS).expect("JSON");
    check_type(response, type_name, "response", &schemas["types"])
}

fn check_type(value: &Value, name: &str, place: &str, types: &Value) -> Result<(), String> {
    if let Some(inner) = name.strip_suffix('?') {
        return if value.is_null() { Ok(()) } else { check_type(value, inner, place, types) };
    }
    let wrong = || Err(format!("{place}: expected {name}, found {value}"));
    if let Some(inner) = between(name, '[', ']') {
        let Some(items) = value.as_array() else { return wrong() };
        return each(items.iter().map(|item| (item, inner)), place, types);
    }
    if let Some(inner) = between(name, '{', '}') {
        let Some(members) = value.as_object() else { return wrong() };
        return each(members.values().map(|member| (member, inner)), place, types);
    }
    let is_right = match name {
        "any" => true,
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => return check_declared(value, name, place, types),
    };
    if is_right { Ok(()) } else { wrong() }
}

fn check_declared(value: &Value, name: &str, place: &str, types: &Value) -> Result<(), String> {
    match &types[name] {
        Value::Object(members) => members.iter().try_for_each(|(member, kind)| {
            let place = format!("{place}.{member}");
            let found = value.get(member).ok_or_else(|| format!("{place}: missing"))?;
            check_type(found, kind.as_str().expect("a name of a type"), &place, types)
        }),
        Value::Array(kinds) => {
            let items = value.as_array().filter(|items| items.len() == kinds.len());
            let items = items.ok_or_else(|| format!("{place}: expected {name}, found {value}"))?;
            let kinds = kinds.iter().map(|kind| kind.as_str().expect("a name of a type"));
            each(items.iter().zip(kinds), place, types)
        }
        _ => panic!("the file declares no type {name}"),
    }
}

fn each<'v>(
    items: impl Iterator<Item = (&'v Value, &'v str)>,
    place: &str,
    types: &Value,
) -> Result<(), String> {
    items
        .enumerate()
        .try_for_each(|(at, (item, kind))| check_type(item, kind, &format!("{place}[{at}]"), types))
}

fn between(name: &str, open: char, close: char) -> Option<&str> {
    name.strip_prefix(open)?.strip_suffix(close)
}
