//! Texts shown in lists: names of accounts, and the labels that owners give their keys ("checkout page").
//!
//! They have no control characters and no outer spaces, so that different texts look different. They are not folded.

use std::fmt;

/// Why a text cannot be shown in a list. `subject` says what the text is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VisibleFault {
    #[error("{subject} has 1 to {length_max} characters; found {found} characters")]
    Length { subject: &'static str, length_max: usize, found: usize },
    /// The position counts from 1.
    #[error("{subject} has no control characters; found {character:?} at character {position}")]
    Control { subject: &'static str, character: char, position: usize },
    #[error("{subject} begins and ends with a visible character; found {found:?}")]
    OuterSpace { subject: &'static str, found: String },
}

/// Parses a text of 1 to `length_max` characters.
pub fn parse_visible(
    subject: &'static str,
    length_max: usize,
    text: &str,
) -> Result<Box<str>, VisibleFault> {
    let found = text.chars().count();
    if found == 0 || found > length_max {
        return Err(VisibleFault::Length { subject, length_max, found });
    }
    if let Some((index, character)) = text.chars().enumerate().find(|(_, c)| c.is_control()) {
        return Err(VisibleFault::Control { subject, character, position: index + 1 });
    }
    if text.trim() != text {
        return Err(VisibleFault::OuterSpace { subject, found: text.to_owned() });
    }
    Ok(text.into())
}

/// The longest label, in characters, so that a list of keys fits a line.
pub const KEY_LABEL_LENGTH_MAX: usize = 60;

/// 1 to [`KEY_LABEL_LENGTH_MAX`] visible characters. Several keys may have the same label.
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
