//! The store behind the dashboard, on both databases: passwords, sessions, sign-in attempts and known
//! devices, and the changes that the pages make to keys. The pages themselves are in `tests/dashboard`.

use std::sync::Barrier;
use std::thread;

use daicho::account::KeySelector;
use daicho::account::meter::Counts;
use daicho::account::sign_in::{Attempt, DEVICE_ATTEMPTS_MAX, DEVICE_TIME, DEVICES_MAX};
use daicho::account::store::{NewKey, NewSession, OperatedAt, Operation, Store, StoreError, Usage};
use daicho::account::{
    AccountId, AccountName, ApiKey, KeyId, KeyKind, KeyLabel, Origin, Password, PasswordHash,
    SESSION_TIME, Token, TokenHash, Who,
};
use daicho::text::network::Network;
use jiff::{SignedDuration, Timestamp};

use super::support::{
    CLIENT, TestStore, add_key, key, keyring, later, name, new_account, now, on_both,
};

on_both! {
    a_new_password_ends_the_sessions_of_the_old_one
    a_session_expires_and_can_be_ended
    sessions_are_listed_and_ended_by_those_who_may_see_them
    operations_are_kept_for_a_year
    usage_of_all_accounts_is_summed
    an_expired_key_is_loaded_with_its_end
    attempts_are_counted_for_a_name_at_an_address_and_for_the_address
    parallel_first_attempts_are_all_counted
    known_device_is_admitted_until_its_attempts_are_used_up
    known_devices_are_bounded_in_number_and_in_time
    origins_are_set_on_a_live_public_key_of_the_account
    a_key_is_labelled_disabled_and_enabled_within_a_minute
}

fn hash(text: &str, seed: u8) -> PasswordHash {
    Password::parse(text).expect("a password").hash([seed; 16]).expect("memory")
}

fn token(seed: u8) -> Token {
    Token::generate([seed; 32])
}

fn begin(store: &mut Store, seed: u8, who: Who, at: Timestamp) {
    let new = NewSession {
        who,
        token: token(seed).hash(),
        device: None,
        attempt: None,
        opened_from: CLIENT,
        opened_with: None,
    };
    store.begin_session(&new, at).expect("begun");
}

fn id_of(store: &mut Store, account: &AccountName) -> AccountId {
    store.account(account).expect("there").id
}

fn a_new_password_ends_the_sessions_of_the_old_one(place: TestStore) {
    let mut store = place.with_demo();
    let demo = name("demo");
    let id = id_of(&mut store, &demo);
    assert_eq!(store.operator_password().expect("readable"), None);
    assert_eq!(store.account_password(&demo).expect("readable"), None);
    let (first, second) = (hash("the first one", 1), hash("the second one", 2));
    store.set_operator_password(&first, None, now()).expect("set");
    store.set_account_password(&demo, Some(&first), None, now()).expect("set");
    assert_eq!(store.accounts_with_password().expect("readable"), [id]);
    for (seed, who) in [(1, Who::Operator), (2, Who::Account(id)), (3, Who::Account(id))] {
        begin(&mut store, seed, who, now());
    }
    let live = |store: &mut Store| -> Vec<u8> {
        let there =
            |seed: &u8| store.session(&token(*seed).hash(), now()).expect("readable").is_some();
        [1, 2, 3].into_iter().filter(there).collect()
    };
    assert_eq!(live(&mut store), [1, 2, 3]);
    // If the account changes its password, the session that it does so in stays valid.
    let spare = token(3).hash();
    store.set_account_password(&demo, Some(&second), Some(&spare), later()).expect("set");
    assert_eq!(live(&mut store), [1, 3]);
    assert_eq!(store.account_password(&demo).expect("readable"), Some((id, second.clone())));
    store.set_account_password(&demo, None, None, later()).expect("taken away");
    assert_eq!(live(&mut store), [1]);
    assert_eq!(store.account_password(&demo).expect("readable"), None);
    store.set_operator_password(&second, None, later()).expect("set");
    assert_eq!(live(&mut store), [0_u8; 0]);
    assert_eq!(place.open().operator_password().expect("readable"), Some(second));
    let missing = store.set_account_password(&name("nobody"), Some(&first), None, now());
    assert!(matches!(missing, Err(StoreError::NoSuchAccount { .. })), "{missing:?}");
}

