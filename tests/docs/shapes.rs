//! Checks that a JSON value has the documented shape.

use daicho::api::shape::{Object, Shape};
use daicho::text::codes::ApiVersion;
use regex::Regex;
use serde_json::Value;

/// The faults of a value, each with its path; empty if the value has the shape.
pub fn faults(value: &Value, object: &Object, version: ApiVersion) -> Vec<String> {
    let mut checker = Checker { version, faults: Vec::new() };
    checker.check_object(value, object, "$");
    checker.faults
}

struct Checker {
    version: ApiVersion,
    faults: Vec<String>,
}

impl Checker {
    fn fault(&mut self, at: &str, expected: &str, found: &Value) {
        self.faults.push(format!("{at}: expected {expected}; found {found}"));
    }

    fn check(&mut self, value: &Value, shape: &Shape, at: &str) {
        match shape {
            Shape::OrNull(_) if value.is_null() => {}
            Shape::OrNull(of) => self.check(value, of, at),
            Shape::Changed { before, since, then } => {
                self.check(value, if self.version < *since { before } else { then }, at);
            }
            Shape::List(of) | Shape::UpTo(_, of) => match value.as_array() {
                Some(values) => {
                    for (place, value) in values.iter().enumerate() {
                        self.check(value, of, &format!("{at}[{place}]"));
                    }
                }
                None => self.fault(at, "a list", value),
            },
            Shape::Tuple(shapes) => match value.as_array() {
                Some(values) if values.len() == shapes.len() => {
                    for (value, shape) in values.iter().zip(*shapes) {
                        self.check(value, shape, at);
                    }
                }
                _ => self.fault(at, "as many values as the shape has", value),
            },
            Shape::Map(names, of) => match value.as_object() {
                Some(members) => {
                    for (name, value) in members {
                        if !matches(names, name) {
                            self.fault(at, &format!("names of {names}"), &name.as_str().into());
                        }
                        self.check(value, of, &format!("{at}.{name}"));
                    }
                }
                None => self.fault(at, "an object", value),
            },
            Shape::Object(object) => self.check_object(value, object, at),
            shape => {
                if !fits(value, shape) {
                    self.fault(at, &format!("{shape:?}"), value);
                }
            }
        }
    }

    fn check_object(&mut self, value: &Value, object: &Object, at: &str) {
        let Some(found) = value.as_object() else { return self.fault(at, object.name, value) };
        let version = self.version;
        let known = || object.members.iter().filter(|member| member.is_in(version));
        let unknown: Vec<&String> =
            found.keys().filter(|name| known().all(|member| member.name != **name)).collect();
        if !unknown.is_empty() {
            self.faults.push(format!("{at}: {} has no {unknown:?}", object.name));
        }
        for member in known() {
            match found.get(member.name) {
                Some(value) => self.check(value, &member.shape, &format!("{at}.{}", member.name)),
                None if member.is_optional => {}
                None => self.faults.push(format!("{at}: lacks {}", member.name)),
            }
        }
    }
}

fn fits(value: &Value, shape: &Shape) -> bool {
    let text = value.as_str();
    match shape {
        Shape::Text => text.is_some(),
        Shape::Pattern(pattern) => text.is_some_and(|text| matches(pattern, text)),
        Shape::PatternOf(pattern) => text.is_some_and(|text| matches(&pattern(), text)),
        Shape::Date => text.is_some_and(|text| text.parse::<jiff::civil::Date>().is_ok()),
        Shape::OneOf(words) => text.is_some_and(|text| words.contains(&text)),
        Shape::Whole { min, max } => {
            value.as_u64().is_some_and(|number| (*min..=*max).contains(&number))
        }
        Shape::OneNumber(numbers) => value.as_u64().is_some_and(|number| numbers.contains(&number)),
        Shape::Decimal => value.is_number(),
        Shape::Bool => value.is_boolean(),
        _ => false,
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).expect("a regular expression").is_match(text)
}
