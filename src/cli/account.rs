//! `daicho account`: creates, shows, changes and deletes accounts.

use std::slice::from_ref;
use std::{io::Write, path::PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::named_value::one_of;
use super::password::{hash, read_password};
use super::plan::{QuotaArgs, limit_sources, quota_cells, quota_json};
use super::print::{
    TableRecord, confirm, counted, own, print, print_json_text, print_lines, print_record,
    print_records, table, table_of,
};
use super::store::{StoreArgs, StoreCommand, record_operation};
use super::{error::CommandError, webhook_options::WebhookChange};
use crate::account::store::{AccountChange, Holdings, IfMissing, KeyRecord, NewAccount};
use crate::account::{Account, AccountName, OwnQuota, Plan, Quota};
use crate::radar::{registration, watch_list};
use crate::text::codes::{ApiVersion, Register};

pub type AccountArgs = StoreCommand<Verb>;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create an account, and the state file if it does not exist
    Create(CreateArgs),
    /// List the accounts
    List,
    /// Show one account and its keys
    Show {
        /// Name of the account
        #[arg(value_parser = AccountName::parse)]
        name: AccountName,
    },
    /// Change an account
    Set(SetArgs),
    /// Delete an account with its keys, sessions, watch lists, webhook and usage figures; running
    /// servers reject its keys within one second
    Delete(DeleteArgs),
}

#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Name of the account
    #[arg(value_parser = AccountName::parse)]
    name: AccountName,
    /// Delete without asking
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
pub struct CreateArgs {
    /// Name of the account: 1 to 100 characters
    #[arg(value_parser = AccountName::parse)]
    name: AccountName,
    /// Plan of the account: decides which data and features the account may use
    #[arg(long, value_parser = one_of(Plan::ALL, Plan::as_str))]
    plan: Plan,
    /// Allow batch requests
    #[arg(long)]
    batch: bool,
    /// API version of requests that do not name one
    #[arg(long, value_parser = version_parser(), default_value = ApiVersion::NEWEST.as_str())]
    api_version: VersionSetting,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("change").args(["plan", "batch", "api_version", "rate", "monthly", "webhook", "webhook_secret", "password_file"]).required(true).multiple(true)))]
pub struct SetArgs {
    /// Name of the account
    #[arg(value_parser = AccountName::parse)]
    name: AccountName,
    /// Plan of the account: decides which data and features the account may use
    #[arg(long, value_parser = one_of(Plan::ALL, Plan::as_str))]
    plan: Option<Plan>,
    /// Allow or refuse batch requests
    #[arg(long, value_name = "true|false")]
    batch: Option<bool>,
    /// API version of requests that do not name one
    #[arg(long, value_parser = version_parser())]
    api_version: Option<VersionSetting>,
    #[command(flatten)]
    quota: QuotaArgs,
    /// File with the account's dashboard password; - for standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    #[command(flatten)]
    webhook: WebhookChange,
}

/// The value for no pinned version.
const NEWEST: &str = "newest";

/// A pinned version, or `None` for always the newest.
#[derive(Debug, Clone, Copy)]
pub struct VersionSetting(Option<ApiVersion>);

fn version_parser() -> impl TypedValueParser<Value = VersionSetting> {
    let dates = ApiVersion::ALL.map(ApiVersion::as_str);
    PossibleValuesParser::new(dates.into_iter().chain([NEWEST]))
        .map(|text| VersionSetting(ApiVersion::parse(&text)))
}

pub fn run(args: &AccountArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let json = args.store.json;
    match &args.verb {
        Verb::Create(create) => {
            let new = NewAccount {
                name: create.name.clone(),
                plan: create.plan,
                batch: create.batch,
                api_version: create.api_version.0,
            };
            let mut store = args.store.state.open(IfMissing::Create)?;
            let account = store.create_account(&new, Timestamp::now())?;
            record_operation(&mut store, "account create", Some(&account.name), None);
            print_record(out, json, &account)?;
            if json { Ok(()) } else { print_lines(out, &version_note(&account)) }
        }
        Verb::List => print_records(out, json, &args.store.open()?.accounts()?),
        Verb::Show { name } => run_show(name, &args.store, out),
        Verb::Set(set) => run_set(set, &args.store, out),
        Verb::Delete(delete) => run_delete(delete, &args.store, out),
    }
}

fn run_show(
    name: &AccountName,
    store_args: &StoreArgs,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let (mut store, account) = store_args.open_account(name)?;
    let (own_quota, quota) = store.account_quota(name)?;
    let webhook = registration::find(&mut store, account.id)?;
    let watched = watch_list::count(&mut store, account.id, Register::Corporate)?;
    let watched_issuers = watch_list::count(&mut store, account.id, Register::Invoice)?;
    let keys = store.keys(Some(name))?;
    if store_args.json {
        let url = webhook.map(|webhook| json!({ "url": webhook.url.as_str() }));
        let mut shown = account.json();
        shown["quota"] = account_quota_json(&own_quota, &quota);
        shown["webhook"] = url.into();
        shown["watched"] = watched.into();
        shown["watched_issuers"] = watched_issuers.into();
        shown["keys"] = keys.iter().map(KeyRecord::json).collect();
        return print_json_text(out, &format!("{shown}\n"));
    }
    print(out, table_of(from_ref(&account)) + &quota_table(&own_quota, &quota))?;
    if let Some(webhook) = webhook {
        let (watched, issuers) =
            (counted(watched, "corporation"), counted(watched_issuers, "invoice issuer"));
        let url = own(webhook.url);
        let line = format!("\nIts webhook is {url}; it watches {watched} and {issuers}.\n");
        print_lines(out, &line)?;
    }
    print(out, "\n".to_owned() + &table_of(&keys))
}

