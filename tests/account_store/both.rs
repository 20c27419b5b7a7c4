//! Accounts and keys, on both databases: creating, changing and revoking them, and how soon a server
//! sees what a command changes.

use std::sync::Arc;
use std::thread;

use daicho::account::KeySelector;
use daicho::account::store::{AccountChange, IfMissing, NewKey, Store, StoreError, StoreFault};
use daicho::account::{AccountName, ApiKey, KeyId, KeyKind, KeyLabel, Origin, Plan};
use daicho::text::codes::ApiVersion;

use super::support::{
    TestStore, add_key, key, keyring, later, name, new_account, now, on_both, origins, serve,
    wait_for,
};

on_both! {
    accounts_are_made_shown_and_changed
    keys_are_made_listed_found_and_revoked
    a_prefix_selects_a_key_if_only_one_live_key_has_it
    a_key_keeps_the_label_of_its_owner
    a_refused_key_changes_nothing
    the_generation_changes_with_every_write_and_with_nothing_else
    concurrent_readers_and_writers_lose_no_key
    a_server_sees_what_another_process_changes
    a_program_goes_on_with_the_schema_of_a_newer_one
    a_schema_for_newer_programs_only_is_refused
}

fn accounts_are_made_shown_and_changed(place: TestStore) {
    let mut store = place.with_demo();
    let mut premium = new_account("株式会社 例");
    (premium.plan, premium.batch) = (Plan::Premium, true);
    premium.api_version = Some(ApiVersion::V2022_09_01);
    let made = store.create_account(&premium, now()).expect("made");
    assert_eq!(place.open().account(&premium.name).expect("there"), made);

    let error = store.create_account(&new_account("demo"), now()).expect_err("taken");
    assert!(matches!(error, StoreError::AccountExists { .. }), "{error}");
    assert_eq!(store.accounts().expect("all").len(), 2);

    let change = AccountChange { plan: Some(Plan::Enterprise), ..AccountChange::default() };
    let changed = store.set_account(&premium.name, &change).expect("changed");
    assert_eq!((changed.plan, changed.batch), (Plan::Enterprise, true));
    assert_eq!(changed.api_version, Some(ApiVersion::V2022_09_01));
    let change =
        AccountChange { batch: Some(false), api_version: Some(None), ..AccountChange::default() };
    let changed = store.set_account(&premium.name, &change).expect("changed");
    assert_eq!((changed.plan, changed.batch), (Plan::Enterprise, false));
    assert_eq!(changed.api_version, None);
    assert_eq!(place.open().account(&premium.name).expect("there"), changed);

    let error = store.set_account(&name("nobody"), &change).expect_err("unknown");
    assert!(matches!(error, StoreError::NoSuchAccount { .. }), "{error}");
    assert!(error.to_string().contains("daicho account list"), "{error}");
}

fn keys_are_made_listed_found_and_revoked(place: TestStore) {
    let mut store = place.with_demo();
    let (public, secret) = (key(1, KeyKind::Public), key(2, KeyKind::Secret));
    let demo = name("demo");
    let given = origins(&["https://b.example", "https://a.example", "https://B.example"]);
    let new =
        NewKey { account: &demo, key: &public, label: None, origins: &given, expires_at: None };
    let record = store.create_key(&new, daicho::account::KEYS_MAX, now()).expect("kept");
    assert_eq!(record.origins, origins(&["https://a.example", "https://b.example"]));
    assert_eq!(record.beginning, public.beginning());
    let second = add_key(&mut store, &secret);
    assert_eq!(store.keys(None).expect("all"), [record.clone(), second.clone()]);
    assert_eq!(store.keys(Some(&demo)).expect("all").len(), 2);

    let ring = keyring(&mut store).expect("loaded");
    let entry = ring.find(public.reveal()).expect("live");
    assert_eq!((entry.id, entry.kind, &entry.account.name), (record.id, KeyKind::Public, &demo));
    assert!(entry.allows_origin(Some("https://a.example"), None));
    assert!(ring.find(secret.reveal()).is_some());

    let revoked = store.revoke_key(&KeySelector::Id(record.id), now()).expect("revoked");
    assert_eq!(revoked.revoked_at, Some(now()));
    let again = store.revoke_key(&KeySelector::Hash(public.hash()), later()).expect("known");
    assert_eq!(again.revoked_at, Some(now()), "the first time is kept");
    let ring = keyring(&mut store).expect("loaded");
    assert!(ring.find(public.reveal()).is_none());
    assert_eq!(ring.entries().len(), 1);
}

