//! Builds the path and query of an API request. Texts from agents are percent-encoded, so they cannot change its
//! structure.

use std::fmt::{Display, Write as _};

use crate::text::percent::encode;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    text: String,
    has_query: bool,
}

impl Target {
    pub fn of(path: &str) -> Target {
        Target { text: path.to_owned(), has_query: false }
    }

    /// Appends a segment to the path. Call it before adding a parameter.
    pub fn segment(mut self, segment: &str) -> Target {
        self.push("/", segment);
        self
    }

    pub fn with(mut self, name: &'static str, value: impl Display) -> Target {
        let mark = if self.has_query { '&' } else { '?' };
        self.has_query = true;
        self.push(format_args!("{mark}{name}="), &value.to_string());
        self
    }

    /// Like [`Target::with`], but adds nothing without a value.
    pub fn with_some(self, name: &'static str, value: Option<impl Display>) -> Target {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn push(&mut self, before: impl Display, text: &str) {
        write!(self.text, "{before}{}", encode(text)).expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_inside_its_segment_and_its_parameter() {
        let target = Target::of("/v1/bank").segment("../x?y#z").with("q", "a&b=ち/1 %");
        assert_eq!(target.as_str(), "/v1/bank/..%2Fx%3Fy%23z?q=a%26b%3D%E3%81%A1%2F1%20%25");
        let target = Target::of("/v1/bank").with_some("q", None::<u8>).with_some("limit", Some(3));
        assert_eq!(target.with("offset", 0).as_str(), "/v1/bank?limit=3&offset=0");
    }
}