fn a_session_expires_and_can_be_ended(place: TestStore) {
    let mut store = place.with_demo();
    let id = id_of(&mut store, &name("demo"));
    let (own, operators) = (token(1), token(2));
    begin(&mut store, 1, Who::Account(id), now());
    begin(&mut store, 2, Who::Operator, now());
    let (who, account) = store.session(&own.hash(), now()).expect("readable").expect("there");
    assert_eq!((who, account.map(|account| account.id)), (Who::Account(id), Some(id)));
    let found = store.session(&operators.hash(), later()).expect("readable");
    assert_eq!(found, Some((Who::Operator, None)));
    let over = now() + SESSION_TIME;
    let last = over - SignedDuration::from_secs(1);
    assert!(store.session(&own.hash(), last).expect("readable").is_some());
    assert!(store.session(&own.hash(), over).expect("readable").is_none());
    store.end_session(&own.hash()).expect("ended");
    store.end_session(&own.hash()).expect("ended before");
    assert!(store.session(&own.hash(), now()).expect("readable").is_none());
    assert!(store.session(&operators.hash(), now()).expect("readable").is_some());
    assert_eq!(store.account_by_id(id).expect("readable").map(|account| account.id), Some(id));
    assert_eq!(store.account_by_id(AccountId(999)).expect("readable"), None);
}

fn network(last: u8) -> Network {
    Network::of_client([192, 0, 2, last].into())
}

/// Counts an attempt; if it must wait, returns the time from which it is allowed.
fn attempt(store: &mut Store, attempt: &Attempt, at: Timestamp) -> Option<Timestamp> {
    store.count_attempt(attempt, at).expect("counted").err()
}

/// An attempt from an unknown device.
fn of(name: Option<&str>, last: u8) -> Attempt {
    Attempt::new(name, network(last), None, None)
}

fn attempts_are_counted_for_a_name_at_an_address_and_for_the_address(place: TestStore) {
    let mut store = place.with_demo();
    let demo = Some("demo");
    for _ in 0..5 {
        assert_eq!(attempt(&mut store, &of(demo, 1), now()), None);
    }
    let seconds = SignedDuration::from_secs;
    assert_eq!(attempt(&mut store, &of(demo, 1), now()), Some(now() + seconds(2)));
    // The same name at another address and another name at this address need not wait.
    assert_eq!(attempt(&mut store, &of(demo, 2), now()), None);
    assert_eq!(attempt(&mut store, &of(None, 1), now()), None);
    // An attempt that had to wait was not counted: the next wait is one step longer, not two.
    let two = now() + seconds(2);
    assert_eq!(attempt(&mut store, &of(demo, 1), two), None);
    assert_eq!(attempt(&mut store, &of(demo, 1), two), Some(two + seconds(4)));
    // A right password resets the count of this name at this address.
    let id = id_of(&mut store, &name("demo"));
    let right = Attempt::new(demo, network(1), Some(Who::Account(id)), None);
    let new = NewSession {
        who: Who::Account(id),
        token: token(1).hash(),
        device: None,
        attempt: Some(&right),
        opened_from: CLIENT,
        opened_with: None,
    };
    store.begin_session(&new, now()).expect("begun");
    assert_eq!(attempt(&mut store, &right, two), None);
    store.reset_attempts(&right).expect("forgiven");
    // Many names from one address: the address waits, for every name.
    for number in 0..40 {
        store.count_attempt(&of(Some(&format!("name {number}")), 9), now()).expect("counted").ok();
    }
    assert!(attempt(&mut store, &of(Some("one more"), 9), now()).is_some());
    assert!(attempt(&mut store, &of(None, 9), now()).is_some());
    assert_eq!(attempt(&mut store, &of(None, 8), now()), None);
    // After two hours the counts have expired.
    let later = now() + SignedDuration::from_hours(2);
    assert_eq!(attempt(&mut store, &of(None, 9), later), None);
}

fn parallel_first_attempts_are_all_counted(place: TestStore) {
    drop(place.with_demo());
    let mut stores: Vec<Store> = (0..8).map(|_| place.open()).collect();
    let barrier = Barrier::new(stores.len());
    for last in 1..=10 {
        let admitted = thread::scope(|scope| {
            let attempt_at_once = |store| {
                scope.spawn(|| {
                    barrier.wait();
                    attempt(store, &of(Some("demo"), last), now()).is_none()
                })
            };
            let threads: Vec<_> = stores.iter_mut().map(attempt_at_once).collect();
            threads
                .into_iter()
                .filter_map(|thread| thread.join().ok())
                .filter(|admitted| *admitted)
                .count()
        });
        assert_eq!(admitted, 5, "of 8 attempts from network {last}");
    }
}

