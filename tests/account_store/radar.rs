//! Webhooks, watch lists and matching, on both databases.

use std::cell::Cell;
use std::sync::{Arc, Barrier};
use std::thread;

use daicho::account::store::{AccountChange, Store, StorePool};
use daicho::account::{AccountId, Plan};
use daicho::radar::delivery::{self, DeliveryState};
use daicho::radar::matcher;
use daicho::radar::queue::{Queue, StoreQueue};
use daicho::radar::registration::{self, Webhook};
use daicho::radar::stored_secret::{KeyLocation, SecretCipher, StoredSecret};
use daicho::radar::webhook::{DeliveryId, Secret, Secrets, WebhookUrl};
use daicho::radar::{RadarError, watch_list};
use daicho::snapshot::changes::ChangeList;
use daicho::text::codes::{CorporateNumber, DataVersion, Register};

use super::support::{TestStore, name, new_account, now, on_both};

on_both! {
    a_webhook_is_set_rotated_and_removed
    secrets_that_an_earlier_version_stored_are_encrypted
    a_watch_list_needs_a_webhook
    a_watch_list_takes_numbers_up_to_its_bound
    a_watch_list_of_100_000_is_read_in_order_and_in_pages
    concurrent_additions_do_not_exceed_the_bound
    a_day_is_matched_once_and_again_if_its_list_is_replaced
    several_servers_match_a_day_once
    each_register_has_its_own_lists_and_days
}

pub const NOW: i64 = 1_800_000_000;

pub fn url(text: &str) -> WebhookUrl {
    WebhookUrl::parse(text).expect("a URL")
}

pub fn secret(seed: u8) -> Secret {
    Secret::from_random([seed; 32])
}

/// The encryption key in an environment variable, made of this letter.
fn cipher_of(letter: &str) -> SecretCipher {
    let text = format!("{}=", letter.repeat(43));
    SecretCipher::new(KeyLocation::Variable { name: "DAICHO_WEBHOOK_KEY", text })
}

pub fn cipher() -> SecretCipher {
    cipher_of("A")
}

pub fn day(text: &str) -> DataVersion {
    DataVersion::parse(text).expect("a date")
}

/// Corporate numbers with right check digits, in the order of their bodies (the 12 digits after the
/// check digit).
fn numbers(bodies: impl IntoIterator<Item = u64>) -> Vec<CorporateNumber> {
    let number = |body| CorporateNumber::from_body(100_000_000_000 + body).expect("twelve digits");
    bodies.into_iter().map(number).collect()
}

fn sorted(mut numbers: Vec<CorporateNumber>) -> Vec<CorporateNumber> {
    numbers.sort_unstable();
    numbers
}

/// A new id at each call.
fn next_id(count: &Cell<u8>) -> DeliveryId {
    count.set(count.get() + 1);
    DeliveryId::from_random([count.get(); 15])
}

/// A premium account of this name with a webhook.
pub fn account(store: &mut Store, text: &str, receiver: &str) -> AccountId {
    let mut new = new_account(text);
    new.plan = Plan::Premium;
    let id = store.create_account(&new, now()).expect("made").id;
    registration::set_url(store, &cipher(), id, &url(receiver), &secret(1), now()).expect("set");
    id
}

/// The queue as the server of this name uses it.
pub fn queue(place: &TestStore, server_name: &str) -> StoreQueue {
    StoreQueue {
        store: Arc::new(StorePool::of(place.location.clone())),
        server_name: server_name.to_owned(),
    }
}

