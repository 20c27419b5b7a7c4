//! Request counts by endpoint and status, and the time of each key's last use, on both databases.

use std::sync::Arc;

use daicho::account::store::{EndpointUsage, Figure, KeyUse, Store};
use daicho::account::usage::{FIGURE_DAYS, Figures, first_day};
use daicho::account::{AccountId, KeyId, KeyKind, LiveKeys, ResponseKind};
use jiff::Timestamp;
use jiff::civil::date;

use super::support::{CLIENT, TestStore, add_key, key, name, new_account, now, on_both};

on_both! {
    responses_are_counted_by_endpoint_and_status
    the_last_use_of_a_key_is_stored_by_the_hour
    figures_are_kept_for_30_days
    figures_of_deleted_accounts_and_keys_are_dropped
}

const LOOKUP: &str = "/v1/postalcode/{code}";
const SEARCH: &str = "/v1/postalcode";

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// A server's live keys and its figures. The test calls what the server's writer thread does.
struct Node {
    store: Store,
    keys: Arc<LiveKeys>,
    figures: Figures,
}

impl Node {
    fn of(place: &TestStore) -> Node {
        let mut store = place.open();
        let keys = Arc::new(LiveKeys::load(&mut store, Arc::default()).expect("loaded"));
        let figures = Figures::new(Arc::clone(&keys), now());
        Node { store, keys, figures }
    }

    /// Counts `times` responses, spread over the shards as by several threads.
    fn answer(&self, key: KeyId, endpoint: &'static str, status: u16, times: usize) {
        let account = AccountId(1);
        for shard in 0..times {
            self.keys.tally.count(ResponseKind { account, key, endpoint, status }, CLIENT, shard);
        }
    }

    fn flush(&mut self, now: Timestamp) {
        if self.figures.collect(now) {
            self.figures.write(&mut self.store, now).expect("written");
        }
    }
}

fn usage(store: &mut Store) -> Vec<(String, u16, u64)> {
    let usage = store.endpoint_usage(&name("demo"), date(2026, 7, 1)).expect("known");
    let row =
        |EndpointUsage { endpoint, status, requests }: EndpointUsage| (endpoint, status, requests);
    usage.into_iter().map(row).collect()
}

fn responses_are_counted_by_endpoint_and_status(place: TestStore) {
    let mut store = place.with_demo();
    let id = add_key(&mut store, &key(1, KeyKind::Secret)).id;
    let (mut first, mut second) = (Node::of(&place), Node::of(&place));
    first.answer(id, LOOKUP, 200, 100);
    first.answer(id, LOOKUP, 404, 3);
    second.answer(id, LOOKUP, 200, 7);
    second.answer(id, SEARCH, 503, 1);
    for node in [&mut first, &mut second] {
        node.flush(at("2026-07-10T03:00:00Z"));
    }
    first.answer(id, SEARCH, 503, 1);
    first.flush(at("2026-07-11T03:00:00Z"));
    first.flush(at("2026-07-11T03:00:05Z"));
    let expected = [(SEARCH, 503, 2), (LOOKUP, 200, 107), (LOOKUP, 404, 3)];
    let expected = expected.map(|(endpoint, status, count)| (endpoint.to_owned(), status, count));
    assert_eq!(usage(&mut store), expected);
    let since = store.endpoint_usage(&name("demo"), date(2026, 7, 11)).expect("known");
    assert_eq!(since.len(), 1, "{since:?}");
    assert!(store.endpoint_usage(&name("nobody"), date(2026, 7, 1)).is_err());
}

fn the_last_use_of_a_key_is_stored_by_the_hour(place: TestStore) {
    let mut store = place.with_demo();
    let used = [1, 2].map(|seed| add_key(&mut store, &key(seed, KeyKind::Secret)).id);
    let before = store.generation().expect("known");
    let mut node = Node::of(&place);
    node.answer(used[0], LOOKUP, 200, 1);
    node.flush(at("2026-07-10T03:59:59Z"));
    node.answer(used[0], LOOKUP, 403, 1);
    node.flush(at("2026-07-10T05:10:00Z"));
    // A server whose clock is behind does not move the last use back.
    let mut late = Node::of(&place);
    late.answer(used[0], LOOKUP, 200, 1);
    late.flush(at("2026-07-10T04:59:59Z"));
    let keys = store.keys(None).expect("all");
    let expected = [Some(at("2026-07-10T05:00:00Z")), None];
    assert_eq!(keys.iter().map(|key| key.used_at).collect::<Vec<_>>(), expected);
    assert_eq!(store.generation().expect("known"), before, "no server reloads its keys");
}

fn figures_are_kept_for_30_days(place: TestStore) {
    let mut store = place.with_demo();
    let id = add_key(&mut store, &key(1, KeyKind::Secret)).id;
    let mut node = Node::of(&place);
    let today = date(2026, 7, 31);
    assert_eq!((FIGURE_DAYS, first_day(today)), (30, date(2026, 7, 2)));
    for day in ["2026-07-01", "2026-07-02"] {
        node.answer(id, LOOKUP, 200, 1);
        node.flush(at(&format!("{day}T03:00:00Z")));
    }
    assert_eq!(usage(&mut store), [(LOOKUP.to_owned(), 200, 2)]);
    node.answer(id, LOOKUP, 200, 1);
    node.flush(at("2026-07-31T03:00:00Z"));
    assert_eq!(usage(&mut store), [(LOOKUP.to_owned(), 200, 2)], "the first day is removed");
}

fn figures_of_deleted_accounts_and_keys_are_dropped(place: TestStore) {
    let mut store = place.with_demo();
    let id = add_key(&mut store, &key(1, KeyKind::Secret)).id;
    store.create_account(&new_account("other"), now()).expect("made");
    let ids: Vec<AccountId> = store.accounts().expect("all").iter().map(|it| it.id).collect();
    let day = date(2026, 7, 10);
    let figure = |account, status| Figure { account, day, endpoint: LOOKUP, status, requests: 1 };
    // More rows than one statement inserts.
    let mut figures: Vec<Figure> = (100..250).map(|status| figure(ids[0], status)).collect();
    figures.push(figure(AccountId(1_000_000), 200));
    let uses = [id, KeyId(1_000_000)];
    let uses = uses.map(|key| KeyUse { key, hour: now(), used_from: CLIENT });
    store.add_figures(&figures, &uses, None).expect("added");
    assert_eq!(usage(&mut store).len(), 150);
    store.delete_account(&name("demo")).expect("deleted");
    store.add_figures(&figures, &uses, None).expect("dropped without an error");
    store
        .read(|tx| {
            for table in ["usage_by_endpoint", "key_use"] {
                assert_eq!(tx.count(&format!("SELECT count(*) FROM {table}"), &[])?, 0, "{table}");
            }
            Ok::<_, daicho::account::store::StoreError>(())
        })
        .expect("readable");
}
