//! `daicho webhook`: what is and was to be delivered; and what `daicho account set` does to the
//! webhook of an account.

use std::io::{self, Write};

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::random::random;
use super::state::{explain, unwritten};
use super::table::write_table;
use super::{CommandError, StoreArgs};
use crate::account::store::{IfMissing, Store};
use crate::account::{AccountId, AccountName, day_in_japan};
use crate::radar::store::deliveries::Kind;
use crate::radar::store::{AttemptRecord, Delivery, Which};
use crate::radar::webhook::event::ID_RANDOM_LENGTH;
use crate::radar::webhook::signature::SECRET_RANDOM_LENGTH;
use crate::radar::webhook::{DeliveryId, Secret, WebhookUrl, WebhookUrlError};

/// Webhooks: what was delivered, and what was not. `daicho account set` registers them.
#[derive(Debug, Args)]
pub struct WebhookArgs {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show the latest deliveries, the newest first
    List {
        /// Of this account only
        #[arg(long, value_parser = AccountName::parse)]
        account: Option<AccountName>,
        /// How many
        #[arg(long, value_name = "COUNT", default_value_t = 50)]
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
    },
    /// Show every attempt of a delivery
    Show {
        /// Its id, as `daicho webhook list` shows it
        #[arg(value_parser = DeliveryId::parse)]
        id: DeliveryId,
    },
    /// Send a delivery again, whatever became of it
    Redeliver {
        /// Its id, as `daicho webhook list` shows it
        #[arg(value_parser = DeliveryId::parse)]
        id: DeliveryId,
    },
    /// Send an event of today to an account, to see whether it arrives
    Test {
        /// Name of the account
        #[arg(value_parser = AccountName::parse)]
        name: AccountName,
    },
}

/// Does what `args` ask and writes the outcome to `out`. Sending is the running server's work.
pub fn run(args: &WebhookArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let mut store = args.store.open(IfMissing::Refuse)?;
    match &args.verb {
        Verb::List { account, limit } => {
            let which = match account {
                // So that a name that nobody has is told, and not taken for one without deliveries.
                Some(name) => {
                    store.account(name).map_err(|error| explain(&mut store, error))?;
                    Which::Of(name)
                }
                None => Which::All,
            };
            write_deliveries(out, args.store.json, &store.deliveries(which, *limit)?)
        }
        Verb::Show { id } => {
            let attempts = store.delivery_attempts(id)?;
            write_attempts(out, args.store.json, &attempts)
        }
        Verb::Redeliver { id } => {
            let delivery = store.redeliver(id, None, Timestamp::now())?;
            write_deliveries(out, args.store.json, std::slice::from_ref(&delivery))
        }
        Verb::Test { name } => {
            let account = store.account(name).map_err(|error| explain(&mut store, error))?;
            let id = DeliveryId::from_random(random::<ID_RANDOM_LENGTH>()?);
            let now = Timestamp::now();
            let day = day_in_japan(now).ok_or_else(|| {
                let message = format!("expected a clock in the years 1 to 9999, found {now}");
                CommandError::BadInput(message)
            })?;
            store.test_delivery(&id, account.id, day, now)?;
            let made = store.deliveries(Which::Of(name), 1)?;
            write_deliveries(out, args.store.json, &made)
        }
    }
    .map_err(unwritten)
}

/// What is to change of an account's webhook.
#[derive(Debug, Clone)]
pub enum WebhookSetting {
    /// Events go to this URL.
    Url(WebhookUrl),
    /// Events go nowhere.
    Remove,
}

/// What stands for no webhook on the command line.
const NONE: &str = "none";

impl WebhookSetting {
    /// Reads a URL or `none`.
    pub fn parse(text: &str) -> Result<WebhookSetting, WebhookUrlError> {
        match text {
            NONE => Ok(WebhookSetting::Remove),
            text => WebhookUrl::parse(text).map(WebhookSetting::Url),
        }
    }
}

/// What to do with a webhook's secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SecretSetting {
    /// Put a new one in its place; the old one signs as well for another day.
    Rotate,
}

/// Changes to the webhook of one account.
#[derive(Debug, Args)]
pub struct WebhookChange {
    /// Where the account is told of changes: a URL, or none
    #[arg(long, value_name = "URL|none", value_parser = WebhookSetting::parse)]
    webhook: Option<WebhookSetting>,
    /// Give the webhook a new secret
    #[arg(long, value_enum, value_name = "rotate")]
    webhook_secret: Option<SecretSetting>,
}

/// A webhook as it is after a change.
#[derive(Debug)]
pub struct WebhookShown {
    /// Where events go; `None` where they go nowhere.
    url: Option<WebhookUrl>,
    /// The secret, where it was made just now.
    secret: Option<Secret>,
}

impl WebhookChange {
    /// Refuses what cannot be done together, before anything is done.
    pub fn check(&self) -> Result<(), CommandError> {
        if matches!(self.webhook, Some(WebhookSetting::Remove)) && self.webhook_secret.is_some() {
            let message = "--webhook-secret needs a webhook; found --webhook none; leave one out";
            return Err(CommandError::Usage(message.to_owned()));
        }
        Ok(())
    }

