//! `daicho account`: makes, shows and changes accounts.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::key::{key_json, write_keys};
use super::password::{hash, read_password};
use super::plan::plan_parser;
use super::quota::{QuotaArgs, owners, quota_cells, quota_json};
use super::state::{explain, unwritten};
use super::table::write_table;
use super::webhook::{WebhookChange, WebhookShown};
use super::{CommandError, StoreArgs};
use crate::account::store::{AccountChange, IfMissing, KeyRecord, NewAccount, OwnQuota};
use crate::account::{Account, AccountName, Plan, Quota};
use crate::radar::store::Webhook;
use crate::text::codes::ApiVersion;

/// Accounts: who may use this server, and what of it.
#[derive(Debug, Args)]
pub struct AccountArgs {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make an account, and the state file where there is none
    Create(CreateArgs),
    /// Show every account
    List,
    /// Show one account and its keys
    Show {
        /// Name of the account
        #[arg(value_parser = AccountName::parse)]
        name: AccountName,
    },
    /// Change an account
    Set(SetArgs),
}

#[derive(Debug, Args)]
struct CreateArgs {
    /// Name of the account: 1 to 100 characters
    #[arg(value_parser = AccountName::parse)]
    name: AccountName,
    /// What the account may use
    #[arg(long, value_parser = plan_parser())]
    plan: Plan,
    /// Give the account the batch option
    #[arg(long)]
    batch: bool,
    /// API version used where a request names none
    #[arg(long, value_parser = version_parser(), default_value = NEWEST)]
    api_version: VersionSetting,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("change").args(["plan", "batch", "api_version", "rate", "monthly", "webhook", "webhook_secret", "password_file"]).required(true).multiple(true)))]
struct SetArgs {
    /// Name of the account
    #[arg(value_parser = AccountName::parse)]
    name: AccountName,
    /// What the account may use
    #[arg(long, value_parser = plan_parser())]
    plan: Option<Plan>,
    /// Give the account the batch option, or take it away
    #[arg(long, value_name = "true|false")]
    batch: Option<bool>,
    /// API version used where a request names none
    #[arg(long, value_parser = version_parser())]
    api_version: Option<VersionSetting>,
    #[command(flatten)]
    quota: QuotaArgs,
    /// File with the account's password for the dashboard, `-` for standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    #[command(flatten)]
    webhook: WebhookChange,
}

/// What stands for no pinned version on the command line.
const NEWEST: &str = "newest";

/// A pinned version, or `None` for always the newest.
#[derive(Debug, Clone, Copy)]
struct VersionSetting(Option<ApiVersion>);

fn version_parser() -> impl TypedValueParser<Value = VersionSetting> {
    let dates = ApiVersion::ALL.map(ApiVersion::as_str);
    PossibleValuesParser::new(dates.into_iter().chain([NEWEST]))
        .map(|text| VersionSetting(ApiVersion::parse(&text)))
}

/// Does what `args` ask and writes the outcome to `out`.
pub fn run(args: &AccountArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    match &args.verb {
        Verb::Create(create) => {
            let new = NewAccount {
                name: create.name.clone(),
                plan: create.plan,
                batch: create.batch,
                api_version: create.api_version.0,
            };
            let mut store = args.store.open(IfMissing::Create)?;
            write_account(out, args.store.json, &store.create_account(&new, Timestamp::now())?)
        }
        Verb::List => {
            let accounts = args.store.open(IfMissing::Refuse)?.accounts()?;
            if args.store.json {
                let all: Vec<_> = accounts.iter().map(account_json).collect();
                writeln!(out, "{}", Value::from(all))
            } else {
                write_accounts(out, &accounts)
            }
        }
        Verb::Show { name } => {
            let mut store = args.store.open(IfMissing::Refuse)?;
            let account = store.account(name).map_err(|error| explain(&mut store, error))?;
            let quota = store.account_quota(name)?;
            let webhook = store.webhook(account.id)?;
            let watched = store.watched_count(account.id)?;
            let keys = store.keys(Some(name))?;
            let shown = Shown { account, quota, webhook, watched, keys };
            write_shown(out, args.store.json, &shown)
        }
        Verb::Set(set) => {
            let option = "--password-file";
            let password = set.password_file.as_deref().map(|file| read_password(option, file));
            let password = password.transpose()?.map(|password| hash(&password)).transpose()?;
            let change = AccountChange {
                plan: set.plan,
                batch: set.batch,
                api_version: set.api_version.map(|version| version.0),
                quota: set.quota.change()?,
            };
            set.webhook.check()?;
            let mut store = args.store.open(IfMissing::Refuse)?;
            let changed = store.set_account(&set.name, &change);
            let account = changed.map_err(|error| explain(&mut store, error))?;
            if let Some(hash) = &password {
                store.set_account_password(&set.name, Some(hash), None, Timestamp::now())?;
            }
            let webhook = set.webhook.apply(&mut store, account.id)?;
            let quota = store.account_quota(&set.name)?;
            write_changed(out, args.store.json, &account, &quota, webhook.as_ref())
        }
    }
    .map_err(unwritten)
}

