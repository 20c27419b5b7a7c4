//! Labels: groups of servers with their own active release.

use std::fmt;

const LENGTH_MAX: usize = 40;

/// The label of a group of servers, such as `canary`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a label of 1 to {LENGTH_MAX} lower-case letters, digits and hyphens, such as canary; found {found:?}"
)]
pub struct InvalidLabel {
    found: String,
}

impl Label {
    pub fn parse(text: &str) -> Result<Label, InvalidLabel> {
        let is_valid =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_label = (1..=LENGTH_MAX).contains(&text.len()) && text.bytes().all(is_valid);
        is_label
            .then(|| Label(text.to_owned()))
            .ok_or_else(|| InvalidLabel { found: text.to_owned() })
    }
}

impl fmt::Display for Label {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_short_lowercase_word() {
        for text in ["canary", "a", "tokyo-2", &"a".repeat(40)] {
            assert_eq!(Label::parse(text).map(|label| label.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "Canary", "a b", "é", &"a".repeat(41)] {
            assert!(Label::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