    /// Does it; `None` where nothing was to be done.
    pub fn apply(
        &self,
        store: &mut Store,
        account: AccountId,
    ) -> Result<Option<WebhookShown>, CommandError> {
        let now = Timestamp::now();
        let mut shown = None;
        match &self.webhook {
            None => {}
            Some(WebhookSetting::Remove) => {
                store.remove_webhook(account, now)?;
                shown = Some(WebhookShown { url: None, secret: None });
            }
            Some(WebhookSetting::Url(url)) => {
                let first = Secret::from_random(random::<SECRET_RANDOM_LENGTH>()?);
                let webhook = store.set_webhook(account, url, &first, now)?;
                let secret = (webhook.secrets.current == first).then_some(first);
                shown = Some(WebhookShown { url: Some(webhook.url), secret });
            }
        }
        if self.webhook_secret == Some(SecretSetting::Rotate) {
            let secret = Secret::from_random(random::<SECRET_RANDOM_LENGTH>()?);
            let webhook = store.rotate_webhook_secret(account, &secret, now)?;
            shown = Some(WebhookShown { url: Some(webhook.url), secret: Some(secret) });
        }
        Ok(shown)
    }
}

impl WebhookShown {
    /// As a member of the account's JSON.
    pub fn json(&self) -> Value {
        let Some(url) = &self.url else { return Value::Null };
        let mut shown = json!({ "url": url.as_str() });
        if let Some(secret) = &self.secret {
            shown["secret"] = secret.reveal().into();
        }
        shown
    }

    /// For people.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match (&self.url, &self.secret) {
            (None, _) => writeln!(out, "\nIt has no webhook now, and no radar."),
            (Some(url), None) => writeln!(out, "\nIts webhook is {url}; the secret is as it was."),
            (Some(url), Some(secret)) => {
                writeln!(out, "\nIts webhook is {url}, and this is the secret:")?;
                writeln!(out, "\n{}\n", secret.reveal())?;
                writeln!(
                    out,
                    "Copy it now: it is not shown again. Receivers verify with it that an"
                )?;
                writeln!(
                    out,
                    "event is this server's (Standard Webhooks). One that was replaced is"
                )?;
                writeln!(out, "good for another day.")
            }
        }
    }
}

fn write_deliveries(out: &mut dyn Write, json: bool, deliveries: &[Delivery]) -> io::Result<()> {
    if json {
        let all: Value = deliveries.iter().map(delivery_json).collect();
        return writeln!(out, "{all}");
    }
    let row = |delivery: &Delivery| {
        [
            delivery.id.to_string(),
            delivery.account.to_string(),
            kind(delivery).to_owned(),
            delivery.day.to_string(),
            delivery.state.as_str().to_owned(),
            delivery.attempts.to_string(),
            time(delivery.created_at),
            delivery.last.as_ref().map_or_else(String::new, answer),
        ]
    };
    let rows: Vec<_> = deliveries.iter().map(row).collect();
    let heading = ["ID", "ACCOUNT", "KIND", "DATE", "STATE", "ATTEMPTS", "MADE", "LAST ANSWER"];
    write_table(out, heading, &rows)
}

fn delivery_json(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id.as_str(),
        "account": delivery.account.as_str(),
        "kind": kind(delivery),
        "date": delivery.day.to_string(),
        "state": delivery.state.as_str(),
        "attempts": delivery.attempts,
        "created_at": time(delivery.created_at),
        "next_attempt_at": time(delivery.next_attempt_at),
        "finished_at": delivery.finished_at.map(time),
        "last": delivery.last.as_ref().map(attempt_json),
    })
}

fn write_attempts(out: &mut dyn Write, json: bool, attempts: &[AttemptRecord]) -> io::Result<()> {
    if json {
        let all: Value = attempts.iter().map(attempt_json).collect();
        return writeln!(out, "{all}");
    }
    let row = |attempt: &AttemptRecord| {
        let took = format!("{} ms", attempt.took_ms);
        [attempt.number.to_string(), time(attempt.at), took, answer(attempt)]
    };
    let rows: Vec<_> = attempts.iter().map(row).collect();
    write_table(out, ["ATTEMPT", "TIME", "TOOK", "ANSWER"], &rows)
}

fn attempt_json(attempt: &AttemptRecord) -> Value {
    json!({
        "number": attempt.number,
        "at": time(attempt.at),
        "status": attempt.status,
        "error": attempt.error,
        "took_ms": attempt.took_ms,
    })
}

fn kind(delivery: &Delivery) -> &'static str {
    match delivery.kind {
        Kind::Radar => "radar",
        Kind::Test => "test",
    }
}

/// What a receiver answered, or why it did not.
fn answer(attempt: &AttemptRecord) -> String {
    match (attempt.status, &attempt.error) {
        (Some(status), _) => format!("status {status}"),
        (None, Some(error)) => error.replace(char::is_control, " "),
        (None, None) => String::new(),
    }
}

/// A second since 1970 for people and programs.
fn time(second: i64) -> String {
    Timestamp::from_second(second).map_or_else(|_range| second.to_string(), |time| time.to_string())
}
