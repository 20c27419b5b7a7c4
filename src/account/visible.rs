//! Texts shown in lists: names of accounts, labels of keys.
//!
//! They have no control characters and no outer spaces, so that different texts look different. They are not folded.

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
