//! `daicho key`: makes, shows and revokes the keys of accounts.

use std::io::{self, Write};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::random::random;
use super::state::{explain, unwritten};
use super::table::write_table;
use super::{CommandError, StoreArgs};
use crate::account::store::{IfMissing, KeyRecord, KeySelector, NewKey, Store};
use crate::account::{AccountName, ApiKey, KEY_RANDOM_LENGTH, KeyKind, Origin};

/// Keys: what requests carry to say which account they are of.
#[derive(Debug, Args)]
pub struct KeyArgs {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a key and show it, once
    Create(CreateArgs),
    /// Show every key by its beginning, revoked ones too
    List {
        /// Only the keys of this account
        #[arg(long, env = "DAICHO_ACCOUNT", value_name = "NAME")]
        #[arg(value_parser = AccountName::parse)]
        account: Option<AccountName>,
    },
    /// End keys; a running server refuses them within a second
    Revoke {
        /// Number, beginning (dk_sec_ab12) or whole text of a key
        #[arg(required = true, value_name = "KEY_OR_ID")]
        keys: Vec<String>,
    },
}

#[derive(Debug, Args)]
struct CreateArgs {
    /// Account that the key is of
    #[arg(long, env = "DAICHO_ACCOUNT", value_name = "NAME", value_parser = AccountName::parse)]
    account: AccountName,
    /// Public keys are for browsers, secret keys for servers
    #[arg(long, value_parser = kind_parser())]
    kind: KeyKind,
    /// Origin a public key may be used from, such as https://www.example.com; give one option each
    #[arg(long = "origin", value_name = "URL", value_parser = Origin::parse)]
    origins: Vec<Origin>,
}

fn kind_parser() -> impl TypedValueParser<Value = KeyKind> {
    PossibleValuesParser::new(KeyKind::ALL.map(KeyKind::as_str))
        .map(|text| KeyKind::parse(&text).expect("one of the possible values"))
}

/// Does what `args` ask and writes the outcome to `out`.
pub fn run(args: &KeyArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let mut store = args.store.open(IfMissing::Refuse)?;
    match &args.verb {
        Verb::Create(create) => run_create(create, args.store.json, &mut store, out),
        Verb::List { account } => {
            let keys = store.keys(account.as_ref()).map_err(|error| explain(&mut store, error))?;
            if args.store.json {
                let all: Value = keys.iter().map(key_json).collect();
                writeln!(out, "{all}").map_err(unwritten)
            } else {
                write_keys(out, &keys).map_err(unwritten)
            }
        }
        Verb::Revoke { keys } => run_revoke(keys, args.store.json, &mut store, out),
    }
}

fn run_create(
    args: &CreateArgs,
    json: bool,
    store: &mut Store,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let key = ApiKey::generate(args.kind, random::<KEY_RANDOM_LENGTH>()?);
    let new = NewKey { account: &args.account, key: &key, origins: &args.origins };
    let made = store.create_key(&new, Timestamp::now());
    let record = made.map_err(|error| explain(store, error))?;
    let shown = write_created(out, json, &key, &record).and_then(|()| out.flush());
    shown.map_err(|error| {
        // Nobody saw the key, so nobody can use it or would think of revoking it.
        match store.revoke_key(&KeySelector::Id(record.id), Timestamp::now()) {
            Ok(_record) => unwritten(error),
            Err(_error) => CommandError::BadInput(format!(
                "the output cannot be written: {error}; revoke key {} which nobody saw",
                record.id
            )),
        }
    })
}

fn write_created(
    out: &mut dyn Write,
    json: bool,
    key: &ApiKey,
    record: &KeyRecord,
) -> io::Result<()> {
    if json {
        let mut shown = key_json(record);
        shown["key"] = Value::from(key.reveal());
        return writeln!(out, "{shown}");
    }
    writeln!(out, "{}\n", key.reveal())?;
    writeln!(out, "Copy it now: only its hash is kept, and it is not shown again.")?;
    writeln!(out, "It is the {} key {} of account {}.", record.kind, record.id, record.account)?;
    match (record.kind, record.origins.as_slice()) {
        (KeyKind::Secret, _) => {
            writeln!(out, "It works from anywhere: keep it on servers, out of web pages.")
        }
        (KeyKind::Public, []) => {
            writeln!(out, "It has no --origin, so it works from pages on localhost only.")
        }
        (KeyKind::Public, origins) => {
            writeln!(out, "It works from pages of {} only.", join(origins))
        }
    }
}

/// Revokes what can be revoked, then tells what could not.
fn run_revoke(
    keys: &[String],
    json: bool,
    store: &mut Store,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let (mut revoked, mut failures) = (Vec::new(), Vec::new());
    for (at, text) in keys.iter().enumerate() {
        // Arguments are told by their place: a mistyped key is nearly a key.
        let failed = |message: String| format!("key {} of {}: {message}", at + 1, keys.len());
        match KeySelector::parse(text) {
            Err(fault) => failures.push(CommandError::BadInput(failed(fault.to_string()))),
            Ok(which) => match store.revoke_key(&which, now) {
                Ok(record) => revoked.push(record),
                Err(error) if error.is_damage() => {
                    failures.push(CommandError::Damaged(failed(error.to_string())));
                }
                Err(error) => failures.push(CommandError::BadInput(failed(error.to_string()))),
            },
        }
    }
    if json {
        let all: Value = revoked.iter().map(key_json).collect();
        writeln!(out, "{all}").map_err(unwritten)?;
    } else if !revoked.is_empty() {
        write_keys(out, &revoked).map_err(unwritten)?;
    }
    let message = failures.iter().map(CommandError::to_string).collect::<Vec<_>>().join("\n");
    match failures.iter().max_by_key(|failure| failure.exit_code()) {
        None => Ok(()),
        Some(CommandError::Damaged(_)) => Err(CommandError::Damaged(message)),
        Some(_) => Err(CommandError::BadInput(message)),
    }
}

/// A key as programs read it; never its text.
pub(super) fn key_json(key: &KeyRecord) -> Value {
    json!({
        "id": key.id.0,
        "account": key.account.as_str(),
        "kind": key.kind.as_str(),
        "label": key.label,
        "origins": key.origins.iter().map(Origin::as_str).collect::<Vec<_>>(),
        "created_at": key.created_at.to_string(),
        "revoked_at": key.revoked_at.map(|time| time.to_string()),
    })
}

/// Keys as people read them.
pub(super) fn write_keys(out: &mut dyn Write, keys: &[KeyRecord]) -> io::Result<()> {
    let row = |key: &KeyRecord| {
        let origins = match (key.kind, key.origins.as_slice()) {
            (KeyKind::Secret, _) => "any".to_owned(),
            (KeyKind::Public, []) => "localhost only".to_owned(),
            (KeyKind::Public, origins) => join(origins),
        };
        [
            key.id.to_string(),
            key.account.to_string(),
            key.kind.to_string(),
            format!("{}…", key.label),
            key.created_at.to_string(),
            key.revoked_at.map_or_else(|| "-".to_owned(), |time| time.to_string()),
            origins,
        ]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    write_table(out, ["ID", "ACCOUNT", "KIND", "KEY", "CREATED", "REVOKED", "ORIGINS"], &rows)
}

fn join(origins: &[Origin]) -> String {
    origins.iter().map(Origin::as_str).collect::<Vec<_>>().join(", ")
}