fn a_webhook_is_set_rotated_and_removed(place: TestStore) {
    let mut store = place.with_demo();
    let demo = store.account(&name("demo")).expect("there").id;
    assert_eq!(registration::find(&mut store, demo).expect("read"), None);
    let missing = registration::rotate_secret(&mut store, &cipher(), demo, &secret(2), now());
    assert!(matches!(missing, Err(RadarError::NoWebhook)));
    let before = store.generation().expect("read");
    let first = registration::set_url(
        &mut store,
        &cipher(),
        demo,
        &url("https://a.example/x"),
        &secret(1),
        now(),
    );
    let first = first.expect("set");
    let (first, is_new) = first;
    assert!(is_new);
    assert_eq!((first.url.as_str(), first.created_at), ("https://a.example/x", NOW));
    assert_eq!(opened(&first), Secrets { current: secret(1), previous: None });
    let rotated = registration::rotate_secret(&mut store, &cipher(), demo, &secret(2), now())
        .expect("rotated");
    let both = Secrets { current: secret(2), previous: Some((secret(1), NOW + 86_400)) };
    assert_eq!(opened(&rotated), both);
    let moved = registration::set_url(
        &mut store,
        &cipher(),
        demo,
        &url("https://b.example"),
        &secret(3),
        now(),
    );
    let (moved, is_new) = moved.expect("set");
    assert!(!is_new);
    assert_eq!(moved.url.as_str(), "https://b.example/");
    assert_eq!(moved.secrets, rotated.secrets, "another URL, the same secrets");
    assert_eq!(registration::find(&mut place.open(), demo).expect("read"), Some(moved));
    assert!(registration::remove(&mut store, demo, now()).expect("removed"));
    assert!(!registration::remove(&mut store, demo, now()).expect("nothing to remove"));
    assert_eq!(registration::find(&mut store, demo).expect("read"), None);
    assert_eq!(store.generation().expect("read"), before, "no server reloads its keys");
    let error = registration::set_url(
        &mut store,
        &cipher(),
        AccountId(99),
        &url("https://a.example"),
        &secret(1),
        now(),
    );
    assert!(error.is_err(), "no account has that id");
}

/// The decrypted secrets of a webhook.
fn opened(webhook: &Webhook) -> Secrets {
    cipher().decrypt(webhook.account, &webhook.secrets).expect("our key")
}

fn secrets_that_an_earlier_version_stored_are_encrypted(place: TestStore) {
    let mut store = place.with_demo();
    // No account has a webhook, so no key is needed.
    let nowhere = SecretCipher::new(KeyLocation::NotConfigured);
    assert_eq!(
        registration::encrypt_plain_secrets(&mut store, &nowhere).expect("nothing to do"),
        0
    );
    let a = account(&mut store, "a", "https://a.example");
    let b = account(&mut store, "b", "https://b.example");
    let (old, older) = ([0xaa; 32], [0xbb; 24]);
    let sql = "UPDATE webhook SET secret = $2, previous_secret = $3, previous_until = 7 \
               WHERE account_id = $1";
    let values = [a.into(), (&old).into(), (&older).into()];
    store.write(|tx| tx.execute(sql, &values)).expect("as it was");
    let plain = registration::find(&mut store, a).expect("read").expect("there");
    let expected = Secrets {
        current: Secret::from_bytes(&old).expect("a secret"),
        previous: Some((Secret::from_bytes(&older).expect("a secret"), 7)),
    };
    // Without a key the encryption is refused, and deliveries still read the plain secrets.
    let refused =
        registration::encrypt_plain_secrets(&mut store, &nowhere).expect_err("no key").to_string();
    assert!(refused.contains("--webhook-key-file or DAICHO_WEBHOOK_KEY"), "{refused}");
    assert_eq!(nowhere.decrypt(a, &plain.secrets).expect("plain"), expected);
    // With a key other than that of the encrypted secrets nothing is encrypted.
    let wrong =
        registration::encrypt_plain_secrets(&mut store, &cipher_of("I")).expect_err("another");
    assert!(wrong.to_string().contains("encrypted with another key"), "{wrong}");
    assert_eq!(registration::find(&mut store, a).expect("read"), Some(plain));
    assert_eq!(registration::encrypt_plain_secrets(&mut store, &cipher()).expect("encrypted"), 1);
    assert_eq!(registration::encrypt_plain_secrets(&mut store, &cipher()).expect("done"), 0);
    let found = registration::find(&mut store, a).expect("read").expect("there");
    assert!(matches!(found.secrets.current, StoredSecret::Encrypted(_)), "{found:?}");
    assert_eq!(opened(&found), expected);
    let other = registration::find(&mut store, b).expect("read").expect("there");
    assert_eq!(opened(&other), Secrets { current: secret(1), previous: None });
    // No plain secret is left in the file or in its write-ahead log.
    for file in [place.path(), place.beside("daicho.db-wal")] {
        let bytes = std::fs::read(file).unwrap_or_default();
        let has = |byte: u8| bytes.windows(24).any(|part| part == [byte; 24]);
        assert!(!has(0xaa) && !has(0xbb) && !has(1));
    }
}

