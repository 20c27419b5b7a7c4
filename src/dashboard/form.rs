//! Parses names and values from a query string or a form's body.
//!
//! Decoding is strict: an incomplete escape, or text that is not UTF-8, is an error that names the field. A field that
//! is sent twice but expected once counts as empty.

use std::borrow::Cow;

use crate::text::percent::{PlusSign, decode};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form(Vec<(String, String)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// The field's name as sent, shortened.
    #[error("a form holds percent-encoded UTF-8; found something else in {field:?}")]
    Encoding { field: String },
    #[error("a form has at most {FIELDS_MAX} fields; found more")]
    TooMany,
}

/// How much of a name or value an error repeats, in characters.
pub const FOUND_CHARACTERS_MAX: usize = 40;

/// The most fields that a form may have; every page has less than half as many.
const FIELDS_MAX: usize = 64;

impl Form {
    pub fn parse(text: &[u8]) -> Result<Form, FormError> {
        let mut fields = Vec::new();
        for pair in text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            if fields.len() == FIELDS_MAX {
                return Err(FormError::TooMany);
            }
            let end = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            let (name, value) = (&pair[..end], pair.get(end + 1..).unwrap_or(b""));
            let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
                let name = String::from_utf8_lossy(name);
                let field = name.chars().take(FOUND_CHARACTERS_MAX).collect();
                return Err(FormError::Encoding { field });
            };
            fields.push((name, value));
        }
        Ok(Form(fields))
    }

    /// The value of a field; empty if it is missing or was sent twice.
    pub fn get(&self, name: &str) -> &str {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => value,
            _ => "",
        }
    }

    /// Whether the field is present, as it is if a box is checked.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
}

fn decoded(text: &[u8]) -> Option<String> {
    decode(std::str::from_utf8(text).ok()?, PlusSign::Space).ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::percent::encode;

    #[test]
    fn fields_are_decoded() {
        let form = Form::parse("name=%E4%BE%8B+1&batch=on&&empty=&twice=1&twice=2&bare".as_bytes());
        let form = form.expect("a form");
        for (name, expected) in
            [("name", "例 1"), ("batch", "on"), ("empty", ""), ("twice", ""), ("bare", "")]
        {
            assert_eq!(form.get(name), expected, "{name}");
            assert!(form.has(name));
        }
        assert!(!form.has("none") && form.get("none").is_empty());
    }

    #[test]
    fn error_names_the_field_that_is_malformed() {
        for (text, expected) in [
            ("a=%", "a"),
            ("b=1&a=%4", "a"),
            ("a=%zz", "a"),
            ("%61=%FF", "%61"),
            ("a=%+1", "a"),
            ("%E4=1", "%E4"),
        ] {
            let fault = Form::parse(text.as_bytes()).expect_err(text);
            assert_eq!(fault, FormError::Encoding { field: expected.to_owned() }, "{text}");
        }
        assert_eq!(Form::parse("a=1&".repeat(65).as_bytes()), Err(FormError::TooMany));
        assert!(Form::parse("a=1&".repeat(64).as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn encoded_text_reads_back(text in any::<String>()) {
            let form = Form::parse(format!("t={}", encode(&text)).as_bytes());
            let form = form.expect("a form");
            prop_assert_eq!(form.get("t"), text);
        }

        #[test]
        fn any_bytes_can_be_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Form::parse(&bytes);
        }
    }
}
