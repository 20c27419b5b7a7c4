//! Accounts, their keys, and what each may do.
//!
//! A request presents a key. [`Keyring::find`] says whose it is, [`KeyEntry::allows_origin`]
//! whether it may come from there, [`decide`] whether the account may have what it asks for. All
//! three are pure and answer from memory; [`LiveKeys`] keeps that memory in step with the
//! [`store`], where accounts and keys are kept.
//!
//! What an account asks is counted by its [`Meter`] and held against its [`Quota`], in memory; the
//! [`UsageWriter`] brings the counts to the store.
//!
//! Of a key only its SHA-256 is ever stored or held: the text is shown once, when it is made.
//!
//! Does not know HTTP. Of the clock it knows what callers pass in, but for [`live`] and [`usage`],
//! whose threads wait.

mod access;
mod japan;
mod key;
mod keyring;
pub mod live;
pub mod lockout;
pub mod meter;
mod origin;
mod password;
mod plan;
pub mod quota;
pub mod random;
mod session;
pub mod store;
pub mod usage;

pub use access::{Denied, Service, decide, decide_for};
pub use japan::{JAPAN, day_in_japan};
pub use key::{ApiKey, KEY_LENGTH, KEY_RANDOM_LENGTH, KeyFault, KeyHash, KeyId, KeyKind};
pub use keyring::{KeyEntry, Keyring};
pub use live::{LiveKeys, Refresher};
pub use meter::{Allowance, Exhausted, Meter, Meters};
pub use origin::{Origin, OriginError, OriginFault};
pub use password::{
    HashFault, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, Password, PasswordFault, PasswordHash,
    SALT_LENGTH,
};
pub use plan::Plan;
pub use quota::{Quota, Rate};
pub use session::{SESSION_TIME, Session, TOKEN_LENGTH, Token, TokenHash, Who};
pub use usage::UsageWriter;

use std::fmt;

use crate::text::codes::ApiVersion;

/// Who may ask, and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The store's number; never given to another account.
    pub id: AccountId,
    /// The name, unique in the store.
    pub name: AccountName,
    /// What it may use.
    pub plan: Plan,
    /// Whether it has the batch option.
    pub batch: bool,
    /// The interface version used where a request names none; `None` is always the newest.
    pub api_version: Option<ApiVersion>,
}

/// The store's number of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub i64);

/// The longest name of an account, in characters. A bound for lists, not a rule of any contract.
pub const ACCOUNT_NAME_LENGTH_MAX: usize = 100;

/// The name of an account: not empty, at most [`ACCOUNT_NAME_LENGTH_MAX`] characters, none of
/// them a control character, no white space at either end. Two names are the same if their
/// characters are: nothing is folded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName(Box<str>);

/// A text cannot name an account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountNameFault {
    /// Nothing, or too much.
    #[error(
        "an account's name has 1 to {ACCOUNT_NAME_LENGTH_MAX} characters; found {found} characters"
    )]
    Length {
        /// Characters found.
        found: usize,
    },
    /// A line break, an escape or the like, with its place from 1.
    #[error(
        "an account's name has no control characters; found {character:?} at character {place}"
    )]
    Control {
        /// The character.
        character: char,
        /// Its place, from 1.
        place: usize,
    },
    /// White space that nobody would see.
    #[error("an account's name begins and ends with a visible character; found {found:?}")]
    Surrounded {
        /// The text.
        found: String,
    },
}

impl AccountName {
    /// Checks a name; see [`AccountName`] for the rules.
    pub fn parse(text: &str) -> Result<AccountName, AccountNameFault> {
        let found = text.chars().count();
        if found == 0 || found > ACCOUNT_NAME_LENGTH_MAX {
            return Err(AccountNameFault::Length { found });
        }
        if let Some((at, character)) = text.chars().enumerate().find(|(_, c)| c.is_control()) {
            return Err(AccountNameFault::Control { character, place: at + 1 });
        }
        if text.trim() != text {
            return Err(AccountNameFault::Surrounded { found: text.to_owned() });
        }
        Ok(AccountName(text.into()))
    }

    /// The name.
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
    fn names_are_visible_text_of_bounded_length() {
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
