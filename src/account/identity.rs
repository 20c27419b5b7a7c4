//! Accounts: number, name, plan and options; and the labels that owners give their keys ("checkout page"). Names and
//! labels have no control characters and no outer spaces, so that different texts look different. They are not folded.

use std::borrow::Cow;
use std::sync::Arc;

use crate::text::codes::ApiVersion;
use crate::text::named_enum::named_enum;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    /// Unique in the store.
    pub name: AccountName,
    pub plan: Plan,
    pub batch: bool,
    /// The API version of requests that do not name one; `None` is always the newest.
    pub api_version: Option<ApiVersion>,
}

impl Account {
    /// The operator of the server: may use every endpoint. Not in the store.
    pub fn operator() -> Account {
        Account {
            id: AccountId(0),
            name: AccountName("operator".into()),
            plan: Plan::Enterprise,
            batch: true,
            api_version: None,
        }
    }
}

named_enum! {
    fn as_str;
    /// Which services an account may use, apart from its options. Each plan includes all previous ones; they are in ascending order.
    pub enum Plan {
        /// Banks, postal look-up, address search, the calendar.
        Standard = "standard",
        /// Also corporations, invoice issuers and the radar.
        Premium = "premium",
        /// No endpoint requires more than [`Plan::Premium`].
        Enterprise = "enterprise",
    }
}

/// The store's number of an account; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub i64);

/// The longest name of an account, in characters, so that lists stay readable.
pub const ACCOUNT_NAME_LENGTH_MAX: usize = 100;

/// An account's name: 1 to `ACCOUNT_NAME_LENGTH_MAX` characters, no controls, no outer spaces, not folded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
pub struct AccountName(Arc<str>);

impl AccountName {
    pub fn parse(text: &str) -> Result<AccountName, VisibleFault> {
        let name = parse_visible("an account's name", ACCOUNT_NAME_LENGTH_MAX, text)?;
        Ok(AccountName(name.into()))
    }

    /// The name quoted as an argument in a POSIX shell.
    pub fn as_argument(&self) -> Cow<'_, str> {
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        match self.0.chars().all(is_plain) {
            true => Cow::Borrowed(&self.0),
            false => Cow::Owned(format!("'{}'", self.0.replace('\'', "'\\''"))),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, for the record of a request: copying it would allocate each time.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

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

/// The usual maximum number of live keys of an account: each takes memory in every server, and an account may create
/// keys at the dashboard.
pub const KEYS_MAX: u64 = 1_000;

/// The longest label, in characters, so that a list of keys fits a line.
pub const KEY_LABEL_LENGTH_MAX: usize = 60;

/// 1 to [`KEY_LABEL_LENGTH_MAX`] visible characters. Several keys may have the same label.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub struct KeyLabel(Box<str>);

impl KeyLabel {
    pub fn parse(text: &str) -> Result<KeyLabel, VisibleFault> {
        parse_visible("a key's label", KEY_LABEL_LENGTH_MAX, text).map(KeyLabel)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_the_shell() {
        for (text, expected) in [
            ("shop", "shop"),
            ("株式会社例", "株式会社例"),
            ("shop 2", "'shop 2'"),
            ("it's $HOME", "'it'\\''s $HOME'"),
        ] {
            let name = AccountName::parse(text).expect("a name");
            assert_eq!(name.as_argument(), expected);
        }
    }

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

    #[test]
    fn every_plan_parses_and_plans_are_ordered() {
        for plan in Plan::ALL {
            assert_eq!(Plan::parse(plan.as_str()), Some(plan));
        }
        assert!(Plan::ALL.is_sorted());
        for text in ["", "Standard", "standard ", "gold"] {
            assert_eq!(Plan::parse(text), None, "{text:?}");
        }
    }
}

#[cfg(test)]
mod visible_tests {
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
