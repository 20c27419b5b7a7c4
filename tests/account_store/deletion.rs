//! Deleting an account, on both databases: which rows go, and when servers refuse its keys.

use daicho::account::meter::Counts;
use daicho::account::store::{
    AccountChange, Figure, Holdings, KeyRecord, KeyUse, NewSession, Store, StoreError, Usage,
};
use daicho::account::usage::Figures;
use daicho::account::{AccountId, KeyKind, LimitSetting, Password, QuotaChange, Token, Who};
use daicho::radar::delivery;
use daicho::radar::registration;
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::watch_list;
use daicho::radar::webhook::{DeliveryId, Secret, WebhookUrl};
use daicho::text::codes::{CorporateNumber, DataVersion, Register};
use jiff::civil::date;

use super::support::{
    CLIENT, TestStore, add_key, key, name, new_account, now, on_both, serve, wait_for,
};

on_both! {
    deleting_an_account_deletes_all_its_rows
    a_server_refuses_the_keys_of_a_deleted_account
}

/// Gives an account a webhook, a watched number, a delivery, a session, a known device, usage and figures.
fn add_one_of_each(store: &mut Store, id: AccountId, seed: u8) {
    let text = format!("{}=", "A".repeat(43));
    let cipher = SecretCipher::new(KeyLocation::Variable { name: "DAICHO_WEBHOOK_KEY", text });
    let url = WebhookUrl::parse("https://shop.example").expect("a URL");
    registration::set_url(store, &cipher, id, &url, &Secret::from_random([seed; 32]), now())
        .expect("set");
    let number = CorporateNumber::parse("7000012050002").expect("a number");
    for register in Register::ALL {
        watch_list::add(store, id, register, &[number], 10, now()).expect("watched");
    }
    let delivery = DeliveryId::from_random([seed; 15]);
    let day = DataVersion::parse("2026-07-10").expect("a day");
    delivery::create_test(store, &delivery, id, day, now()).expect("made");
    let device = Some(Token::generate([seed + 100; 32]).hash());
    let token = Token::generate([seed; 32]).hash();
    let session = NewSession {
        who: Who::Account(id),
        token,
        device,
        attempt: None,
        opened_from: CLIENT,
        opened_with: None,
    };
    store.begin_session(&session, now()).expect("begun");
    let day = date(2026, 7, 10);
    let counts = Counts { requests: 1, ..Counts::default() };
    store.add_usage(&[Usage { account: id, day, counts }], day, &[]).expect("added");
    let figure = Figure { account: id, day, endpoint: "/v1/bank", status: 200, requests: 1 };
    let keys = store.keys(None).expect("all");
    let used = |key: &KeyRecord| KeyUse { key: key.id, hour: now(), used_from: CLIENT };
    let uses: Vec<KeyUse> = keys.iter().map(used).collect();
    store.add_figures(&[figure], &uses, None).expect("added");
}

/// The number of this account's rows in each table that has an account column.
fn rows(store: &mut Store, id: AccountId) -> Vec<(&'static str, u64)> {
    let tables = [
        "account_password",
        "account_quota",
        "api_key",
        "dashboard_session",
        "delivery",
        "known_device",
        "usage_by_day",
        "usage_by_endpoint",
        "watched",
        "watched_issuer",
        "webhook",
        "webhook_allowance",
    ];
    let counted = store.read(|tx| {
        let mut counted = Vec::new();
        for table in tables {
            let sql = format!("SELECT count(*) FROM {table} WHERE account_id = $1");
            counted.push((table, tx.count(&sql, &[id.into()])?));
        }
        Ok::<_, StoreError>(counted)
    });
    counted.expect("readable")
}

fn deleting_an_account_deletes_all_its_rows(place: TestStore) {
    let mut store = place.with_demo();
    let (demo, other) = (name("demo"), name("other"));
    store.create_account(&new_account("other"), now()).expect("made");
    let ids = [&demo, &other].map(|name| store.account(name).expect("there").id);
    for seed in [1, 2] {
        add_key(&mut store, &key(seed, KeyKind::Secret));
    }
    let hash = Password::parse("a good password").expect("one").hash([1; 16]).expect("memory");
    let quota = QuotaChange { rate: Some(LimitSetting::None), monthly: None };
    let change = AccountChange { quota, ..AccountChange::default() };
    for (account, id, seed) in [(&demo, ids[0], 1), (&other, ids[1], 2)] {
        store.set_account_password(account, Some(&hash), None, now()).expect("set");
        store.set_account(account, &change).expect("set");
        add_one_of_each(&mut store, id, seed);
    }
    let full = rows(&mut store, ids[0]);
    assert!(full.iter().all(|(_, rows)| *rows > 0), "{full:?}");
    let expected = Holdings {
        keys: 2,
        sessions: 1,
        watched: 1,
        watched_issuers: 1,
        webhooks: 1,
        deliveries: 1,
        days_of_usage: 1,
    };
    assert_eq!(store.holdings(&demo).expect("known"), expected);
    let before = rows(&mut store, ids[1]);
    assert_eq!(store.delete_account(&demo).expect("deleted"), expected);
    assert!(rows(&mut store, ids[0]).iter().all(|(_, rows)| *rows == 0));
    assert_eq!(rows(&mut store, ids[1]), before, "the other account is unchanged");
    for gone in [store.holdings(&demo), store.delete_account(&demo)] {
        let error = gone.expect_err("deleted");
        assert!(matches!(error, StoreError::NoSuchAccount { .. }), "{error}");
    }
    // The name can be used again; the id is not reused.
    let again = store.create_account(&new_account("demo"), now()).expect("made");
    assert!(again.id > ids[1], "{again:?}");
    assert_eq!(store.holdings(&demo).expect("known"), Holdings::default());
}

fn a_server_refuses_the_keys_of_a_deleted_account(place: TestStore) {
    let mut command = place.with_demo();
    let key = key(1, KeyKind::Public);
    add_key(&mut command, &key);
    let (live, _refresher) = serve(&place);
    let known = || live.current().find(key.reveal()).is_some();
    wait_for("the key works", known);
    command.delete_account(&name("demo")).expect("deleted");
    wait_for("the key stops working", || !known());
    // Figures that the server counted for the deleted account are dropped without an error.
    let mut figures = Figures::new(live, now());
    figures.collect(now());
    figures.write(&mut command, now()).expect("written");
}
