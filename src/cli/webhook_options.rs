//! The options that set an account's webhook, and the one that names the key of webhook secrets, for the commands that
//! encrypt or decrypt them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{error::CommandError, password::variable, print::own, store::StateArg};
use crate::account::store::{Store, StoreLocation};
use crate::account::{Account, AccountId, authorize_radar, random_bytes};
use crate::radar::registration;
use crate::radar::stored_secret::{KeyLocation, SecretCipher};
use crate::radar::webhook::{Secret, UrlError, WebhookUrl, signature::SECRET_RANDOM_LENGTH};

#[derive(Debug, Clone)]
pub enum WebhookSetting {
    Url(WebhookUrl),
    Remove,
}

/// The value that removes a webhook.
const NONE: &str = "none";

impl WebhookSetting {
    pub fn parse(text: &str) -> Result<WebhookSetting, UrlError> {
        match text {
            NONE => Ok(WebhookSetting::Remove),
            text => WebhookUrl::parse(text).map(WebhookSetting::Url),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SecretSetting {
    /// Replace the secret; deliveries are also signed with the old one for one more day
    Rotate,
}

/// Changes to the webhook of one account.
#[derive(Debug, Args)]
pub struct WebhookChange {
    /// URL that change notifications are sent to, or none
    #[arg(long, value_name = "URL|none", value_parser = WebhookSetting::parse)]
    webhook: Option<WebhookSetting>,
    /// Replace the secret of the webhook
    #[arg(long, value_enum, value_name = "rotate")]
    webhook_secret: Option<SecretSetting>,
    #[command(flatten)]
    key: WebhookKeyArg,
}

#[derive(Debug)]
pub struct ChangedWebhook {
    /// `None` if there is no webhook.
    url: Option<WebhookUrl>,
    secret: Option<Secret>,
}

impl WebhookChange {
    /// Rejects contradicting options before anything is changed.
    pub fn check(&self) -> Result<(), CommandError> {
        if matches!(self.webhook, Some(WebhookSetting::Remove)) && self.webhook_secret.is_some() {
            let message = "--webhook-secret needs a webhook; found --webhook none; leave one out";
            return Err(CommandError::Usage(message.to_owned()));
        }
        Ok(())
    }

    /// Rejects a webhook for an account whose plan has no watch list.
    pub fn check_plan(&self, account: &Account) -> Result<(), CommandError> {
        match (&self.webhook, authorize_radar(account)) {
            (Some(WebhookSetting::Url(_)), Err(denied)) => Err(CommandError::Failed(format!(
                "the webhook was not set: {denied}; change the plan with --plan first"
            ))),
            _ => Ok(()),
        }
    }

    /// The key that encrypts secrets. Without it, a change that creates a secret fails here, before anything is
    /// changed.
    pub fn cipher(
        &self,
        state: &StateArg,
        store: &mut Store,
        account: AccountId,
    ) -> Result<SecretCipher, CommandError> {
        let cipher = self.key.cipher(state)?;
        let is_first = matches!(self.webhook, Some(WebhookSetting::Url(_)))
            && registration::find(store, account)?.is_none();
        if is_first || self.webhook_secret.is_some() {
            registration::prepare_key(store, &cipher)?;
        }
        Ok(cipher)
    }

    /// Applies the change; returns `None` if there is none.
    pub fn apply(
        &self,
        store: &mut Store,
        cipher: &SecretCipher,
        account: AccountId,
    ) -> Result<Option<ChangedWebhook>, CommandError> {
        let now = Timestamp::now();
        let mut changed = None;
        match &self.webhook {
            None => {}
            Some(WebhookSetting::Remove) => {
                registration::remove(store, account, now)?;
                changed = Some(ChangedWebhook { url: None, secret: None });
            }
            Some(WebhookSetting::Url(url)) => {
                let new_secret = Secret::from_random(random_bytes::<SECRET_RANDOM_LENGTH>()?);
                let (webhook, is_new) =
                    registration::set_url(store, cipher, account, url, &new_secret, now)?;
                let secret = is_new.then_some(new_secret);
                changed = Some(ChangedWebhook { url: Some(webhook.url), secret });
            }
        }
        if self.webhook_secret == Some(SecretSetting::Rotate) {
            let secret = Secret::from_random(random_bytes::<SECRET_RANDOM_LENGTH>()?);
            let webhook = registration::rotate_secret(store, cipher, account, &secret, now)?;
            changed = Some(ChangedWebhook { url: Some(webhook.url), secret: Some(secret) });
        }
        Ok(changed)
    }
}

impl ChangedWebhook {
    pub fn json(&self) -> Value {
        let Some(url) = &self.url else { return Value::Null };
        let mut shown = json!({ "url": url.as_str() });
        if let Some(secret) = &self.secret {
            shown["secret"] = secret.reveal().into();
        }
        shown
    }

    /// Lines for people.
    pub fn text(&self) -> String {
        match (self.url.as_ref().map(own), &self.secret) {
            (None, _) => {
                "\nThe webhook was removed: the account gets no change notifications.\n".to_owned()
            }
            (Some(url), None) => {
                format!("\nIts webhook is {url}; the secret has not changed.\n")
            }
            (Some(url), Some(secret)) => format!(
                "\nIts webhook is {url}. The secret is:\n\n{secret}\n\n\
                 Copy it now: it is not shown again. Receivers use it to verify the\n\
                 signature of an event (Standard Webhooks). A replaced secret stays\n\
                 valid for one day.\n",
                secret = own(secret.reveal())
            ),
        }
    }
}

pub const VARIABLE: &str = "DAICHO_WEBHOOK_KEY";

#[derive(Debug, Clone, Args)]
pub struct WebhookKeyArg {
    /// File with the key that encrypts webhook secrets; or set DAICHO_WEBHOOK_KEY. All servers and
    /// commands that share a state need the same key [default for a state file: FILE.webhook-key
    /// beside it, created when first needed]
    #[arg(long, value_name = "FILE", env = "DAICHO_WEBHOOK_KEY_FILE")]
    pub webhook_key_file: Option<PathBuf>,
}

impl WebhookKeyArg {
    pub fn cipher(&self, state: &StateArg) -> Result<SecretCipher, CommandError> {
        self.location(state).map(SecretCipher::new)
    }

    pub fn location(&self, state: &StateArg) -> Result<KeyLocation, CommandError> {
        Ok(match (&self.webhook_key_file, variable(VARIABLE)?) {
            (Some(_), Some(_)) => {
                let message = format!(
                    "key of webhook secrets: expected --webhook-key-file or {VARIABLE}; found both; \
                     leave one out"
                );
                return Err(CommandError::Usage(message));
            }
            (Some(file), None) => KeyLocation::File(file.clone()),
            (None, Some(text)) => KeyLocation::Variable { name: VARIABLE, text },
            (None, None) => match state.location()? {
                StoreLocation::File(path) => KeyLocation::BesideState(path),
                StoreLocation::Postgres(_) => KeyLocation::NotConfigured,
            },
        })
    }
}