fn known_device_is_admitted_until_its_attempts_are_used_up(place: TestStore) {
    let mut store = place.with_demo();
    let demo = Who::Account(id_of(&mut store, &name("demo")));
    let device = token(7).hash();
    let with = |who: Who, device: TokenHash| {
        let name = matches!(who, Who::Account(_)).then_some("demo");
        Attempt::new(name, network(1), Some(who), Some(device))
    };
    let sign_in = |store: &mut Store, seed: u8, who: Who| {
        let attempt = with(who, device);
        let new = NewSession {
            who,
            token: token(seed).hash(),
            device: Some(device),
            attempt: Some(&attempt),
            opened_from: CLIENT,
            opened_with: None,
        };
        store.begin_session(&new, now()).expect("begun");
    };
    assert!(!store.is_known_device(&device, now()).expect("readable"));
    sign_in(&mut store, 1, demo);
    assert!(store.is_known_device(&device, now()).expect("readable"));
    // Attempts from unknown devices lock the name and the address.
    for _ in 0..30 {
        store.count_attempt(&of(Some("demo"), 1), now()).expect("counted").ok();
        store.count_attempt(&of(None, 1), now()).expect("counted").ok();
    }
    assert!(attempt(&mut store, &of(Some("demo"), 1), now()).is_some());
    assert_eq!(attempt(&mut store, &with(demo, device), now()), None);
    // The device is known for one account only, and another cookie is not known.
    assert!(attempt(&mut store, &with(Who::Operator, device), now()).is_some());
    assert!(attempt(&mut store, &with(demo, token(8).hash()), now()).is_some());
    sign_in(&mut store, 2, Who::Operator);
    assert_eq!(attempt(&mut store, &with(Who::Operator, device), now()), None);
    // A right password restores all attempts of the device.
    sign_in(&mut store, 3, demo);
    for _ in 0..DEVICE_ATTEMPTS_MAX {
        assert_eq!(attempt(&mut store, &with(demo, device), now()), None);
    }
    store.reset_attempts(&with(demo, device)).expect("forgiven");
    for _ in 0..DEVICE_ATTEMPTS_MAX {
        assert_eq!(attempt(&mut store, &with(demo, device), now()), None);
    }
    assert!(attempt(&mut store, &with(demo, device), now()).is_some(), "unknown again");
    assert_eq!(attempt(&mut store, &with(Who::Operator, device), now()), None);
}

fn known_devices_are_bounded_in_number_and_in_time(place: TestStore) {
    let mut store = place.with_demo();
    let count = u8::try_from(DEVICES_MAX).expect("few") + 1;
    let remember = |store: &mut Store, seed: u8, who: Who, at: Timestamp| {
        let new = NewSession {
            who,
            token: token(seed).hash(),
            device: Some(token(seed).hash()),
            attempt: None,
            opened_from: CLIENT,
            opened_with: None,
        };
        store.begin_session(&new, at).expect("begun");
        store.end_session(&token(seed).hash()).expect("ended");
    };
    let demo = Who::Account(id_of(&mut store, &name("demo")));
    remember(&mut store, 200, demo, now());
    for seed in 0..count {
        remember(&mut store, seed, Who::Operator, now() + SignedDuration::from_secs(seed.into()));
    }
    let known = |store: &mut Store, seed: u8, at: Timestamp| {
        store.is_known_device(&token(seed).hash(), at).expect("readable")
    };
    assert!(!known(&mut store, 0, now()), "the oldest was removed");
    assert!(known(&mut store, 1, now()) && known(&mut store, count - 1, now()));
    assert!(known(&mut store, 200, now()), "each account has its own list");
    assert!(!known(&mut store, 200, now() + DEVICE_TIME));
}

