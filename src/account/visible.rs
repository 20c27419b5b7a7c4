//! Texts shown in lists: names of accounts, labels of keys.
//!
//! They have no control characters and no outer spaces, so that different texts look different; not folded.

/// Why a text cannot be shown in a list. `of` says what the text is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VisibleFault {
    #[error("{of} has 1 to {length_max} characters; found {found} characters")]
    Length { of: &'static str, length_max: usize, found: usize },
    /// The position counts from 1.
    #[error("{of} has no control characters; found {character:?} at character {position}")]
    Control { of: &'static str, character: char, position: usize },
    #[error("{of} begins and ends with a visible character; found {found:?}")]
    Surrounded { of: &'static str, found: String },
}

/// A text of 1 to `length_max` characters.
pub fn visible(of: &'static str, length_max: usize, text: &str) -> Result<Box<str>, VisibleFault> {
    let found = text.chars().count();
    if found == 0 || found > length_max {
        return Err(VisibleFault::Length { of, length_max, found });
    }
    if let Some((at, character)) = text.chars().enumerate().find(|(_, c)| c.is_control()) {
        return Err(VisibleFault::Control { of, character, position: at + 1 });
    }
    if text.trim() != text {
        return Err(VisibleFault::Surrounded { of, found: text.to_owned() });
    }
    Ok(text.into())
}
