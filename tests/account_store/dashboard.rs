//! Passwords, sessions and attempts to sign in.

use daicho::account::KeySelector;
use daicho::account::lockout::Subject;
use daicho::account::store::{NewKey, Store, StoreError};
use daicho::account::{
    AccountId, AccountName, ApiKey, KeyId, KeyKind, Origin, Password, PasswordHash, SESSION_TIME,
    Token, Who,
};
use jiff::{SignedDuration, Timestamp};

use super::support::{Place, later, name, new_account, now, on_both};

on_both! {
    a_password_is_replaced_and_ends_the_sessions_that_it_began
    a_session_ends_by_itself_and_by_hand
    attempts_are_counted_for_a_name_and_for_an_address
    origins_are_set_on_a_live_public_key_of_the_account
}

fn hash(text: &str, seed: u8) -> PasswordHash {
    Password::parse(text).expect("a password").hash([seed; 16]).expect("memory")
}

fn token(seed: u8) -> Token {
    Token::generate([seed; 32])
}

fn id_of(store: &mut Store, account: &AccountName) -> AccountId {
    store.account(account).expect("there").id
}

fn a_password_is_replaced_and_ends_the_sessions_that_it_began(place: Place) {
    let mut store = place.with_demo();
    let demo = name("demo");
    let id = id_of(&mut store, &demo);
    assert_eq!(store.operator_password().expect("readable"), None);
    assert_eq!(store.account_password(&demo).expect("readable"), None);
    let (first, second) = (hash("the first one", 1), hash("the second one", 2));
    store.set_operator_password(&first, now()).expect("set");
    store.set_account_password(&demo, Some(&first), None, now()).expect("set");
    assert_eq!(store.accounts_with_password().expect("readable"), [id]);
    for (seed, who) in [(1, Who::Operator), (2, Who::Account(id)), (3, Who::Account(id))] {
        store.begin_session(&token(seed).hash(), who, &[], now()).expect("begun");
    }
    let live = |store: &mut Store| -> Vec<u8> {
        let there =
            |seed: &u8| store.session(&token(*seed).hash(), now()).expect("readable").is_some();
        [1, 2, 3].into_iter().filter(there).collect()
    };
    assert_eq!(live(&mut store), [1, 2, 3]);
    // The account's own change spares the session that it was made in.
    let spare = token(3).hash();
    store.set_account_password(&demo, Some(&second), Some(&spare), later()).expect("set");
    assert_eq!(live(&mut store), [1, 3]);
    assert_eq!(store.account_password(&demo).expect("readable"), Some((id, second.clone())));
    store.set_account_password(&demo, None, None, later()).expect("taken away");
    assert_eq!(live(&mut store), [1]);
    assert_eq!(store.account_password(&demo).expect("readable"), None);
    store.set_operator_password(&second, later()).expect("set");
    assert_eq!(live(&mut store), [0_u8; 0]);
    assert_eq!(place.open().operator_password().expect("readable"), Some(second));
    let missing = store.set_account_password(&name("nobody"), Some(&first), None, now());
    assert!(matches!(missing, Err(StoreError::NoSuchAccount { .. })), "{missing:?}");
}

fn a_session_ends_by_itself_and_by_hand(place: Place) {
    let mut store = place.with_demo();
    let id = id_of(&mut store, &name("demo"));
    let (own, operators) = (token(1), token(2));
    store.begin_session(&own.hash(), Who::Account(id), &[], now()).expect("begun");
    store.begin_session(&operators.hash(), Who::Operator, &[], now()).expect("begun");
    let (session, account) = store.session(&own.hash(), now()).expect("readable").expect("there");
    assert_eq!((session.who, session.expires_at), (Who::Account(id), now() + SESSION_TIME));
    assert_eq!(account.map(|account| account.id), Some(id));
    let (session, account) =
        store.session(&operators.hash(), later()).expect("readable").expect("there");
    assert_eq!((session.who, account), (Who::Operator, None));
    let over = now() + SESSION_TIME;
    assert!(store.session(&own.hash(), over).expect("readable").is_none());
    store.end_session(&own.hash()).expect("ended");
    store.end_session(&own.hash()).expect("ended before");
    assert!(store.session(&own.hash(), now()).expect("readable").is_none());
    assert!(store.session(&operators.hash(), now()).expect("readable").is_some());
    assert_eq!(store.account_of_id(id).expect("readable").map(|account| account.id), Some(id));
    assert_eq!(store.account_of_id(AccountId(999)).expect("readable"), None);
}

fn attempts_are_counted_for_a_name_and_for_an_address(place: Place) {
    let mut store = place.with_demo();
    let address = |last| Subject::Address([192, 0, 2, last].into());
    let demo = || Subject::Name(Some("demo".to_owned()));
    let attempt = |store: &mut Store, subjects: &[Subject], at: Timestamp| {
        store.begin_attempt(subjects, at).expect("counted").err()
    };
    for _ in 0..5 {
        assert_eq!(attempt(&mut store, &[demo(), address(1)], now()), None);
    }
    // From anywhere else too; other names are not held up.
    let two = SignedDuration::from_secs(2);
    assert_eq!(attempt(&mut store, &[demo(), address(2)], now()), Some(now() + two));
    let other = [Subject::Name(None), address(1)];
    assert_eq!(attempt(&mut store, &other, now()), None);
    // What had to wait was not counted: the next wait is the next step.
    assert_eq!(attempt(&mut store, &[demo(), address(2)], now() + two), None);
    let four = SignedDuration::from_secs(4);
    assert_eq!(attempt(&mut store, &[demo()], now() + two), Some(now() + two + four));
    // A right password forgives the name.
    let id = id_of(&mut store, &name("demo"));
    let subjects = [demo(), address(1)];
    store.begin_session(&token(1).hash(), Who::Account(id), &subjects, now()).expect("begun");
    assert_eq!(attempt(&mut store, &[demo(), address(1)], now() + two), None);
    // An hour forgives the rest.
    for _ in 0..40 {
        store.begin_attempt(&[address(9)], now()).expect("counted").ok();
    }
    assert!(attempt(&mut store, &[address(9)], now()).is_some());
    assert_eq!(attempt(&mut store, &[address(9)], now() + SignedDuration::from_hours(2)), None);
}

fn origins_are_set_on_a_live_public_key_of_the_account(place: Place) {
    let mut store = place.with_demo();
    let (demo, other) = (name("demo"), name("other"));
    store.create_account(&new_account("other"), now()).expect("made");
    let origin = |text: &str| Origin::parse(text).expect("an origin");
    let mut key = |kind, seed| {
        let key = ApiKey::generate(kind, [seed; 20]);
        let new = NewKey { account: &demo, key: &key, origins: &[] };
        store.create_key(&new, now()).expect("made").id
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
    assert!(matches!(none, StoreError::NoSuchKey { .. }), "another's key: {none}");
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