fn origins_are_set_on_a_live_public_key_of_the_account(place: TestStore) {
    let mut store = place.with_demo();
    let (demo, other) = (name("demo"), name("other"));
    store.create_account(&new_account("other"), now()).expect("made");
    let origin = |text: &str| Origin::parse(text).expect("an origin");
    let mut key = |kind, seed| {
        let key = ApiKey::generate(kind, [seed; 20]);
        let new = NewKey { account: &demo, key: &key, label: None, origins: &[], expires_at: None };
        store.create_key(&new, daicho::account::KEYS_MAX, now()).expect("made").id
    };
    let (public, secret) = (key(KeyKind::Public, 1), key(KeyKind::Secret, 2));
    let before = store.generation().expect("readable");
    let two =
        [origin("https://b.example"), origin("https://a.example"), origin("https://b.example")];
    store.set_origins(&demo, public, &two).expect("set");
    assert_ne!(store.generation().expect("readable"), before, "servers see it");
    let keys = store.keys(Some(&demo)).expect("readable");
    assert_eq!(keys[0].origins, [origin("https://a.example"), origin("https://b.example")]);
    let fault = |store: &mut Store, account: &AccountName, key: KeyId, origins: &[Origin]| {
        store.set_origins(account, key, origins).expect_err("refused")
    };
    let none = fault(&mut store, &other, public, &two);
    assert!(matches!(none, StoreError::NoSuchKey { .. }), "a key of another account: {none}");
    let secrets = fault(&mut store, &demo, secret, &two);
    assert!(matches!(secrets, StoreError::OriginsOnSecretKey { .. }), "{secrets}");
    let many: Vec<Origin> =
        (0..=100).map(|number| origin(&format!("https://a{number}.example"))).collect();
    let many = fault(&mut store, &demo, public, &many);
    assert!(matches!(many, StoreError::TooManyOrigins { found: 101 }), "{many}");
    store.revoke_key(&KeySelector::Id(public), later()).expect("revoked");
    let revoked = fault(&mut store, &demo, public, &two);
    assert!(matches!(revoked, StoreError::NoSuchKey { .. }), "{revoked}");
}

fn a_key_is_labelled_disabled_and_enabled_within_a_minute(place: TestStore) {
    let mut store = place.with_demo();
    let (demo, other) = (name("demo"), name("other"));
    store.create_account(&new_account("other"), now()).expect("made");
    let account = Who::Account(id_of(&mut store, &demo));
    let made = key(1, KeyKind::Secret);
    let id = add_key(&mut store, &made).id;
    let label = KeyLabel::parse("staging").expect("a label");
    let gone = |outcome: Result<(), StoreError>| {
        let error = outcome.expect_err("refused");
        assert!(matches!(error, StoreError::NoSuchKey { .. }), "{error}");
    };
    gone(store.set_label(&other, id, Some(&label)));
    store.set_label(&demo, id, Some(&label)).expect("set");
    assert_eq!(store.keys(None).expect("all")[0].label, Some(label));
    store.set_label(&demo, id, None).expect("removed");
    assert_eq!(store.keys(None).expect("all")[0].label, None);

    let is_live = |store: &mut Store| keyring(store).expect("loaded").find(made.reveal()).is_some();
    let after = |seconds| now() + SignedDuration::from_secs(seconds);
    gone(store.enable_key(&demo, id, account, now()));
    gone(store.disable_key(&other, id, account, now()));
    let before = store.generation().expect("readable");
    store.disable_key(&demo, id, account, now()).expect("disabled");
    assert_ne!(store.generation().expect("readable"), before, "servers see it");
    assert!(!is_live(&mut store));
    gone(store.disable_key(&demo, id, account, now()));
    gone(store.set_label(&demo, id, None));
    gone(store.enable_key(&other, id, account, now()));
    gone(store.enable_key(&demo, id, account, after(61)));
    store.enable_key(&demo, id, account, after(60)).expect("enabled");
    assert!(is_live(&mut store));
    // The operator can enable a key that the account disabled, but not the other way round.
    store.disable_key(&demo, id, account, now()).expect("disabled");
    store.enable_key(&demo, id, Who::Operator, now()).expect("enabled");
    store.disable_key(&demo, id, Who::Operator, now()).expect("disabled");
    gone(store.enable_key(&demo, id, account, now()));
    let disabled = store.keys(None).expect("all").remove(0);
    assert!(
        disabled.can_be_enabled(Who::Operator, now()) && !disabled.can_be_enabled(account, now())
    );
    // A revocation is permanent, also that of a disabled key.
    let revoked = store.revoke_key(&KeySelector::Id(id), later()).expect("revoked");
    assert_eq!((revoked.revoked_at, revoked.disabled_by), (Some(now()), None));
    gone(store.enable_key(&demo, id, Who::Operator, now()));
}