fn a_watch_list_needs_a_webhook(place: TestStore) {
    let mut store = place.with_demo();
    let demo = store.account(&name("demo")).expect("there").id;
    let some = numbers(0..2);
    let is_missing = |error| matches!(error, RadarError::NoWebhook);
    assert!(is_missing(
        watch_list::numbers(&mut store, demo, Register::Corporate).expect_err("refused")
    ));
    assert!(is_missing(
        watch_list::filter_watched(&mut store, demo, Register::Corporate, &some)
            .expect_err("refused")
    ));
    assert!(is_missing(
        watch_list::add(&mut store, demo, Register::Corporate, &some, 10, now())
            .expect_err("refused")
    ));
    assert!(is_missing(
        watch_list::remove(&mut store, demo, Register::Corporate, &some).expect_err("refused")
    ));
    let id = DeliveryId::from_random([1; 15]);
    let test = delivery::create_test(&mut store, &id, demo, day("2026-08-03"), now());
    assert!(is_missing(test.expect_err("refused")));
    registration::set_url(
        &mut store,
        &cipher(),
        demo,
        &url("https://a.example"),
        &secret(1),
        now(),
    )
    .expect("set");
    assert_eq!(watch_list::numbers(&mut store, demo, Register::Corporate).expect("read"), []);
}

fn a_watch_list_takes_numbers_up_to_its_bound(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    let b = account(&mut store, "b", "https://b.example");
    watch_list::add(&mut store, a, Register::Corporate, &numbers([3, 1, 2]), 5, now())
        .expect("added");
    watch_list::add(&mut store, a, Register::Corporate, &numbers([3, 4, 3]), 5, now())
        .expect("some are listed already");
    watch_list::add(&mut store, a, Register::Corporate, &[], 0, now())
        .expect_err("more than the bound already");
    assert_eq!(
        watch_list::numbers(&mut store, a, Register::Corporate).expect("read"),
        sorted(numbers(1..=4))
    );
    let full = watch_list::add(&mut store, a, Register::Corporate, &numbers([5, 6]), 5, now())
        .expect_err("too many");
    assert!(matches!(full, RadarError::WatchListFull { count_max: 5, found: 6 }), "{full}");
    assert_eq!(
        watch_list::numbers(&mut store, a, Register::Corporate).expect("read"),
        sorted(numbers(1..=4)),
        "a refused list adds nothing"
    );
    watch_list::add(&mut store, a, Register::Corporate, &numbers([5]), 5, now())
        .expect("the last free place");
    assert_eq!(
        watch_list::numbers(&mut store, b, Register::Corporate).expect("read"),
        [],
        "each account has its own list"
    );
    assert_eq!(
        watch_list::remove(&mut store, a, Register::Corporate, &numbers([2, 9, 2]))
            .expect("removed"),
        1
    );
    assert_eq!(
        watch_list::remove(&mut store, b, Register::Corporate, &numbers([1])).expect("not there"),
        0
    );
    assert_eq!(
        watch_list::numbers(&mut store, a, Register::Corporate).expect("read"),
        sorted(numbers([1, 3, 4, 5]))
    );
    let among = watch_list::filter_watched(&mut store, a, Register::Corporate, &numbers([7, 5, 1]))
        .expect("read");
    assert_eq!(among, sorted(numbers([1, 5])));
}

fn a_watch_list_of_100_000_is_read_in_order_and_in_pages(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    let all = sorted(numbers(0..100_000));
    watch_list::add(&mut store, a, Register::Corporate, &all, 100_000, now())
        .expect("added at once");
    assert!(watch_list::numbers(&mut store, a, Register::Corporate).expect("read") == all);
    assert_eq!(watch_list::count(&mut store, a, Register::Corporate).expect("read"), 100_000);
    let page = watch_list::page(&mut store, a, Register::Corporate, "", None, 3).expect("read");
    assert_eq!(page, all[..3]);
    let page =
        watch_list::page(&mut store, a, Register::Corporate, "", Some(all[2]), 3).expect("read");
    assert_eq!(page, all[3..6]);
    let prefix = &all[50_000].to_string()[..12];
    let beginning = |number: &&CorporateNumber| number.to_string().starts_with(prefix);
    let expected: Vec<CorporateNumber> = all.iter().filter(beginning).copied().collect();
    assert_eq!(
        watch_list::page(&mut store, a, Register::Corporate, prefix, None, 100).expect("read"),
        expected
    );
    assert_eq!(
        watch_list::page(&mut store, a, Register::Corporate, "x", None, 100).expect("read"),
        []
    );
    assert_eq!(
        watch_list::remove(&mut store, a, Register::Corporate, &all).expect("removed"),
        100_000
    );
}

