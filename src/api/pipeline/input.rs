//! JSON from clients. Each value has its path, so that an error can name it.
//!
//! A known member may occur once; unknown members are ignored. `null` counts as absent, and a byte order mark is
//! skipped.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::params::WholeNumber;
use crate::api::error::{ApiError, Code};

/// Up to this number a float represents every whole number.
const WHOLE_MAX: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// A value and its path: `queries[3].t`; empty for the whole body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    path: String,
    value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    path: String,
    members: Vec<(String, Value)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Null,
    Bool(bool),
    Whole(u64),
    /// A number that is negative, not whole or larger; as text.
    Number(String),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Input {
    pub fn parse(body: &[u8]) -> Result<Input, ApiError> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let path = String::new();
        match serde_json::from_slice(body) {
            Ok(value) => Ok(Input { path, value }),
            Err(_) if body.trim_ascii().is_empty() => Err(no_body()),
            // serde's messages repeat no text of the body.
            Err(error) => {
                Err(fault(path, format!("expected JSON in UTF-8; found a fault: {error}")))
            }
        }
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn object(self) -> Result<Object, ApiError> {
        match self.value {
            Value::Object(members) => Ok(Object { path: self.path, members }),
            _ => Err(self.type_error("an object")),
        }
    }

    pub fn list(self) -> Result<impl ExactSizeIterator<Item = Input>, ApiError> {
        let Value::List(values) = self.value else { return Err(self.type_error("a list")) };
        let path = self.path;
        Ok(values
            .into_iter()
            .enumerate()
            .map(move |(index, value)| Input { path: format!("{path}[{index}]"), value }))
    }

    pub fn text(self, bytes_max: usize) -> Result<String, ApiError> {
        match self.value {
            Value::Text(text) if text.len() <= bytes_max => Ok(text),
            Value::Text(text) => {
                let found = text.len();
                let detail = format!("expected at most {bytes_max} bytes of text; found {found}");
                Err(fault(self.path, detail))
            }
            _ => Err(self.type_error("a string")),
        }
    }

    /// A whole number within `range`; outside it, an error with this code.
    pub fn whole(self, code: Code, range: RangeInclusive<u64>) -> Result<u64, ApiError> {
        let found = match self.value {
            Value::Whole(number) if range.contains(&number) => return Ok(number),
            Value::Whole(number) => number.to_string(),
            Value::Number(number) => number,
            _ => return Err(self.type_error("a number")),
        };
        let detail = format!("expected {}; found {found}", WholeNumber(range));
        Err(ApiError::in_parameter(self.path, code, detail))
    }

    /// The value as the text of a query-string parameter.
    pub fn parameter(self) -> Result<String, ApiError> {
        match self.value {
            Value::Text(text) | Value::Number(text) => Ok(text),
            Value::Whole(number) => Ok(number.to_string()),
            Value::Bool(value) => Ok(value.to_string()),
            _ => Err(self.type_error("a string, a number, true or false")),
        }
    }

    fn type_error(self, expected: &str) -> ApiError {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Whole(_) | Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        };
        fault(self.path, format!("expected {expected}; found {found}"))
    }
}

impl Object {
    /// Removes the member of this name; `None` if it is absent or `null`.
    pub fn remove(&mut self, name: &str) -> Result<Option<Input>, ApiError> {
        let Some(index) = self.members.iter().position(|(known, _)| known == name) else {
            return Ok(None);
        };
        let (_, value) = self.members.swap_remove(index);
        let path = self.path_of(name);
        if self.members.iter().any(|(known, _)| known == name) {
            return Err(fault(path, "a member is given once; found it twice"));
        }
        Ok((value != Value::Null).then_some(Input { path, value }))
    }

    /// The name of a remaining member.
    pub fn first_name(&self) -> Option<&str> {
        self.members.first().map(|(name, _)| name.as_str())
    }

    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}

pub fn no_body() -> ApiError {
    ApiError::new(Code::InvalidBody, "expected a JSON object; found an empty body")
}

