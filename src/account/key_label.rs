//! The label that the owner gives a key: "checkout page", "staging server".

use std::fmt;

use super::visible::{VisibleFault, parse_visible};

/// The longest label, in characters, so that a list of keys fits a line.
pub const KEY_LABEL_LENGTH_MAX: usize = 60;

/// 1 to [`KEY_LABEL_LENGTH_MAX`] visible characters. Several keys may have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLabel(Box<str>);

impl KeyLabel {
    pub fn parse(text: &str) -> Result<KeyLabel, VisibleFault> {
        parse_visible("a key's label", KEY_LABEL_LENGTH_MAX, text).map(KeyLabel)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_visible_text_of_bounded_length() {
        for text in ["checkout page", "決済ページ", &"台".repeat(60)] {
            assert_eq!(KeyLabel::parse(text).expect(text).to_string(), text);
        }
        let long = "台".repeat(61);
        for (text, expected) in [
            ("", "a key's label has 1 to 60 characters; found 0"),
            (&long, "found 61 characters"),
            ("a\u{1b}[31m", "found '\\u{1b}' at character 2"),
            ("two\nlines", "at character 4"),
            (" shop", "visible character"),
        ] {
            let message = KeyLabel::parse(text).expect_err("refused").to_string();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