fn concurrent_additions_do_not_exceed_the_bound(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    watch_list::add(&mut store, a, Register::Corporate, &numbers(0..9), 10, now()).expect("added");
    let start = Barrier::new(4);
    let added = thread::scope(|scope| {
        let (start, place) = (&start, &place);
        let add = |body| {
            scope.spawn(move || {
                let mut store = place.open();
                start.wait();
                watch_list::add(&mut store, a, Register::Corporate, &numbers([body]), 10, now())
                    .is_ok()
            })
        };
        let threads: Vec<_> = (100..104).map(add).collect();
        let join = |one: thread::ScopedJoinHandle<'_, bool>| one.join().expect("no panic");
        threads.into_iter().map(join).collect::<Vec<_>>()
    });
    assert_eq!(added.iter().filter(|added| **added).count(), 1);
    assert_eq!(watch_list::count(&mut store, a, Register::Corporate).expect("read"), 10);
}

fn a_day_is_matched_once_and_again_if_its_list_is_replaced(place: TestStore) {
    let mut store = place.with_demo();
    let watching = account(&mut store, "watching", "https://a.example");
    let other = account(&mut store, "other", "https://b.example");
    let plain = account(&mut store, "plain", "https://c.example");
    let gone = account(&mut store, "gone", "https://d.example");
    for id in [watching, plain, gone] {
        watch_list::add(&mut store, id, Register::Corporate, &numbers([1, 2, 3]), 10, now())
            .expect("added");
    }
    watch_list::add(&mut store, other, Register::Corporate, &numbers([50]), 10, now())
        .expect("added");
    let standard = AccountChange { plan: Some(Plan::Standard), ..AccountChange::default() };
    store.set_account(&name("plain"), &standard).expect("no radar in its plan");
    registration::remove(&mut store, gone, now()).expect("removed");
    let count = Cell::new(0);
    let monday = day("2026-08-03");
    let changed = sorted(numbers([2, 3, 60]));
    let list = ChangeList {
        register: Register::Corporate,
        day: monday,
        checksum: u32::MAX,
        numbers: changed,
    };
    assert_eq!(matcher::matched_days(&mut store, Register::Corporate).expect("read"), []);
    let made =
        matcher::match_day(&mut store, &list, "one", now(), || next_id(&count)).expect("matched");
    assert_eq!(made, Some(1), "two numbers of one account are one delivery");
    let again =
        matcher::match_day(&mut store, &list, "two", now(), || next_id(&count)).expect("matched");
    assert_eq!(again, None);
    assert_eq!(
        matcher::matched_days(&mut store, Register::Corporate).expect("read"),
        [(monday, u32::MAX)]
    );
    let more = sorted(numbers([2, 3, 50, 60]));
    let list =
        ChangeList { register: Register::Corporate, day: monday, checksum: 7, numbers: more };
    let made =
        matcher::match_day(&mut store, &list, "one", now(), || next_id(&count)).expect("matched");
    assert_eq!(made, Some(2), "the list was replaced");
    let empty = ChangeList {
        register: Register::Corporate,
        day: day("2026-08-04"),
        checksum: 0,
        numbers: vec![],
    };
    let none =
        matcher::match_day(&mut store, &empty, "one", now(), || next_id(&count)).expect("matched");
    assert_eq!(none, Some(0));
    let found = delivery::latest(&mut store, None, 10).expect("read");
    let mut whose: Vec<&str> = found.iter().map(|one| one.account.as_str()).collect();
    whose.sort_unstable();
    assert_eq!(whose, ["other", "watching", "watching"]);
    assert!(found.iter().all(|one| one.day == monday && one.state == DeliveryState::Waiting));
    assert_eq!(delivery::latest(&mut store, Some(&name("other")), 10).expect("read").len(), 1);
    assert_eq!(delivery::latest(&mut store, None, 2).expect("read").len(), 2);
    assert_eq!(queue(&place, "any").count_waiting().expect("read"), 3);
}

