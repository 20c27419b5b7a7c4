//! Who an account is: its number, name, plan and options.

use std::fmt;

use super::Plan;
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    /// Unique in the store.
    pub name: AccountName,
    pub plan: Plan,
    pub batch: bool,
    /// The API version used where a request names none; `None` is always the newest.
    pub api_version: Option<ApiVersion>,
}

/// The store's number of an account; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub i64);

/// The longest name of an account, in characters, so that lists stay readable.
pub const ACCOUNT_NAME_LENGTH_MAX: usize = 100;

/// An account's name: 1 to `ACCOUNT_NAME_LENGTH_MAX` characters, no controls, no outer spaces, not folded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName(Box<str>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountNameFault {
    #[error(
        "an account's name has 1 to {ACCOUNT_NAME_LENGTH_MAX} characters; found {found} characters"
    )]
    Length { found: usize },
    /// The position counts from 1.
    #[error(
        "an account's name has no control characters; found {character:?} at character {position}"
    )]
    Control { character: char, position: usize },
    #[error("an account's name begins and ends with a visible character; found {found:?}")]
    Surrounded { found: String },
}

impl AccountName {
    pub fn parse(text: &str) -> Result<AccountName, AccountNameFault> {
        let found = text.chars().count();
        if found == 0 || found > ACCOUNT_NAME_LENGTH_MAX {
            return Err(AccountNameFault::Length { found });
        }
        if let Some((at, character)) = text.chars().enumerate().find(|(_, c)| c.is_control()) {
            return Err(AccountNameFault::Control { character, position: at + 1 });
        }
        if text.trim() != text {
            return Err(AccountNameFault::Surrounded { found: text.to_owned() });
        }
        Ok(AccountName(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_names_are_visible_text_of_bounded_length() {
        #[track_caller]
        fn check(text: &str, expected: Result<(), &str>) {
            let found = AccountName::parse(text).map(|name| assert_eq!(name.as_str(), text));
            let found = found.map_err(|fault| fault.to_string());
            match expected {
                Ok(()) => assert_eq!(found, Ok(()), "{text:?}"),
                Err(part) => {
                    let message = found.expect_err("refused");
                    assert!(message.contains(part), "{text:?}: {message}");
                }
            }
        }
        check("demo", Ok(()));
        check("株式会社 例", Ok(()));
        check(&"台".repeat(100), Ok(()));
        check(&"台".repeat(101), Err("found 101 characters"));
        check("", Err("found 0 characters"));
        check("a\nb", Err("found '\\n' at character 2"));
        check("\u{1b}[31m", Err("at character 1"));
        check(" demo", Err("found \" demo\""));
        check("demo\u{3000}", Err("visible character"));
    }
}
