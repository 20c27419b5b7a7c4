//! The store that every run begins with: two accounts with webhooks, each with a key and a watched number. Made once, and
//! copied.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use jiff::Timestamp;
use tempfile::TempDir;

use crate::account::quota::{QuotaChange, monthly};
use crate::account::store::{AccountChange, IfMissing, NewAccount, NewKey, Store, StoreLocation};
use crate::account::{AccountName, ApiKey, KEYS_MAX, KeyKind, LimitSetting, Plan, Rate};
use crate::radar::stored_secret::{KeyLocation, SecretCipher};
use crate::radar::webhook::{Secret, WebhookUrl};
use crate::radar::{registration, watch_list};
use crate::simulation::scheduler::lock;
use crate::snapshot::changes;
use crate::text::codes::{CorporateNumber, DataVersion, Register};

pub const ACCOUNTS: [&str; 2] = ["shop", "bank"];

/// Requests a second, and at once.
pub const RATE: u64 = 5;

/// The number that both accounts watch, and one that changes on each day.
pub const WATCHED: &str = "5010001999902";
pub const OTHER: &str = "7000012050002";

pub fn name(account: usize) -> AccountName {
    AccountName::parse(ACCOUNTS[account]).expect("a name")
}

pub fn url(account: usize) -> String {
    format!("https://{}.example/hook", ACCOUNTS[account])
}

pub fn day(day: u64) -> DataVersion {
    DataVersion::parse(&format!("2026-11-{:02}", 20 + day)).expect("a date")
}

pub fn key(number: u8) -> ApiKey {
    ApiKey::generate(KeyKind::Secret, [number; 20])
}

pub fn cipher(state: &Path) -> SecretCipher {
    SecretCipher::new(KeyLocation::BesideState(state.to_owned()))
}

/// The folder with the first store, removed with its last owner. The first call is outside of a simulation.
pub fn folder() -> Arc<TempDir> {
    static FOLDER: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut shared = lock(&FOLDER);
    shared.upgrade().unwrap_or_else(|| {
        let made = Arc::new(crate::simulation::releases::editions::temporary_folder());
        make(made.path());
        *shared = Arc::downgrade(&made);
        made
    })
}

fn make(folder: &Path) {
    let state = folder.join("daicho.db");
    let location = StoreLocation::File(state.clone());
    let mut store = Store::open(&location, IfMissing::Create).expect("made");
    let now = Timestamp::UNIX_EPOCH;
    for account in 0..ACCOUNTS.len() {
        let name = name(account);
        let plan = Plan::Premium;
        let new = NewAccount { name: name.clone(), plan, batch: false, api_version: None };
        let id = store.create_account(&new, now).expect("made").id;
        let key = key(u8::try_from(account).expect("few"));
        let key = NewKey { account: &name, key: &key, label: None, origins: &[], expires_at: None };
        store.create_key(&key, KEYS_MAX, now).expect("made");
        let url = WebhookUrl::parse(&url(account)).expect("a URL");
        let secret = Secret::from_random([1; 32]);
        registration::set_url(&mut store, &cipher(&state), id, &url, &secret, now).expect("made");
        let watched = CorporateNumber::parse(WATCHED).expect("a number");
        for register in Register::ALL {
            watch_list::add(&mut store, id, register, &[watched], 10, now).expect("added");
        }
    }
    let rate = LimitSetting::Limit(Rate::of(RATE, Some(RATE)).expect("a rate"));
    let quota = QuotaChange { rate: Some(rate), ..QuotaChange::default() };
    let change = AccountChange { quota, ..AccountChange::default() };
    store.set_account(&name(0), &change).expect("set");
}

/// Limits the requests of the first account in a month.
pub fn quota(requests: u64) -> AccountChange {
    let monthly = LimitSetting::Limit(monthly(requests).expect("a quota"));
    let quota = QuotaChange { monthly: Some(monthly), ..QuotaChange::default() };
    AccountChange { quota, ..AccountChange::default() }
}

/// Whether the list of a day has only numbers that nobody need watch.
pub fn is_unwatched(register: Register, day: u64) -> bool {
    match register {
        Register::Corporate => day == 2,
        Register::Invoice => day == 1,
    }
}

/// Puts the list of a day's changes into a folder of snapshots.
pub fn put_day(snapshots: &Path, register: Register, number: u64) {
    let path = changes::path(snapshots, register, day(number));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let watched = (!is_unwatched(register, number)).then_some(WATCHED);
    let numbers = watched.into_iter().chain([OTHER]);
    let lines = numbers.map(|number| {
        let number = CorporateNumber::parse(number).expect("a number");
        register.number_text(number) + "\n"
    });
    fs::write(path, lines.collect::<String>()).expect("written");
}

/// Copies the first store into a folder; returns the path of its file.
pub fn copy(target: &Path) -> PathBuf {
    let made = folder();
    for name in ["daicho.db", "daicho.db.webhook-key"] {
        fs::copy(made.path().join(name), target.join(name)).expect("copied");
    }
    target.join("daicho.db")
}
