//! What a page sends: pairs of names and values, from a query string or a form's body.
//!
//! Decoding is strict, as everywhere: a bad escape or text that is not UTF-8 is an error that names
//! the field, and a field that is given twice where one is expected counts as wrong.

use std::borrow::Cow;

/// The pairs of one request, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form(Vec<(String, String)>);

/// A text is no form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormFault {
    /// An escape that is none, or bytes that are no text.
    #[error("percent-encoded UTF-8 was expected in a form; found something else in {field:?}")]
    Encoding {
        /// The field's name as sent, shortened.
        field: String,
    },
    /// More fields than any page has.
    #[error("a form of at most {FIELDS_MAX} fields was expected; found more")]
    TooMany,
}

/// The most fields of a form; no page has half as many.
const FIELDS_MAX: usize = 64;

impl Form {
    /// Reads `a=b&c=d`.
    pub fn parse(text: &[u8]) -> Result<Form, FormFault> {
        let mut pairs = Vec::new();
        for pair in text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            if pairs.len() == FIELDS_MAX {
                return Err(FormFault::TooMany);
            }
            let end = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            let (name, value) = (&pair[..end], pair.get(end + 1..).unwrap_or(b""));
            let wrong = || {
                let field = String::from_utf8_lossy(name).chars().take(40).collect();
                FormFault::Encoding { field }
            };
            pairs.push((decode(name).ok_or_else(wrong)?, decode(value).ok_or_else(wrong)?));
        }
        Ok(Form(pairs))
    }

    /// The value of this field; `""` where it is not there or stands there twice.
    pub fn get(&self, name: &str) -> &str {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => value,
            _ => "",
        }
    }

    /// Whether the field is there: a checked box.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
}

/// Percent-decodes, with `+` for a space; `None` where that gives no text.
fn decode(text: &[u8]) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => 16 * nibble(rest.next()?)? + nibble(rest.next()?)?,
            other => *other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn nibble(digit: &u8) -> Option<u8> {
    char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// A text as it stands in a query string: everything but letters, digits and `-._~` is escaped.
pub fn encode(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(3 * text.len());
    for byte in text.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_are_read_to_the_letter() {
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
    fn what_is_no_form_is_refused_by_field() {
        for text in ["a=%", "a=%4", "a=%zz", "a=%FF", "a=%+1", "%E4=1"] {
            let fault = Form::parse(text.as_bytes()).expect_err(text);
            assert!(matches!(fault, FormFault::Encoding { .. }), "{text}: {fault}");
        }
        assert_eq!(Form::parse("a=1&".repeat(65).as_bytes()), Err(FormFault::TooMany));
        assert!(Form::parse("a=1&".repeat(64).as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_encoded_reads_back(text in any::<String>()) {
            let form = Form::parse(format!("t={}", encode(&text)).as_bytes());
            let form = form.expect("a form");
            prop_assert_eq!(form.get("t"), text);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Form::parse(&bytes);
        }
    }
}