fn write_account(out: &mut dyn Write, json: bool, account: &Account) -> io::Result<()> {
    if json {
        writeln!(out, "{}", account_json(account))
    } else {
        write_accounts(out, std::slice::from_ref(account))
    }
}

fn write_changed(
    out: &mut dyn Write,
    json: bool,
    account: &Account,
    quota: &AccountQuota,
    webhook: Option<&WebhookShown>,
) -> io::Result<()> {
    if json {
        let mut shown = account_json(account);
        shown["quota"] = account_quota_json(quota);
        if let Some(webhook) = webhook {
            shown["webhook"] = webhook.json();
        }
        return writeln!(out, "{shown}");
    }
    write_accounts(out, std::slice::from_ref(account))?;
    write_quota(out, quota)?;
    webhook.map_or(Ok(()), |webhook| webhook.write(out))
}

/// All that there is to show of an account.
struct Shown {
    account: Account,
    quota: AccountQuota,
    webhook: Option<Webhook>,
    watched: u64,
    keys: Vec<KeyRecord>,
}

fn write_shown(out: &mut dyn Write, json: bool, shown: &Shown) -> io::Result<()> {
    let Shown { account, quota, webhook, watched, keys } = shown;
    if json {
        let url = webhook.as_ref().map(|webhook| json!({ "url": webhook.url.as_str() }));
        let mut shown = account_json(account);
        shown["quota"] = account_quota_json(quota);
        shown["webhook"] = url.into();
        shown["watched"] = (*watched).into();
        shown["keys"] = keys.iter().map(key_json).collect();
        return writeln!(out, "{shown}");
    }
    write_accounts(out, std::slice::from_ref(account))?;
    write_quota(out, quota)?;
    if let Some(webhook) = webhook {
        writeln!(out, "\nIts webhook is {}; it watches {watched} corporations.", webhook.url)?;
    }
    writeln!(out)?;
    write_keys(out, keys)
}

/// What an account has of its own, and what holds for it.
type AccountQuota = (OwnQuota, Quota);

fn account_quota_json((own, quota): &AccountQuota) -> Value {
    let [rate, monthly] = owners(own);
    let mut shown = quota_json(quota);
    (shown["rate_of"], shown["monthly_of"]) = (rate.into(), monthly.into());
    shown
}

/// The quota of an account that has one.
fn write_quota(out: &mut dyn Write, (own, quota): &AccountQuota) -> io::Result<()> {
    if *quota == Quota::default() {
        return Ok(());
    }
    let [rate, burst, monthly] = quota_cells(quota);
    let [rate_of, monthly_of] = owners(own).map(str::to_owned);
    writeln!(out)?;
    let row = [rate, burst, rate_of, monthly, monthly_of];
    write_table(out, ["RATE", "BURST", "OF", "MONTHLY", "OF"], &[row])
}

fn account_json(account: &Account) -> Value {
    json!({
        "id": account.id.0,
        "name": account.name.as_str(),
        "plan": account.plan.as_str(),
        "batch": account.batch,
        "api_version": account.api_version.map(ApiVersion::as_str),
    })
}

fn write_accounts(out: &mut dyn Write, accounts: &[Account]) -> io::Result<()> {
    let row = |account: &Account| {
        let version = account.api_version.map_or(NEWEST, ApiVersion::as_str);
        let batch = if account.batch { "yes" } else { "no" };
        [account.name.as_str(), account.plan.as_str(), batch, version].map(str::to_owned)
    };
    let rows: Vec<_> = accounts.iter().map(row).collect();
    write_table(out, ["NAME", "PLAN", "BATCH", "API VERSION"], &rows)
}
