//! `daicho key`: creates, lists and revokes API keys.

use std::io::Write;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::error::CommandError;
use super::language;
use super::named_value::one_of;
use super::print::{TableRecord, output_error, own, print_records};
use super::store::{KeysMaxArg, StoreArgs, StoreCommand, record_operation};
use crate::account::store::{KeyRecord, NewKey};
use crate::account::{
    AccountName, ApiKey, KEY_RANDOM_LENGTH, KeyEnd, KeyKind, KeyLabel, KeySelector, Origin,
    random_bytes,
};

pub type KeyArgs = StoreCommand<Verb>;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create a key and print it; the key is shown only once
    Create(CreateArgs),
    /// List the keys, including revoked ones: first characters, label and last use
    List {
        /// Only the keys of this account
        #[arg(long, env = "DAICHO_ACCOUNT", value_name = "NAME")]
        #[arg(value_parser = AccountName::parse)]
        account: Option<AccountName>,
    },
    /// Revoke keys; running servers reject them within one second
    Revoke {
        /// Id, first characters (dk_sec_ab12) or full text of a key
        #[arg(required = true, value_name = "KEY_OR_ID")]
        keys: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub struct CreateArgs {
    /// Account that the key belongs to
    #[arg(long, env = "DAICHO_ACCOUNT", value_name = "NAME", value_parser = AccountName::parse)]
    account: AccountName,
    /// Use public keys in browsers and secret keys on servers
    #[arg(long, value_parser = one_of(KeyKind::ALL, KeyKind::as_str))]
    kind: KeyKind,
    /// Web origin from which a public key is accepted, such as https://www.example.com; may be repeated
    #[arg(long = "origin", value_name = "URL", value_parser = Origin::parse)]
    origins: Vec<Origin>,
    /// Label shown in lists of keys, such as the purpose of the key: 1 to 60 characters
    #[arg(long, value_name = "TEXT", value_parser = KeyLabel::parse)]
    label: Option<KeyLabel>,
    /// Last day in Japan on which the key works, such as 2027-03-31, or a number of days from now, such as 90d
    #[arg(long, value_name = "DATE|DAYS", value_parser = KeyEnd::parse)]
    expires: Option<KeyEnd>,
    #[command(flatten)]
    keys_max: KeysMaxArg,
}

pub fn run(args: &KeyArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    match &args.verb {
        Verb::Create(create) => run_create(create, &args.store, out),
        Verb::List { account: None } => {
            print_records(out, args.store.json, &args.store.open()?.keys(None)?)
        }
        Verb::List { account: Some(name) } => {
            let (mut store, _) = args.store.open_account(name)?;
            print_records(out, args.store.json, &store.keys(Some(name))?)
        }
        Verb::Revoke { keys } => run_revoke(keys, &args.store, out),
    }
}

fn run_create(
    args: &CreateArgs,
    store_args: &StoreArgs,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let key = ApiKey::generate(args.kind, random_bytes::<KEY_RANDOM_LENGTH>()?);
    let (mut store, _) = store_args.open_account(&args.account)?;
    let now = Timestamp::now();
    let expires_at = args.expires.map(|end| end.at(now)).transpose();
    let expires_at =
        expires_at.map_err(|error| CommandError::usage(format!("--expires: {error}")))?;
    let new = NewKey {
        account: &args.account,
        key: &key,
        label: args.label.as_ref(),
        origins: &args.origins,
        expires_at,
    };
    let record = store.create_key(&new, args.keys_max.account_keys_max, now)?;
    let subject = Some(record.id.to_string());
    record_operation(&mut store, "key create", Some(&record.account), subject);
    let shown = match store_args.json {
        true => {
            let mut shown = record.json();
            shown["key"] = key.reveal().into();
            format!("{shown}\n")
        }
        false => language::lines(&created_text(&key, &record)).into_owned(),
    };
    let written = out.write_all(shown.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| {
        // The key was not shown, so nobody can use it, and nobody would know to revoke it.
        match store.revoke_key(&KeySelector::Id(record.id), Timestamp::now()) {
            Ok(_record) => output_error(error),
            Err(_error) => CommandError::Failed(format!(
                "cannot write the output: {error}; the new key {} was not shown, so revoke it",
                record.id
            )),
        }
    })
}

fn created_text(key: &ApiKey, record: &KeyRecord) -> String {
    let hint = match (record.kind, record.origins.as_slice()) {
        (KeyKind::Secret, _) => {
            "A secret key works from anywhere: keep it on servers, never in web pages.".to_owned()
        }
        (KeyKind::Public, []) => {
            "No --origin was given, so the key works only from pages on localhost.".to_owned()
        }
        (KeyKind::Public, origins) => {
            format!("The key works only from pages of {}.", own(origin_list(origins)))
        }
    };
    let (id, account) = (record.id, own(&record.account));
    let made = match record.kind {
        KeyKind::Secret => format!("Key {id}: a secret key of the account {account}."),
        KeyKind::Public => format!("Key {id}: a public key of the account {account}."),
    };
    let end = record.expires_at.map(|at| format!("It works until {at}.\n")).unwrap_or_default();
    format!(
        "{key}\n\nCopy the key now: only its hash is stored, and it is not shown again.\n\
         {made}\n{hint}\n{end}",
        key = own(key.reveal())
    )
}

/// Revokes all valid keys, then reports the others.
fn run_revoke(
    keys: &[String],
    store_args: &StoreArgs,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let (mut store, now) = (store_args.open()?, Timestamp::now());
    let (mut revoked, mut failures, mut is_damaged) = (Vec::new(), Vec::new(), false);
    for (position, text) in keys.iter().enumerate() {
        // A mistyped key is almost a valid key, so messages give its position instead of its text.
        let mut add_failure = |error: &dyn std::fmt::Display| {
            failures.push(format!("key {} of {}: {error}", position + 1, keys.len()));
        };
        match KeySelector::parse(text) {
            Err(fault) => add_failure(&fault),
            Ok(selector) => match store.revoke_key(&selector, now) {
                Ok(record) => {
                    let subject = Some(record.id.to_string());
                    record_operation(&mut store, "key revoke", Some(&record.account), subject);
                    revoked.push(record);
                }
                Err(error) => {
                    is_damaged |= error.is_damage();
                    add_failure(&error);
                }
            },
        }
    }
    if store_args.json || !revoked.is_empty() {
        print_records(out, store_args.json, &revoked)?;
    }
    let message = failures.join("\n");
    match failures.is_empty() {
        true => Ok(()),
        false if is_damaged => Err(CommandError::Damaged(message)),
        false => Err(CommandError::Failed(message)),
    }
}

impl TableRecord<11> for KeyRecord {
    const HEADING: [&'static str; 11] = [
        "ID", "ACCOUNT", "KIND", "KEY", "LABEL", "CREATED", "LAST USE", "FROM", "EXPIRES",
        "REVOKED", "ORIGINS",
    ];

    fn cells(&self) -> [String; 11] {
        let dash = || "-".to_owned();
        let hour = |time: Timestamp| time.strftime("%Y-%m-%dT%HZ").to_string();
        let origins = match (self.kind, self.origins.as_slice()) {
            (KeyKind::Secret, _) => "any".to_owned(),
            (KeyKind::Public, []) => "localhost only".to_owned(),
            (KeyKind::Public, origins) => origin_list(origins),
        };
        [
            self.id.to_string(),
            self.account.to_string(),
            self.kind.to_string(),
            format!("{}…", self.beginning),
            self.label.as_ref().map_or_else(dash, KeyLabel::to_string),
            self.created_at.to_string(),
            self.used_at.map_or_else(dash, hour),
            self.used_from.map_or_else(dash, |address| address.to_string()),
            self.expires_at.map_or_else(dash, |time| time.to_string()),
            self.revoked_at.map_or_else(dash, |time| time.to_string()),
            origins,
        ]
    }

    /// Does not contain the text of the key.
    fn json(&self) -> Value {
        json!({
            "id": self.id.0,
            "account": self.account.as_str(),
            "kind": self.kind.as_str(),
            "beginning": self.beginning,
            "label": self.label.as_ref().map(KeyLabel::as_str),
            "origins": self.origins.iter().map(Origin::as_str).collect::<Vec<_>>(),
            "created_at": self.created_at.to_string(),
            "used_at": self.used_at.map(|time| time.to_string()),
            "used_from": self.used_from.map(|address| address.to_string()),
            "expires_at": self.expires_at.map(|time| time.to_string()),
            "revoked_at": self.revoked_at.map(|time| time.to_string()),
        })
    }
}

fn origin_list(origins: &[Origin]) -> String {
    origins.iter().map(Origin::as_str).collect::<Vec<_>>().join(", ")
}
