//! Quotas and usage, on both databases: setting and lifting quotas, counting requests by day, and how
//! servers that share a store learn of each other's counts.

use std::sync::Arc;
use std::time::Instant;

use daicho::account::quota::monthly;
use daicho::account::store::{AccountChange, Store, StoreError, Usage};
use daicho::account::usage::Ledger;
use daicho::account::{AccountId, KeyKind, LiveKeys, Meter, Plan, Quota, Rate};
use daicho::account::{LimitSetting, OwnQuota, QuotaChange};
use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};

use super::cluster::Cluster;
use super::support::{TestStore, add_key, key, name, new_account, now, on_both};

on_both! {
    quotas_are_set_and_lifted
    requests_are_counted_by_day
    servers_that_share_a_store_share_their_counts
    the_monthly_count_starts_at_zero_each_month
}

fn rate(rate: u64, burst: u64) -> Rate {
    Rate::of(rate, Some(burst)).expect("a rate")
}

fn quotas_are_set_and_lifted(place: TestStore) {
    let mut store = place.with_demo();
    let demo = name("demo");
    let none = (OwnQuota::default(), Quota::default());
    assert_eq!(store.account_quota(&demo).expect("known"), none);

    let thousand = monthly(1000).expect("a quota");
    let of_plan = QuotaChange {
        rate: Some(LimitSetting::Limit(rate(5, 10))),
        monthly: Some(LimitSetting::Limit(thousand)),
    };
    let plan = Quota { rate: Some(rate(5, 10)), monthly: Some(thousand) };
    assert_eq!(store.set_plan_quota(Plan::Standard, &of_plan).expect("set"), plan);
    assert_eq!(store.account_quota(&demo).expect("known"), (OwnQuota::default(), plan));
    assert_eq!(store.quotas().expect("all").of_plan(Plan::Premium), Quota::default());

    let mut set = |quota: QuotaChange| {
        let change = AccountChange { quota, ..AccountChange::default() };
        store.set_account(&demo, &change).expect("changed");
        store.account_quota(&demo).expect("known")
    };
    let (own, quota) =
        set(QuotaChange { rate: Some(LimitSetting::Limit(rate(7, 7))), monthly: None });
    assert_eq!(
        own,
        OwnQuota { rate: LimitSetting::Limit(rate(7, 7)), monthly: LimitSetting::AsPlan }
    );
    assert_eq!(quota, Quota { rate: Some(rate(7, 7)), monthly: Some(thousand) });
    let (_, quota) =
        set(QuotaChange { rate: Some(LimitSetting::None), monthly: Some(LimitSetting::None) });
    assert_eq!(quota, Quota::default());
    let (own, quota) = set(QuotaChange { rate: Some(LimitSetting::AsPlan), monthly: None });
    assert_eq!(own, OwnQuota { rate: LimitSetting::AsPlan, monthly: LimitSetting::None });
    assert_eq!(quota, Quota { rate: Some(rate(5, 10)), monthly: None });

    let lifted = QuotaChange { rate: Some(LimitSetting::None), monthly: None };
    let expected = Quota { rate: None, monthly: Some(thousand) };
    assert_eq!(store.set_plan_quota(Plan::Standard, &lifted).expect("set"), expected);
    let before = store.generation().expect("known");
    store.set_plan_quota(Plan::Standard, &lifted).expect("set");
    assert_ne!(store.generation().expect("known"), before, "servers see it");
}

/// A server's live keys and its ledger. The test calls what the server's writer thread does.
struct Node {
    store: Store,
    keys: Arc<LiveKeys>,
    ledger: Ledger,
}

impl Node {
    fn of(place: &TestStore, now: Timestamp) -> Node {
        let mut store = place.open();
        let keys = Arc::new(LiveKeys::load(&mut store, Arc::default()).expect("loaded"));
        let ledger = Ledger::new(Arc::clone(&keys), now);
        Node { store, keys, ledger }
    }

