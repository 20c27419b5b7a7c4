//! `daicho webhook`: lists and resends deliveries.

use std::io::Write;

use clap::Subcommand;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::data::today;
use super::print::{TableRecord, print_records};
use super::{error::CommandError, store::StoreCommand};
use crate::account::{AccountName, random_bytes};
use crate::radar::delivery::{self, AttemptRecord, Delivery};
use crate::radar::webhook::{DeliveryId, event::ID_RANDOM_LENGTH};

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
            print_records(out, json, &[delivery])
        }
        Verb::Test { name } => {
            let (mut store, account) = args.store.open_account(name)?;
            let id = DeliveryId::from_random(random_bytes::<ID_RANDOM_LENGTH>()?);
            let now = Timestamp::now();
            let delivery = delivery::create_test(&mut store, &id, account.id, today(now)?, now)?;
            print_records(out, json, &[delivery])
        }
    }
}

impl TableRecord<9> for Delivery {
    const HEADING: [&'static str; 9] = [
        "ID",
        "ACCOUNT",
        "KIND",
        "REGISTER",
        "DATE",
        "STATE",
        "ATTEMPTS",
        "CREATED",
        "LAST RESPONSE",
    ];

    fn cells(&self) -> [String; 9] {
        [
            self.id.to_string(),
            self.account.to_string(),
            self.kind.as_str().to_owned(),
            self.register.as_str().to_owned(),
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
            "register": self.register.as_str(),
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