fn a_prefix_selects_a_key_if_only_one_live_key_has_it(place: TestStore) {
    let mut store = place.with_demo();
    let twins = [1, 2, 3].map(|last| {
        let mut random = [7; 20];
        random[19] = last;
        ApiKey::generate(KeyKind::Secret, random)
    });
    let ids = twins.each_ref().map(|twin| add_key(&mut store, twin).id);
    let by_beginning = KeySelector::parse(&twins[0].to_string()).expect("a beginning");
    let error = store.revoke_key(&by_beginning, now()).expect_err("ambiguous");
    assert!(matches!(&error, StoreError::KeyAmbiguous { ids: found, .. } if *found == ids));
    assert!(error.to_string().contains("3 keys begin with dk_sec_a4dq; "), "{error}");
    for id in &ids[..2] {
        store.revoke_key(&KeySelector::Id(*id), now()).expect("revoked");
    }
    assert_eq!(store.revoke_key(&by_beginning, now()).expect("the last").id, ids[2]);
    assert!(keyring(&mut store).expect("loaded").entries().is_empty());

    for absent in [
        KeySelector::Id(KeyId(99)),
        KeySelector::Hash(key(9, KeyKind::Public).hash()),
        KeySelector::Beginning("dk_pub_zzzz".to_owned()),
    ] {
        let error = store.revoke_key(&absent, now()).expect_err("unknown");
        assert!(matches!(error, StoreError::NoSuchKey { .. }), "{error}");
    }
}

fn a_key_keeps_the_label_of_its_owner(place: TestStore) {
    let mut store = place.with_demo();
    let (demo, label) = (name("demo"), KeyLabel::parse("決済 page").expect("a label"));
    let (named, plain) = (key(1, KeyKind::Secret), key(2, KeyKind::Secret));
    let new =
        NewKey { account: &demo, key: &named, label: Some(&label), origins: &[], expires_at: None };
    assert_eq!(
        store.create_key(&new, daicho::account::KEYS_MAX, now()).expect("kept").label,
        Some(label.clone())
    );
    assert_eq!(add_key(&mut store, &plain).label, None);
    let listed = store.keys(Some(&demo)).expect("all");
    assert_eq!(listed.iter().map(|key| &key.label).collect::<Vec<_>>(), [&Some(label), &None]);
    assert!(listed.iter().all(|key| key.used_at.is_none()), "{listed:?}");
}