    fn meter(&self) -> (Arc<Meter>, Quota) {
        let keyring = self.keys.current();
        let entry = keyring.find(key(1, KeyKind::Secret).reveal()).expect("live");
        (Arc::clone(&entry.meter), entry.quota)
    }

    /// Sends `times` requests; the number admitted.
    fn ask(&self, times: usize) -> usize {
        let (meter, quota) = self.meter();
        (0..times).filter(|_| meter.admit(&quota, Instant::now(), 0).is_ok()).count()
    }

    fn flush(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.ledger.flush(&mut self.store, now)
    }
}

/// A store whose account `demo` has a key and a quota of `requests` a month.
fn limited(place: &TestStore, requests: u64) -> Store {
    let mut store = place.with_demo();
    add_key(&mut store, &key(1, KeyKind::Secret));
    let limit = monthly(requests).expect("a quota");
    let quota = QuotaChange { rate: None, monthly: Some(LimitSetting::Limit(limit)) };
    let change = AccountChange { quota, ..AccountChange::default() };
    store.set_account(&name("demo"), &change).expect("changed");
    store
}

fn by_day(store: &mut Store, from: Date) -> Vec<(String, u64, u64, u64)> {
    let usage = store.usage(&name("demo"), from).expect("known");
    let row = |Usage { day, counts, .. }: Usage| {
        (day.to_string(), counts.requests, counts.errors, counts.refused)
    };
    usage.into_iter().map(row).collect()
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn requests_are_counted_by_day(place: TestStore) {
    let mut store = place.with_demo();
    add_key(&mut store, &key(1, KeyKind::Secret));
    let mut node = Node::of(&place, at("2026-07-10T03:00:00Z"));
    assert_eq!(node.ask(70), 70);
    node.meter().0.count_error(0);
    node.flush(at("2026-07-10T14:59:59Z")).expect("written");
    node.ask(5);
    // Counted before the day changed, so it belongs to that day.
    node.flush(at("2026-07-10T15:00:00Z")).expect("written");
    assert!(!node.ledger.is_due(at("2026-07-10T15:00:00Z")));
    node.ask(1);
    assert!(node.ledger.is_due(at("2026-07-10T15:00:00Z")));
    node.flush(at("2026-07-10T15:00:01Z")).expect("written");
    node.flush(at("2026-07-10T15:00:02Z")).expect("nothing to write");
    let expected = [("2026-07-10".to_owned(), 75, 1, 0), ("2026-07-11".to_owned(), 1, 0, 0)];
    assert_eq!(by_day(&mut store, date(2026, 7, 1)), expected);
    assert_eq!(by_day(&mut store, date(2026, 7, 11)), expected[1..]);
    assert!(store.usage(&name("nobody"), date(2026, 7, 1)).is_err());

    // More rows than one statement inserts, and one of an account that does not exist.
    for number in 0..150 {
        store.create_account(&new_account(&format!("more {number}")), now()).expect("made");
    }
    let ids: Vec<AccountId> = store.accounts().expect("all").iter().map(|a| a.id).collect();
    let counts = node.meter().0.counts();
    let usage = |account: &AccountId| Usage { account: *account, day: date(2026, 8, 1), counts };
    let mut usage: Vec<Usage> = ids.iter().map(usage).collect();
    usage.push(Usage { account: AccountId(1_000_000), ..usage[0] });
    for round in 1..3 {
        let stored = store.add_usage(&usage, date(2026, 8, 1), &ids).expect("added");
        assert_eq!(stored.len(), 151);
        assert!(stored.iter().all(|(_, requests)| *requests == round * 76), "{stored:?}");
    }
    assert_eq!(store.add_usage(&[], date(2026, 9, 1), &ids[..1]).expect("asked"), [(ids[0], 0)]);
}

fn servers_that_share_a_store_share_their_counts(place: TestStore) {
    let mut store = limited(&place, 1000);
    let now = Timestamp::now();
    let (mut first, mut second) = (Node::of(&place, now), Node::of(&place, now));
    assert_eq!((first.ask(300), second.ask(200)), (300, 200));
    first.flush(now).expect("written");
    second.flush(now).expect("written");
    assert_eq!(second.meter().0.used(), 500);
    // The first server learns of the second server's count after a while, or with its next request.
    assert!(!first.ledger.is_due(now) && first.meter().0.used() == 300);
    let while_later = now.checked_add(SignedDuration::from_secs(2)).expect("a time");
    assert!(first.ledger.is_due(while_later));
    first.flush(while_later).expect("asked");
    assert!(!first.ledger.is_due(while_later) && first.meter().0.used() == 500);
    assert_eq!((first.ask(1), second.ask(1)), (1, 1));
    second.flush(now).expect("written");
    first.flush(now).expect("written");
    assert_eq!(first.meter().0.used(), 502);
    assert_eq!(first.ask(1000), 498);
    first.flush(now).expect("written");
    assert_eq!(second.ask(1), 1, "it does not know yet");
    second.flush(now).expect("written");
    assert_eq!(second.ask(10), 0);

    // A server that starts, even after a crash, reads what was written.
    let third = Node::of(&place, now);
    assert_eq!((third.meter().0.used(), third.ask(10)), (1001, 0));
    let total: u64 = by_day(&mut store, date(2026, 1, 1)).iter().map(|row| row.1).sum();
    assert_eq!(total, 1001);
}

fn the_monthly_count_starts_at_zero_each_month(place: TestStore) {
    let mut store = limited(&place, 100);
    let july = at("2026-07-31T14:59:58Z");
    let mut node = Node::of(&place, july);
    assert_eq!(node.ask(150), 100);
    node.flush(at("2026-07-31T14:59:59Z")).expect("written");
    assert_eq!(node.ask(1), 0);
    node.flush(at("2026-07-31T15:00:00Z")).expect("written");
    assert_eq!((node.meter().0.used(), node.ask(150)), (0, 100));
    node.flush(at("2026-07-31T15:00:01Z")).expect("written");
    let rows = by_day(&mut store, date(2026, 7, 1));
    let expected = [("2026-07-31".to_owned(), 100, 0, 51), ("2026-08-01".to_owned(), 100, 0, 50)];
    assert_eq!(rows, expected);
}

/// Checks that counts made while the store is unreachable are written once it is reachable again.
#[track_caller]
fn counts_survive(
    place: &TestStore,
    mut store: Store,
    fail: impl FnOnce(),
    restore: impl FnOnce(),
) {
    let now = at("2026-07-10T03:00:00Z");
    let mut node = Node::of(place, now);
    assert_eq!(node.ask(10), 10);
    node.flush(now).expect("written");
    fail();
    for _ in 0..3 {
        assert_eq!(node.ask(20), 20);
        let error = node.flush(now).expect_err("the store is unreachable");
        assert!(error.is_unusable(), "{error}");
    }
    assert_eq!(node.keys.meters.unwritten(), 60);
    restore();
    node.flush(at("2026-07-11T03:00:00Z")).expect("written");
    assert_eq!((node.keys.meters.unwritten(), node.meter().0.used()), (0, 70));
    assert_eq!(by_day(&mut store, date(2026, 7, 1)), [("2026-07-10".to_owned(), 70, 0, 0)]);
}

#[test]
fn a_lost_file_loses_no_count() {
    let place = TestStore::file();
    let store = limited(&place, 1000);
    let (path, aside) = (place.path(), place.beside("aside.db"));
    let rename = |from, to| move || std::fs::rename(from, to).expect("moved");
    counts_survive(&place, store, rename(path.clone(), aside.clone()), rename(aside, path));
}

#[needs::postgresql_server]
#[test]
fn a_lost_database_loses_no_count() {
    let cluster = Cluster::start();
    let place = TestStore::from_url(&cluster.empty_schema());
    let store = limited(&place, 1000);
    let cluster = std::cell::RefCell::new(cluster);
    counts_survive(
        &place,
        store,
        || cluster.borrow_mut().kill(),
        || cluster.borrow_mut().restart(),
    );
}