fn several_servers_match_a_day_once(place: TestStore) {
    let mut store = place.with_demo();
    for at in 0..20 {
        let id = account(&mut store, &format!("a{at}"), "https://a.example");
        watch_list::add(&mut store, id, Register::Corporate, &numbers(0..10), 10, now())
            .expect("added");
    }
    let changed = sorted(numbers(5..15));
    let start = Barrier::new(4);
    let made = thread::scope(|scope| {
        let (start, place, changed) = (&start, &place, &changed);
        let at_once = |server: u8| {
            scope.spawn(move || {
                let mut store = place.open();
                let mut count = 0;
                let mut id = || {
                    count += 1;
                    DeliveryId::from_random(std::array::from_fn(|at| {
                        if at == 0 { server } else { count }
                    }))
                };
                let list = ChangeList {
                    register: Register::Corporate,
                    day: day("2026-08-03"),
                    checksum: 1,
                    numbers: changed.clone(),
                };
                start.wait();
                matcher::match_day(&mut store, &list, &format!("server {server}"), now(), &mut id)
            })
        };
        let threads: Vec<_> = (0..4).map(at_once).collect();
        let join = |one: thread::ScopedJoinHandle<'_, _>| one.join().expect("no panic");
        threads.into_iter().map(join).collect::<Result<Vec<Option<u64>>, _>>().expect("matched")
    });
    assert_eq!(made.iter().flatten().collect::<Vec<_>>(), [&20], "{made:?}");
    assert_eq!(queue(&place, "any").count_waiting().expect("read"), 20);
}

fn each_register_has_its_own_lists_and_days(place: TestStore) {
    let (corporate, invoice) = (Register::Corporate, Register::Invoice);
    let mut store = place.with_demo();
    let both = account(&mut store, "both", "https://a.example");
    let issuers = account(&mut store, "issuers", "https://b.example");
    // Neither list counts towards the bound of the other.
    watch_list::add(&mut store, both, corporate, &numbers([1, 2]), 2, now()).expect("added");
    watch_list::add(&mut store, both, invoice, &numbers([2, 3]), 2, now()).expect("added");
    let full = watch_list::add(&mut store, both, invoice, &numbers([4]), 2, now());
    assert!(matches!(full, Err(RadarError::WatchListFull { count_max: 2, found: 3 })), "{full:?}");
    // The number of an individual, without a check digit.
    let individual = CorporateNumber::from_number(9_810_999_999_902).expect("thirteen digits");
    assert!(!individual.is_sound());
    watch_list::add(&mut store, issuers, invoice, &[individual], 2, now()).expect("added");
    assert_eq!(watch_list::numbers(&mut store, issuers, invoice).expect("read"), [individual]);
    assert_eq!(watch_list::numbers(&mut store, issuers, corporate).expect("read"), []);
    assert_eq!(watch_list::remove(&mut store, both, corporate, &numbers([3])).expect("none"), 0);
    let list =
        |store: &mut Store, register| watch_list::numbers(store, both, register).expect("read");
    assert_eq!(list(&mut store, corporate), sorted(numbers([1, 2])));
    assert_eq!(list(&mut store, invoice), sorted(numbers([2, 3])));
    // The same day of both registers is matched once for each.
    let (count, monday) = (Cell::new(0), day("2026-08-03"));
    let made = |store: &mut Store, register, numbers: Vec<CorporateNumber>| {
        let list = ChangeList { register, day: monday, checksum: 7, numbers: sorted(numbers) };
        let id = || next_id(&count);
        matcher::match_day(store, &list, "one", now(), id).expect("matched")
    };
    let changed = [numbers([3]), vec![individual]].concat();
    assert_eq!(made(&mut store, corporate, numbers([3])), Some(0), "only the issuer is watched");
    assert_eq!(made(&mut store, invoice, changed.clone()), Some(2));
    assert_eq!(made(&mut store, invoice, changed), None);
    for register in Register::ALL {
        let days = matcher::matched_days(&mut store, register).expect("read");
        assert_eq!(days, [(monday, 7)]);
    }
    let found = delivery::latest(&mut store, None, 10).expect("read");
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|one| (one.register, one.day) == (invoice, monday)), "{found:?}");
    // The courier learns of which register a delivery is.
    let mut queue = queue(&place, "any");
    let claimed = queue.claim(NOW, NOW + 60, &[], &mut |_webhook| true).expect("claimed");
    let of: Vec<Register> = claimed.deliveries.iter().map(|one| one.register).collect();
    assert_eq!(of, [invoice, invoice]);
}