fn a_refused_key_changes_nothing(place: TestStore) {
    let mut store = place.with_demo();
    let (demo, nobody) = (name("demo"), name("nobody"));
    let (public, secret) = (key(1, KeyKind::Public), key(2, KeyKind::Secret));
    let one = origins(&["https://a.example"]);
    let many: Vec<_> = (0..101).map(|at| format!("https://a{at}.example")).collect();
    let many = origins(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let mut refuse = |account: &AccountName, key: &ApiKey, origins: &[Origin]| {
        let new = NewKey { account, key, label: None, origins, expires_at: None };
        store.create_key(&new, daicho::account::KEYS_MAX, now()).expect_err("refused").to_string()
    };
    assert!(refuse(&nobody, &public, &one).contains("no account is named \"nobody\""));
    assert!(refuse(&demo, &secret, &one).contains("restrict public keys only"));
    assert!(refuse(&demo, &public, &many).contains("at most 100 origins; found 101"));
    assert!(store.keys(None).expect("all").is_empty());

    add_key(&mut store, &public);
    let twice =
        NewKey { account: &demo, key: &public, label: None, origins: &one, expires_at: None };
    store.create_key(&twice, daicho::account::KEYS_MAX, now()).expect_err("the hash is unique");
    assert_eq!(store.keys(None).expect("all")[0].origins, []);
}

fn the_generation_changes_with_every_write_and_with_nothing_else(place: TestStore) {
    let mut writer = place.with_demo();
    let mut reader = place.open();
    let first = reader.generation().expect("asked");
    assert_eq!(reader.generation().expect("asked"), first);
    keyring(&mut reader).expect("reading is no change");
    assert_eq!(reader.generation().expect("asked"), first);
    let own = writer.generation().expect("asked");
    add_key(&mut writer, &key(1, KeyKind::Public));
    assert_ne!(reader.generation().expect("asked"), first);
    assert_ne!(writer.generation().expect("asked"), own);
}

fn concurrent_readers_and_writers_lose_no_key(place: TestStore) {
    drop(place.with_demo());
    let writers: u8 = 4;
    let each: u8 = 25;
    thread::scope(|scope| {
        for writer in 0..writers {
            let mut store = place.open();
            scope.spawn(move || {
                for at in 0..each {
                    add_key(&mut store, &key(writer * each + at, KeyKind::Secret));
                }
            });
        }
        let mut store = place.open();
        scope.spawn(move || {
            let mut seen = 0;
            while seen < usize::from(writers * each) {
                let ring = keyring(&mut store).expect("loaded");
                assert!(ring.entries().len() >= seen, "a key disappeared");
                seen = ring.entries().len();
            }
        });
    });
    assert_eq!(place.open().keys(None).expect("all").len(), usize::from(writers * each));
}

fn a_server_sees_what_another_process_changes(place: TestStore) {
    let mut command = place.with_demo();
    let (live, refresher) = serve(&place);
    let key = key(1, KeyKind::Public);
    let known = || live.current().find(key.reveal()).is_some();
    assert!(!known());
    let id = add_key(&mut command, &key).id;
    wait_for("a new key works", known);
    let change = AccountChange { plan: Some(Plan::Premium), ..AccountChange::default() };
    command.set_account(&name("demo"), &change).expect("changed");
    let plan = || live.current().find(key.reveal()).map(|entry| entry.account.plan);
    wait_for("a new plan is seen", || plan() == Some(Plan::Premium));
    command.revoke_key(&KeySelector::Id(id), later()).expect("revoked");
    wait_for("a revoked key stops working", || !known());
    assert!(live.is_store_healthy());
    drop(refresher);
    assert_eq!(Arc::strong_count(&live), 1, "the thread has released its reference");
}

fn a_program_goes_on_with_the_schema_of_a_newer_one(place: TestStore) {
    let mut before = place.with_demo();
    let (live, refresher) = serve(&place);
    place.migrate_further(None);
    // A connection of before, one of a command, and a server that runs.
    let (one, other) = (key(1, KeyKind::Secret), key(2, KeyKind::Secret));
    add_key(&mut before, &one);
    add_key(&mut place.open(), &other);
    for key in [&one, &other] {
        wait_for("a new key works", || live.current().find(key.reveal()).is_some());
    }
    before.reopen().expect("still usable");
    before.create_account(&new_account("second"), now()).expect("made");
    let change = AccountChange { plan: Some(Plan::Premium), ..AccountChange::default() };
    place.open().set_account(&name("second"), &change).expect("changed");
    place.open().delete_account(&name("second")).expect("deleted");
    assert!(live.is_store_healthy());
    drop(refresher);
    // A server of this version also starts.
    let (live, _refresher) = serve(&place);
    assert!(live.current().find(one.reveal()).is_some());
    let (_store, due) = Store::open_unchanged(&place.location).expect("readable");
    assert_eq!(due, 0, "nothing to migrate");
}

fn a_schema_for_newer_programs_only_is_refused(place: TestStore) {
    let mut before = place.with_demo();
    place.migrate_further(Some(1));
    let error = Store::open(&place.location, IfMissing::Refuse).expect_err("for newer programs");
    let is_newer =
        matches!(error, StoreError::Unusable { fault: StoreFault::NewerSchema { .. }, .. });
    assert!(is_newer && error.to_string().contains("use a newer daicho"), "{error}");
    assert!(before.reopen().is_err());
}
