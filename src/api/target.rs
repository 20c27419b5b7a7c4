//! The target of a request that this program sends to its own API: tools for agents and the command line.

use std::fmt::{Display, Write as _};

use crate::text::percent::encode;

/// The target (path and query) of a request. Values are percent-encoded, so they cannot change its structure.
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

    pub fn with(mut self, name: &'static str, value: impl Display) -> RequestTarget {
        let mark = if self.has_query { '&' } else { '?' };
        self.has_query = true;
        self.push(format_args!("{mark}{name}="), &value.to_string());
        self
    }

    pub fn into_text(self) -> String {
        self.text
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
        assert_eq!(target.text, "/v1/bank/..%2Fx%3Fy%23z?q=a%26b%3D%E3%81%A1%2F1%20%25");
        let target = RequestTarget::new("/v1/bank").with("limit", 3);
        assert_eq!(target.with("offset", 0).text, "/v1/bank?limit=3&offset=0");
    }
}