fn sessions_are_listed_and_ended_by_those_who_may_see_them(place: TestStore) {
    let mut store = place.with_demo();
    store.create_account(&new_account("other"), now()).expect("made");
    let [demo, other] = ["demo", "other"].map(|text| id_of(&mut store, &name(text)));
    for (seed, who) in [
        (1, Who::Operator),
        (2, Who::Account(demo)),
        (3, Who::Account(demo)),
        (4, Who::Account(other)),
    ] {
        begin(&mut store, seed, who, now());
    }
    let long = format!("Browser\u{1b}[31m{}", "x".repeat(500));
    let new = NewSession {
        who: Who::Operator,
        token: token(5).hash(),
        device: None,
        attempt: None,
        opened_from: CLIENT,
        opened_with: Some(&long),
    };
    store.begin_session(&new, later()).expect("begun");
    let seen = |store: &mut Store, who| {
        let mut found = store.sessions(who, now()).expect("readable");
        found.sort_by_key(|session| session.token.0);
        found
    };
    let all = seen(&mut store, Who::Operator);
    assert_eq!(all.len(), 5);
    let own = all.iter().find(|session| session.token == token(5).hash()).expect("listed");
    assert_eq!(
        (own.who, own.account.as_ref(), own.opened_from),
        (Who::Operator, None, Some(CLIENT))
    );
    let browser = own.opened_with.as_deref().expect("named");
    assert!(browser.starts_with("Browser[31m") && browser.chars().count() == 200, "{browser}");
    let of_demo = seen(&mut store, Who::Account(demo));
    assert!(of_demo.len() == 2 && of_demo.iter().all(|it| it.account == Some(name("demo"))));
    // An account ends its own sessions only.
    let end = |store: &mut Store, seed, who| {
        store.end_session_of(&token(seed).hash(), who).expect("writable")
    };
    assert!(!end(&mut store, 4, Who::Account(demo)) && !end(&mut store, 1, Who::Account(demo)));
    assert!(end(&mut store, 2, Who::Account(demo)) && !end(&mut store, 2, Who::Account(demo)));
    assert!(end(&mut store, 4, Who::Operator));
    let ended = store.end_other_sessions(&token(5).hash(), Who::Operator).expect("writable");
    assert_eq!((ended, seen(&mut store, Who::Operator).len()), (1, 2), "3 is of an account");
    assert!(store.sessions(Who::Operator, now() + SESSION_TIME * 2).expect("readable").is_empty());
}

fn operations_are_kept_for_a_year(place: TestStore) {
    let mut store = place.with_demo();
    let operation = |done_at, action: &str| Operation {
        done_at,
        actor: "ops".to_owned(),
        place: OperatedAt::CommandLine,
        action: action.to_owned(),
        account: Some("demo".to_owned()),
        subject: None,
    };
    let year = SignedDuration::from_hours(400 * 24);
    for (at, action) in [(now() - year, "old"), (now(), "key create"), (later(), "key revoke")] {
        store.add_operation(&operation(at, action)).expect("added");
    }
    let shown = store.operations(10).expect("readable");
    let expected = [operation(later(), "key revoke"), operation(now(), "key create")];
    assert_eq!(shown, expected);
    assert_eq!(store.operations(1).expect("readable").len(), 1);
}

fn usage_of_all_accounts_is_summed(place: TestStore) {
    let mut store = place.with_demo();
    store.create_account(&new_account("idle"), now()).expect("made");
    let account = id_of(&mut store, &name("demo"));
    let [month, first, today] = [1, 2, 10].map(|day| jiff::civil::date(2026, 7, day));
    let usage =
        |day, requests| Usage { account, day, counts: Counts { requests, errors: 1, refused: 2 } };
    let before = usage(jiff::civil::date(2026, 6, 30), 100);
    let days = [before, usage(first, 5), usage(today, 3)];
    store.add_usage(&days, month, &[]).expect("added");
    let all = store.usage_of_all(today, month).expect("readable");
    let found: Vec<_> = all.iter().map(|it| (it.today, it.month.requests, it.used_at)).collect();
    assert_eq!(found, [(3, 8, None), (0, 0, None)]);
    assert_eq!((all[0].month.errors, all[0].month.refused), (2, 4));
}

fn an_expired_key_is_loaded_with_its_end(place: TestStore) {
    let mut store = place.with_demo();
    let (demo, secret) = (name("demo"), key(1, KeyKind::Secret));
    let expires_at = Some(later());
    let new = NewKey { account: &demo, key: &secret, label: None, origins: &[], expires_at };
    assert_eq!(
        store.create_key(&new, daicho::account::KEYS_MAX, now()).expect("made").expires_at,
        expires_at
    );
    let ring = keyring(&mut store).expect("loaded");
    let entry = ring.find(secret.reveal()).expect("loaded");
    assert_eq!((entry.expired_at(now), entry.expired_at(later)), (None, expires_at));
}
