//! The target (path and query) of an API request. Texts from agents are percent-encoded, so they cannot change its
//! structure.

use std::fmt::{Display, Write as _};

use crate::text::percent::encode;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTarget {
    text: String,
    has_query: bool,
}

impl RequestTarget {
    pub fn new(path: &str) -> RequestTarget {
        RequestTarget { text: path.to_owned(), has_query: false }
    }

    /// Appends a segment to the path. Call it before adding a parameter.
    pub fn with_segment(mut self, segment: &str) -> RequestTarget {
        self.push("/", segment);
        self
    }

    /// Appends a parameter to the query.
    pub fn with(mut self, name: &'static str, value: impl Display) -> RequestTarget {
        let mark = if self.has_query { '&' } else { '?' };
        self.has_query = true;
        self.push(format_args!("{mark}{name}="), &value.to_string());
        self
    }

    /// Like [`RequestTarget::with`], but adds nothing without a value.
    pub fn with_optional(self, name: &'static str, value: Option<impl Display>) -> RequestTarget {
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
        let target =
            RequestTarget::new("/v1/bank").with_segment("../x?y#z").with("q", "a&b=ち/1 %");
        assert_eq!(target.as_str(), "/v1/bank/..%2Fx%3Fy%23z?q=a%26b%3D%E3%81%A1%2F1%20%25");
        let target = RequestTarget::new("/v1/bank")
            .with_optional("q", None::<u8>)
            .with_optional("limit", Some(3));
        assert_eq!(target.with("offset", 0).as_str(), "/v1/bank?limit=3&offset=0");
    }
}