fn run_set(set: &SetArgs, store_args: &StoreArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let file = set.password_file.as_deref();
    let password = file.map(|file| read_password("--password-file", file)).transpose()?;
    let password = password.map(|password| hash(&password)).transpose()?;
    let change = AccountChange {
        plan: set.plan,
        batch: set.batch,
        api_version: set.api_version.map(|version| version.0),
        quota: set.quota.change()?,
    };
    set.webhook.check()?;
    let (mut store, account) = store_args.open_account(&set.name)?;
    let plan = set.plan.unwrap_or(account.plan);
    let id = account.id;
    set.webhook.check_plan(&Account { plan, ..account })?;
    let cipher = set.webhook.cipher(&store_args.state, &mut store, id)?;
    let account = store.set_account(&set.name, &change)?;
    if let Some(hash) = &password {
        store.set_account_password(&set.name, Some(hash), None, Timestamp::now())?;
    }
    let webhook = set.webhook.apply(&mut store, &cipher, account.id)?;
    record_operation(&mut store, "account set", Some(&account.name), None);
    let (own_quota, quota) = store.account_quota(&set.name)?;
    if store_args.json {
        let mut shown = account.json();
        shown["quota"] = account_quota_json(&own_quota, &quota);
        if let Some(webhook) = webhook {
            shown["webhook"] = webhook.json();
        }
        return print_json_text(out, &format!("{shown}\n"));
    }
    print(out, table_of(from_ref(&account)) + &quota_table(&own_quota, &quota))?;
    webhook.map_or(Ok(()), |webhook| print_lines(out, &webhook.text()))
}

fn run_delete(
    args: &DeleteArgs,
    store_args: &StoreArgs,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let (mut store, account) = store_args.open_account(&args.name)?;
    let name = &account.name;
    let holdings = holdings_in_words(&store.holdings(name)?);
    confirm(&format!("delete the account {} with {holdings}", own(name)), args.yes)?;
    let deleted = store.delete_account(name)?;
    record_operation(&mut store, "account delete", Some(name), None);
    if store_args.json {
        let shown = json!({
            "id": account.id.0,
            "name": name.as_str(),
            "deleted": {
                "keys": deleted.keys,
                "sessions": deleted.sessions,
                "watched": deleted.watched,
                "watched_issuers": deleted.watched_issuers,
                "webhooks": deleted.webhooks,
                "deliveries": deleted.deliveries,
                "days_of_usage": deleted.days_of_usage,
            },
        });
        return print_json_text(out, &format!("{shown}\n"));
    }
    let (name, holdings) = (own(name), holdings_in_words(&deleted));
    print_lines(out, &format!("Deleted the account {name} with {holdings}.\n"))
}

fn holdings_in_words(holdings: &Holdings) -> String {
    let Holdings { keys, sessions, watched, watched_issuers, webhooks, deliveries, days_of_usage } =
        *holdings;
    let (keys, sessions) = (counted(keys, "key"), counted(sessions, "session"));
    let corporations = counted(watched, "watched corporation");
    let issuers = counted(watched_issuers, "watched invoice issuer");
    let (webhooks, deliveries) = (counted(webhooks, "webhook"), counted(deliveries, "delivery"));
    let days = counted(days_of_usage, "day");
    format!(
        "{keys}, {sessions}, {corporations}, {issuers}, {webhooks}, {deliveries} and {days} of usage"
    )
}

fn version_note(account: &Account) -> String {
    let version = match account.api_version {
        Some(version) => version.to_string(),
        None => format!("the newest, currently {}", ApiVersion::NEWEST),
    };
    format!(
        "\nRequests that do not name an API version get {version}. For a client written for\n\
         another version: daicho account set NAME --api-version VERSION\n"
    )
}

/// The quota that applies, and whether each limit is the account's own.
fn account_quota_json(own: &OwnQuota, quota: &Quota) -> Value {
    let [rate, monthly] = limit_sources(own);
    let mut shown = quota_json(quota);
    (shown["rate_of"], shown["monthly_of"]) = (rate.into(), monthly.into());
    shown
}

/// Empty for an account without limits.
fn quota_table(own: &OwnQuota, quota: &Quota) -> String {
    if *quota == Quota::default() {
        return String::new();
    }
    let [rate, burst, monthly] = quota_cells(quota);
    let [rate_of, monthly_of] = limit_sources(own).map(str::to_owned);
    let row = [rate, burst, rate_of, monthly, monthly_of];
    "\n".to_owned() + &table(["RATE", "BURST", "SOURCE", "MONTHLY", "SOURCE"], &[row])
}

impl TableRecord<4> for Account {
    const HEADING: [&'static str; 4] = ["NAME", "PLAN", "BATCH", "API VERSION"];

    fn cells(&self) -> [String; 4] {
        let version = self.api_version.map_or(NEWEST, ApiVersion::as_str);
        let batch = if self.batch { "yes" } else { "no" };
        [self.name.as_str(), self.plan.as_str(), batch, version].map(str::to_owned)
    }

    fn json(&self) -> Value {
        json!({
            "id": self.id.0,
            "name": self.name.as_str(),
            "plan": self.plan.as_str(),
            "batch": self.batch,
            "api_version": self.api_version.map(ApiVersion::as_str),
        })
    }
}
