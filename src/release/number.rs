//! Release numbers: from 1, never reused. Object names use six digits, so that they sort.

use std::fmt;

const MAX: u32 = 999_999;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(u32);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a release number such as 12, found {found:?}; 'daicho release list' shows the numbers"
)]
pub struct InvalidNumber {
    pub found: String,
}

impl Number {
    pub const FIRST: Number = Number(1);

    pub fn parse(text: &str) -> Result<Number, InvalidNumber> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number).and_then(Number::from_value);
        number.ok_or_else(|| InvalidNumber { found: text.to_owned() })
    }

    pub fn from_value(value: u64) -> Option<Number> {
        u32::try_from(value).ok().filter(|value| (1..=MAX).contains(value)).map(Number)
    }

    pub fn value(self) -> u32 {
        self.0
    }

    /// The next number; `None` after 999999.
    pub fn next(self) -> Option<Number> {
        Number::from_value(u64::from(self.0) + 1)
    }

    pub fn object_name(self) -> String {
        format!("releases/{:06}.json", self.0)
    }

    /// The number in an object name; `None` for other objects.
    pub fn from_object_name(name: &str) -> Option<Number> {
        let digits = name.strip_prefix("releases/")?.strip_suffix(".json")?;
        Number::parse(digits).ok().filter(|number| number.object_name() == name)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_its_object() {
        for (text, value) in [("1", Some(1)), ("000012", Some(12)), ("999999", Some(999_999))] {
            assert_eq!(Number::parse(text).ok().map(Number::value), value, "{text}");
        }
        for text in ["", "0", "-1", "+1", "1000000", "99999999999999999999", "x", "１", " 1"] {
            assert!(Number::parse(text).is_err(), "{text:?}");
        }
        let number = Number::parse("12").expect("a number");
        assert_eq!(number.object_name(), "releases/000012.json");
        assert_eq!(Number::from_object_name("releases/000012.json"), Some(number));
        for other in ["releases/12.json", "releases/000012.txt", "000012.json", "releases/.json"] {
            assert_eq!(Number::from_object_name(other), None, "{other}");
        }
        assert_eq!(Number::parse("999999").expect("a number").next(), None);
    }
}
