//! `daicho account`: creates, shows, changes and deletes accounts.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::confirm::confirm;
use super::password::{hash, read_password};
use super::print::{counted, output_error};
use super::quota::{QuotaArgs, limit_sources, quota_cells, quota_json};
use super::table::{TableRecord, print_record, print_records, write_records, write_table};
use super::webhook::{ChangedWebhook, WebhookChange};
use super::{
    error::CommandError,
    plan::plan_parser,
    store::{StoreArgs, StoreCommand},
};
use crate::account::store::{AccountChange, Holdings, KeyRecord, NewAccount, Store};
use crate::account::{Account, AccountName, OwnQuota, Plan, Quota};
use crate::radar::registration::{self, Webhook};
use crate::radar::watch_list;
use crate::text::codes::ApiVersion;

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
    /// Delete an account with its keys, sessions, watch list, webhook and usage figures; running
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
    #[arg(long, value_parser = plan_parser())]
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
    #[arg(long, value_parser = plan_parser())]
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
            let mut store = args.store.open_or_create()?;
            let account = store.create_account(&new, Timestamp::now())?;
            print_record(out, json, &account)?;
            if json { Ok(()) } else { write_version_note(out, &account).map_err(output_error) }
        }
        Verb::List => print_records(out, json, &args.store.open()?.accounts()?),
        Verb::Show { name } => {
            let (mut store, account) = args.store.open_account(name)?;
            let detail = AccountDetail {
                quota: AccountQuota::read(&mut store, name)?,
                webhook: registration::find(&mut store, account.id)?,
                watched: watch_list::count(&mut store, account.id)?,
                keys: store.keys(Some(name))?,
                account,
            };
            write_detail(out, json, &detail).map_err(output_error)
        }
        Verb::Set(set) => run_set(set, &args.store, out),
        Verb::Delete(delete) => run_delete(delete, &args.store, out),
    }
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
    let quota = AccountQuota::read(&mut store, &set.name)?;
    write_changed(out, store_args.json, &account, &quota, webhook.as_ref()).map_err(output_error)
}

fn run_delete(
    args: &DeleteArgs,
    store_args: &StoreArgs,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let (mut store, account) = store_args.open_account(&args.name)?;
    let name = &account.name;
    let holdings = holdings_in_words(&store.holdings(name)?);
    confirm(&format!("delete the account {name} with {holdings}"), args.yes)?;
    let deleted = store.delete_account(name)?;
    let written = if store_args.json {
        let shown = json!({
            "id": account.id.0,
            "name": name.as_str(),
            "deleted": {
                "keys": deleted.keys,
                "sessions": deleted.sessions,
                "watched": deleted.watched,
                "webhooks": deleted.webhooks,
                "deliveries": deleted.deliveries,
                "days_of_usage": deleted.days_of_usage,
            },
        });
        writeln!(out, "{shown}")
    } else {
        writeln!(out, "Deleted the account {name} with {}.", holdings_in_words(&deleted))
    };
    written.map_err(output_error)
}

fn holdings_in_words(holdings: &Holdings) -> String {
    let Holdings { keys, sessions, watched, webhooks, deliveries, days_of_usage } = *holdings;
    let parts = [
        counted(keys, "key"),
        counted(sessions, "session"),
        counted(watched, "watched corporation"),
        counted(webhooks, "webhook"),
        counted(deliveries, "delivery"),
    ];
    format!("{} and {} of usage", parts.join(", "), counted(days_of_usage, "day"))
}

/// Explains which API version requests get that do not name one.
fn write_version_note(out: &mut dyn Write, account: &Account) -> io::Result<()> {
    let version = match account.api_version {
        Some(version) => version.to_string(),
        None => format!("the newest, currently {}", ApiVersion::NEWEST),
    };
    writeln!(
        out,
        "\nRequests that do not name an API version get {version}. For a client written for"
    )?;
    writeln!(out, "another version: daicho account set NAME --api-version VERSION")
}

fn write_changed(
    out: &mut dyn Write,
    json: bool,
    account: &Account,
    quota: &AccountQuota,
    webhook: Option<&ChangedWebhook>,
) -> io::Result<()> {
    if json {
        let mut shown = account.json();
        shown["quota"] = account_quota_json(quota);
        if let Some(webhook) = webhook {
            shown["webhook"] = webhook.json();
        }
        return writeln!(out, "{shown}");
    }
    write_records(out, std::slice::from_ref(account))?;
    write_quota(out, quota)?;
    webhook.map_or(Ok(()), |webhook| webhook.write(out))
}

struct AccountDetail {
    account: Account,
    quota: AccountQuota,
    webhook: Option<Webhook>,
    watched: u64,
    keys: Vec<KeyRecord>,
}

fn write_detail(out: &mut dyn Write, json: bool, detail: &AccountDetail) -> io::Result<()> {
    let AccountDetail { account, quota, webhook, watched, keys } = detail;
    if json {
        let url = webhook.as_ref().map(|webhook| json!({ "url": webhook.url.as_str() }));
        let mut shown = account.json();
        shown["quota"] = account_quota_json(quota);
        shown["webhook"] = url.into();
        shown["watched"] = (*watched).into();
        shown["keys"] = keys.iter().map(KeyRecord::json).collect();
        return writeln!(out, "{shown}");
    }
    write_records(out, std::slice::from_ref(account))?;
    write_quota(out, quota)?;
    if let Some(webhook) = webhook {
        let watched = counted(*watched, "corporation");
        writeln!(out, "\nIts webhook is {}; it watches {watched}.", webhook.url)?;
    }
    writeln!(out)?;
    write_records(out, keys)
}

/// The account's own settings, and the quota that applies.
struct AccountQuota {
    own: OwnQuota,
    effective: Quota,
}

impl AccountQuota {
    fn read(store: &mut Store, name: &AccountName) -> Result<AccountQuota, CommandError> {
        let (own, effective) = store.account_quota(name)?;
        Ok(AccountQuota { own, effective })
    }
}

fn account_quota_json(quota: &AccountQuota) -> Value {
    let [rate, monthly] = limit_sources(&quota.own);
    let mut shown = quota_json(&quota.effective);
    (shown["rate_of"], shown["monthly_of"]) = (rate.into(), monthly.into());
    shown
}

/// Writes the quota of an account that has one.
fn write_quota(out: &mut dyn Write, quota: &AccountQuota) -> io::Result<()> {
    if quota.effective == Quota::default() {
        return Ok(());
    }
    let [rate, burst, monthly] = quota_cells(&quota.effective);
    let [rate_of, monthly_of] = limit_sources(&quota.own).map(str::to_owned);
    writeln!(out)?;
    let row = [rate, burst, rate_of, monthly, monthly_of];
    write_table(out, ["RATE", "BURST", "SOURCE", "MONTHLY", "SOURCE"], &[row])
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
