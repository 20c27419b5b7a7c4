//! `daicho webhook`: lists and resends deliveries. Also the webhook options of `daicho account set`.

use std::io::{self, Write};

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::table::{TableRecord, print_records};
use super::webhook_key::WebhookKeyArg;
use super::{
    error::CommandError,
    store::{StateArg, StoreCommand},
};
use crate::account::{Account, AccountId, AccountName, authorize_radar};
use crate::account::{random::random_bytes, store::Store};
use crate::calendar::day_in_japan;
use crate::radar::delivery::{self, AttemptRecord, Delivery};
use crate::radar::registration;
use crate::radar::secret_cipher::SecretCipher;
use crate::radar::webhook::event::ID_RANDOM_LENGTH;
use crate::radar::webhook::signature::SECRET_RANDOM_LENGTH;
use crate::radar::webhook::{DeliveryId, Secret, WebhookUrl, WebhookUrlError};

pub type WebhookArgs = StoreCommand<Verb>;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the latest deliveries, newest first
    List {
        /// Only the deliveries of this account
        #[arg(long, value_parser = AccountName::parse)]
        account: Option<AccountName>,
        /// Maximum number of deliveries to list
        #[arg(long, value_name = "COUNT", default_value_t = 50)]
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
    },
    /// Show every attempt of a delivery
    Show {
        /// Id of the delivery, as shown by `daicho webhook list`
        #[arg(value_parser = DeliveryId::parse)]
        id: DeliveryId,
    },
    /// Send a delivery again, whether it succeeded or failed
    Redeliver {
        /// Id of the delivery, as shown by `daicho webhook list`
        #[arg(value_parser = DeliveryId::parse)]
        id: DeliveryId,
    },
    /// Send a test event to an account's webhook
    Test {
        /// Name of the account
        #[arg(value_parser = AccountName::parse)]
        name: AccountName,
    },
}

/// Queues deliveries; the running server sends them.
pub fn run(args: &WebhookArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let json = args.store.json;
    match &args.verb {
        Verb::List { account: None, limit } => {
            print_records(out, json, &delivery::latest(&mut args.store.open()?, None, *limit)?)
        }
        Verb::List { account: Some(name), limit } => {
            let (mut store, _) = args.store.open_account(name)?;
            print_records(out, json, &delivery::latest(&mut store, Some(name), *limit)?)
        }
        Verb::Show { id } => {
            print_records(out, json, &delivery::attempts(&mut args.store.open()?, id)?)
        }
        Verb::Redeliver { id } => {
            let mut store = args.store.open()?;
            let delivery = delivery::redeliver(&mut store, id, None, Timestamp::now())?;
            print_records(out, json, std::slice::from_ref(&delivery))
        }
        Verb::Test { name } => {
            let (mut store, account) = args.store.open_account(name)?;
            let id = DeliveryId::from_random(random_bytes::<ID_RANDOM_LENGTH>()?);
            let now = Timestamp::now();
            let day = day_in_japan(now).ok_or_else(|| {
                CommandError::failed("the system clock is wrong: expected a year from 1 to 9999")
            })?;
            let delivery = delivery::create_test(&mut store, &id, account.id, day, now)?;
            print_records(out, json, std::slice::from_ref(&delivery))
        }
    }
}

#[derive(Debug, Clone)]
pub enum WebhookSetting {
    Url(WebhookUrl),
    Remove,
}

/// The value that removes a webhook.
const NONE: &str = "none";

impl WebhookSetting {
    pub fn parse(text: &str) -> Result<WebhookSetting, WebhookUrlError> {
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

/// The webhook of an account after a change.
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

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match (&self.url, &self.secret) {
            (None, _) => writeln!(
                out,
                "\nThe webhook was removed: the account gets no change notifications."
            ),
            (Some(url), None) => {
                writeln!(out, "\nIts webhook is {url}; the secret has not changed.")
            }
            (Some(url), Some(secret)) => {
                writeln!(out, "\nIts webhook is {url}. The secret is:\n\n{}\n", secret.reveal())?;
                writeln!(
                    out,
                    "Copy it now: it is not shown again. Receivers use it to verify the\n\
                     signature of an event (Standard Webhooks). A replaced secret stays\n\
                     valid for one day."
                )
            }
        }
    }
}

impl TableRecord<8> for Delivery {
    const HEADING: [&'static str; 8] =
        ["ID", "ACCOUNT", "KIND", "DATE", "STATE", "ATTEMPTS", "CREATED", "LAST RESPONSE"];

    fn cells(&self) -> [String; 8] {
        [
            self.id.to_string(),
            self.account.to_string(),
            self.kind.as_str().to_owned(),
            self.day.to_string(),
            self.state.as_str().to_owned(),
            self.attempts.to_string(),
            time(self.created_at),
            self.last_attempt.as_ref().map_or_else(String::new, response_in_words),
        ]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.id.as_str(),
            "account": self.account.as_str(),
            "kind": self.kind.as_str(),
            "date": self.day.to_string(),
            "state": self.state.as_str(),
            "attempts": self.attempts,
            "created_at": time(self.created_at),
            "next_attempt_at": time(self.next_attempt_at),
            "finished_at": self.finished_at.map(time),
            "last": self.last_attempt.as_ref().map(TableRecord::json),
        })
    }
}

impl TableRecord<4> for AttemptRecord {
    const HEADING: [&'static str; 4] = ["ATTEMPT", "TIME", "DURATION", "RESPONSE"];

    fn cells(&self) -> [String; 4] {
        let duration = format!("{} ms", self.took_ms);
        [self.number.to_string(), time(self.started_at), duration, response_in_words(self)]
    }

    fn json(&self) -> Value {
        json!({
            "number": self.number,
            "at": time(self.started_at),
            "status": self.status,
            "error": self.error,
            "took_ms": self.took_ms,
        })
    }
}

/// The response of the receiver, or the reason why there is none.
fn response_in_words(attempt: &AttemptRecord) -> String {
    match (attempt.status, &attempt.error) {
        (Some(status), _) => format!("status {status}"),
        (None, Some(error)) => error.replace(char::is_control, " "),
        (None, None) => String::new(),
    }
}

fn time(second: i64) -> String {
    Timestamp::from_second(second).map_or_else(|_range| second.to_string(), |time| time.to_string())
}