/// The error of an invalid body; `path` names the value in it.
pub fn fault(path: String, detail: impl Into<Cow<'static, str>>) -> ApiError {
    if path.is_empty() {
        ApiError::new(Code::InvalidBody, detail)
    } else {
        ApiError::in_parameter(path, Code::InvalidBody, detail)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Whole(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    /// JSON has one kind of number: 1.0 is 1.
    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        let is_whole = number.fract() == 0.0 && (0.0..=WHOLE_MAX).contains(&number);
        Ok(match is_whole {
            true => Value::Whole(number as u64),
            false => Value::Number(format!("{number:?}")),
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = entries.next_entry()? {
            members.push(member);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn member(body: &str, name: &str) -> Result<Option<Input>, ApiError> {
        Input::parse(body.as_bytes())?.object()?.remove(name)
    }

    #[test]
    fn a_member_is_read_with_its_path() {
        #[track_caller]
        fn check(body: &str, expected: Result<Option<&str>, &str>) {
            let read = member(body, "a").and_then(|found| match found {
                Some(input) => input.text(8).map(Some),
                None => Ok(None),
            });
            let read = read.map_err(|error| error.detail.into_owned());
            assert_eq!(
                read.as_ref().map(Option::as_deref),
                expected.map_err(str::to_owned).as_ref().copied()
            );
        }
        check(r#"{"a":"東京"}"#, Ok(Some("東京")));
        check("\u{feff}{\"a\":\"x\"}", Ok(Some("x")));
        check(r#" {"b":1, "a" : "\u6771\ud83d\ude00\u0000", "b":2} "#, Ok(Some("東😀\0")));
        check(r#"{"a":null}"#, Ok(None));
        check("{}", Ok(None));
        check(r#"{"a":1}"#, Err("expected a string; found a number"));
        check(r#"{"a":true}"#, Err("expected a string; found true or false"));
        check(r#"{"a":[]}"#, Err("expected a string; found a list"));
        check(r#"{"a":{}}"#, Err("expected a string; found an object"));
        check(r#"{"a":"123456789"}"#, Err("expected at most 8 bytes of text; found 9"));
        check(r#"{"a":"x","a":"x"}"#, Err("a member is given once; found it twice"));
        check(r#"{"a":"x","\u0061":null}"#, Err("a member is given once; found it twice"));
        check("[]", Err("expected an object; found a list"));
        check("null", Err("expected an object; found null"));
        check("", Err("expected a JSON object; found an empty body"));
        check(" \n", Err("expected a JSON object; found an empty body"));
    }

    #[test]
    fn malformed_json_is_reported_with_its_position() {
        #[track_caller]
        fn check(body: &[u8], expected: &str) {
            let error = Input::parse(body).expect_err("no JSON");
            assert_eq!((error.code, &error.parameter), (Code::InvalidBody, &None));
            let place = error.detail.strip_prefix("expected JSON in UTF-8; found a fault: ");
            assert!(place.is_some_and(|fault| fault.contains(expected)), "{}", error.detail);
        }
        check(br#"{"a":"\ud800"}"#, "at line 1 column 13");
        check(br#"{"a":"\udc00x"}"#, "lone");
        check(br#"{"a":"x""#, "EOF");
        check(br#"{"a":1e999}"#, "number out of range");
        check(br#"{"a":01}"#, "invalid number");
        check(br#"{"a":NaN}"#, "expected value");
        check(b"{\"a\":\"\0\"}", "control character");
        check(b"{\"a\":\"\xff\"}", "invalid unicode");
        check(b"{\"a\":\"\xed\xa0\x80\"}", "invalid unicode");
        check(b"{} {}", "trailing characters");
        check(b"\xff\xfe{\0}\0", "expected value");
        check("[".repeat(100_000).as_bytes(), "recursion limit");
        check("{\"a\":".repeat(1000).as_bytes(), "recursion limit");
        check(b"a=b&c=d", "expected value");
    }

    #[test]
    fn a_number_is_whole_and_within_its_range() {
        #[track_caller]
        fn check(number: &str, expected: Result<u64, (Code, &str)>) {
            let body = format!("{{\"a\":{number}}}");
            let input = member(&body, "a").expect("JSON").expect("a member");
            let found = input.whole(Code::InvalidLimit, 1..=100);
            let found = found.map_err(|error| (error.code, error.detail.into_owned()));
            assert_eq!(found, expected.map_err(|(code, detail)| (code, detail.to_owned())));
        }
        let limit = |found| Err((Code::InvalidLimit, found));
        check("1", Ok(1));
        check("100", Ok(100));
        check("0", limit("expected a whole number of 1 to 100; found 0"));
        check("101", limit("expected a whole number of 1 to 100; found 101"));
        check("-1", limit("expected a whole number of 1 to 100; found -1"));
        check("1.5", limit("expected a whole number of 1 to 100; found 1.5"));
        check("1.0", Ok(1));
        check("1e2", Ok(100));
        check("1e3", limit("expected a whole number of 1 to 100; found 1000"));
        check("0.0", limit("expected a whole number of 1 to 100; found 0"));
        check("-1.0", limit("expected a whole number of 1 to 100; found -1.0"));
        check("1e300", limit("expected a whole number of 1 to 100; found 1e300"));
        check("99999999999999999999", limit("expected a whole number of 1 to 100; found 1e20"));
        check("\"5\"", Err((Code::InvalidBody, "expected a number; found a string")));
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in any::<Vec<u8>>(), json in "[\\[\\]{}\":,a0.e\\\\u -]{0,30}") {
            let _ = Input::parse(&noise);
            let _ = Input::parse(json.as_bytes());
        }
    }
}
