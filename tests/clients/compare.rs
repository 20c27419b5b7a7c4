//! Compares the value that a client returns with the server's response.
//!
//! Without an API version the clients convert a response to an older shape: codes as strings, the address
//! of a corporation among its other members, branches without the bank. A client may leave members out,
//! but every member that it returns must be in the response.

use serde_json::{Map, Value};

/// Members that a client renames: the client's name, and the name in the response's `address`.
const RENAMED: [(&str, &str); 4] = [
    ("prefecture_name", "prefecture"),
    ("city_name", "city"),
    ("post_code", "postal_code"),
    ("en_prefecture_name", "prefecture_roman"),
];

/// Compares a client's value with the response; the error says where they differ.
pub fn same(value: &Value, answer: &Value) -> Result<(), String> {
    match value.as_object().is_some_and(|members| !members.is_empty()) {
        true => compare("", value, answer),
        false => Err(format!("expected an object, found {value}")),
    }
}

fn compare(path: &str, value: &Value, answer: &Value) -> Result<(), String> {
    match (value, answer) {
        (Value::Object(members), Value::Object(of_answer)) => {
            if let Some(branches) = of_answer.get("branches")
                && !members.contains_key("bank")
            {
                return compare(path, value, branches);
            }
            members.iter().try_for_each(|(name, member)| {
                let path = format!("{path}/{name}");
                match find(of_answer, name) {
                    Some(found) => compare(&path, member, found),
                    None if is_nothing(member) => Ok(()),
                    None => Err(format!("{path} is not in the answer: {member}")),
                }
            })
        }
        (Value::Array(values), Value::Array(of_answer)) if values.len() == of_answer.len() => {
            let pairs = values.iter().zip(of_answer).enumerate();
            pairs.into_iter().try_for_each(|(at, (value, answer))| {
                compare(&format!("{path}/{at}"), value, answer)
            })
        }
        (Value::Array(values), Value::Object(of_answer)) => {
            match (of_answer.get("branch"), &values[..]) {
                (Some(branch), _) => compare(path, value, branch),
                (None, [only]) => compare(path, only, answer),
                (None, _) => Err(format!("{path}: expected {answer}, found {value}")),
            }
        }
        (Value::String(text), Value::Number(number)) if *text == number.to_string() => Ok(()),
        (value, Value::Null) if is_nothing(value) => Ok(()),
        (value, answer) if value == answer => Ok(()),
        (value, answer) => Err(format!("{path}: expected {answer}, found {value}")),
    }
}

fn find<'a>(answer: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    answer.get(name).or_else(|| {
        let renamed = RENAMED.iter().find(|(known, _)| *known == name);
        answer.get("address")?.get(renamed.map_or(name, |(_, renamed)| renamed))
    })
}

/// Whether a value stands for an absent one.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.values().all(is_nothing),
        _ => false,
    }
}

#[test]
fn a_difference_is_reported_with_its_path() {
    use serde_json::json;
    #[track_caller]
    fn check(value: Value, answer: Value, expected: Result<(), &str>) {
        assert_eq!(same(&value, &answer), expected.map_err(str::to_owned));
    }
    check(json!({"a": [1, null]}), json!({"a": [1, null], "b": 2}), Ok(()));
    check(json!({"a": "1", "b": null, "c": []}), json!({"a": 1, "c": null}), Ok(()));
    check(
        json!({"city_name": "x", "town": "y"}),
        json!({"address": {"city": "x", "town": "y"}}),
        Ok(()),
    );
    check(
        json!({"data": {"001": [{"a": 1}]}}),
        json!({"data": {"bank": {}, "branches": {"001": {"a": 1}}}}),
        Ok(()),
    );
    check(json!({"data": [{"a": 1}]}), json!({"data": {"bank": {}, "branch": {"a": 1}}}), Ok(()));
    check(json!({}), json!({}), Err("expected an object, found {}"));
    check(json!({"a": {"b": 1}}), json!({"a": {"b": 2}}), Err("/a/b: expected 2, found 1"));
    check(json!({"a": 1}), json!({"b": 1}), Err("/a is not in the answer: 1"));
    check(json!({"a": [1]}), json!({"a": [1, 2]}), Err("/a: expected [1,2], found [1]"));
    check(json!({"a": "1"}), json!({"a": 2}), Err("/a: expected 2, found \"1\""));
    check(json!({"a": 1}), json!({"a": null}), Err("/a: expected null, found 1"));
}
