//! How a person names a key: by number, first characters, or full text.

use std::fmt;

use super::key::{ApiKey, KEY_BEGINNING_LENGTH, KeyFault, KeyHash, KeyId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySelector {
    Id(KeyId),
    Hash(KeyHash),
    /// The one live key with this beginning; if none is live, the one revoked key with it.
    Beginning(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySelectorFault {
    /// Starts like a key, but is neither a full key nor its first characters.
    #[error(
        "a key is named by its number, by its first {KEY_BEGINNING_LENGTH} characters as \
         `daicho key list` shows them, or by its full text; found part of a key or a mistyped one ({0})"
    )]
    Key(KeyFault),
    #[error(
        "a key is named by its number, by its first {KEY_BEGINNING_LENGTH} characters as \
         `daicho key list` shows them, or by its full text; found none of these"
    )]
    Other,
}

impl KeySelector {
    /// Parses a number, first characters (with or without `…`) or a full key.
    pub fn parse(text: &str) -> Result<KeySelector, KeySelectorFault> {
        if text.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(id) = text.parse()
        {
            return Ok(KeySelector::Id(KeyId(id)));
        }
        let beginning = text.strip_suffix('…').unwrap_or(text);
        match ApiKey::parse(text) {
            Ok(key) => Ok(KeySelector::Hash(key.hash())),
            Err(KeyFault::Prefix) => Err(KeySelectorFault::Other),
            Err(_) if beginning.len() == KEY_BEGINNING_LENGTH => {
                Ok(KeySelector::Beginning(beginning.to_owned()))
            }
            Err(fault) => Err(KeySelectorFault::Key(fault)),
        }
    }
}

impl fmt::Display for KeySelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySelector::Id(id) => write!(f, "number {id}"),
            KeySelector::Hash(_) => f.write_str("this text"),
            KeySelector::Beginning(beginning) => write!(f, "the beginning {beginning}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::KeyKind;
    use crate::account::tests::key;

    #[test]
    fn a_key_is_selected_by_number_beginning_or_text() {
        #[track_caller]
        fn check(text: &str, expected: Result<KeySelector, KeySelectorFault>) {
            assert_eq!(KeySelector::parse(text), expected, "{text:?}");
        }
        let whole = key(1, KeyKind::Secret);
        let beginning = || Ok(KeySelector::Beginning("dk_sec_aaaa".to_owned()));
        let length = |found| Err(KeySelectorFault::Key(KeyFault::Length { found }));
        check("7", Ok(KeySelector::Id(KeyId(7))));
        check("dk_sec_aaaa", beginning());
        check("dk_sec_aaaa…", beginning());
        check(whole.reveal(), Ok(KeySelector::Hash(whole.hash())));
        check(&whole.reveal()[..30], length(30));
        check("dk_sec_", length(7));
        check(
            &format!("{}a", &whole.reveal()[..45]),
            Err(KeySelectorFault::Key(KeyFault::Checksum)),
        );
        check("", Err(KeySelectorFault::Other));
        check("-1", Err(KeySelectorFault::Other));
        check("99999999999999999999", Err(KeySelectorFault::Other));
        check("demo", Err(KeySelectorFault::Other));
    }
}
