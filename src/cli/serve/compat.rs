//! The options for the protocols of other services, and the line at the start that says which are open to anyone.

use clap::Args;

use crate::account::{AccountName, Keyring};
use crate::cli::error::CommandError;
use crate::compat::{self, ALL, Enabled};
use crate::language::Language;

#[derive(Debug, Args)]
pub struct CompatArgs {
    #[arg(long, value_name = "NAMES", env = "DAICHO_COMPAT", value_delimiter = ',', help = help())]
    compat: Vec<String>,
    /// Account that takes requests in these protocols that carry no key. Anyone may then send them; they
    /// count under its first public key, in its quota and its plan
    #[arg(long, value_name = "NAME", env = "DAICHO_COMPAT_ACCOUNT")]
    compat_account: Option<String>,
}

fn help() -> String {
    let names = compat::listed_names();
    format!("Protocols of other services to answer too, separated by commas: {names}, or `{ALL}`")
}

#[derive(Debug, Default)]
pub struct CompatConfig {
    pub enabled: Enabled,
    pub account: Option<AccountName>,
}

impl CompatArgs {
    pub fn check(&self) -> Result<CompatConfig, CommandError> {
        let names = self.compat.iter().map(String::as_str);
        let enabled = Enabled::parse(names)
            .map_err(|error| CommandError::Usage(format!("--compat: {error}")))?;
        let account = self.compat_account.as_deref().map(AccountName::parse).transpose();
        let account =
            account.map_err(|fault| CommandError::Usage(format!("--compat-account: {fault}")))?;
        if account.is_some() && enabled.is_empty() {
            let message = "--compat-account needs --compat; found it alone; name the protocols, such as --compat zipcloud";
            return Err(CommandError::Usage(message.to_owned()));
        }
        Ok(CompatConfig { enabled, account })
    }
}

impl CompatConfig {
    /// Fails if the account has no key under which its requests could count.
    pub fn require_account(&self, keyring: &Keyring) -> Result<(), CommandError> {
        let Some(account) = &self.account else { return Ok(()) };
        if keyring.first_key_of(account).is_some() {
            return Ok(());
        }
        let (shown, name) = (account.as_str(), account.as_argument());
        Err(CommandError::Failed(format!(
            "--compat-account: expected an account with a live key, under which its requests count; found none of the \
             name {shown:?}; see `daicho account list`, or create a key with \
             `daicho key create --account {name} --kind public`"
        )))
    }

    /// The line that announces the protocols; empty without any.
    pub fn announcement(&self, language: Language) -> String {
        if self.enabled.is_empty() {
            return String::new();
        }
        let names = self.enabled.names().collect::<Vec<_>>().join(", ");
        let account = self.account.as_ref().map(AccountName::as_str);
        match (language, account) {
            (Language::English, None) => format!("also answering {names}, with a key\n"),
            (Language::English, Some(account)) => format!(
                "also answering {names}, to anyone without a key: requests count for the account {account}\n"
            ),
            (Language::Japanese, None) => {
                format!("ほかに応答するプロトコル（APIキーが必要）: {names}\n")
            }
            (Language::Japanese, Some(account)) => format!(
                "ほかに応答するプロトコル（APIキーは不要。リクエストはアカウント{account}に数えます）: {names}\n"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(compat: &str, account: Option<&str>) -> Result<CompatConfig, String> {
        let compat = compat.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let args = CompatArgs { compat, compat_account: account.map(str::to_owned) };
        args.check().map_err(|error| {
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        })
    }

    #[test]
    fn wrong_options_are_named() {
        let line = |compat, account| {
            check(compat, account).map(|config| config.announcement(Language::English))
        };
        assert_eq!(line("", None).as_deref(), Ok(""));
        assert_eq!(line("zipcloud", None).as_deref(), Ok("also answering zipcloud, with a key\n"));
        let open = line("jpostal,zipcloud", Some("shop")).expect("sound");
        assert!(open.contains("zipcloud, jpostal, to anyone without a key"), "{open}");
        assert!(open.contains("the account shop"), "{open}");
        let error = line("zip", None).expect_err("no protocol");
        assert!(error.starts_with("--compat: expected") && error.contains("jpostal"), "{error}");
        let error = line("", Some("shop")).expect_err("alone");
        assert!(error.contains("--compat-account needs --compat"), "{error}");
        let error = line("all", Some("")).expect_err("no name");
        assert!(error.starts_with("--compat-account: "), "{error}");
    }

    #[test]
    fn an_account_without_a_key_stops_the_start() {
        let config = check("all", Some("shop")).expect("sound");
        let error = config.require_account(&Keyring::default()).expect_err("no key").to_string();
        for part in ["--compat-account", "\"shop\"", "daicho key create --account shop"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
