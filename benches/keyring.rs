//! The time that authentication adds to a request, in process: find the key among 10,000, check its origin and its
//! right to the service, count the request against a quota. For known, unknown and malformed keys.

mod support;

use std::sync::Arc;
use std::time::Instant;

use daicho::account::quota::monthly;
use daicho::account::{
    Account, AccountId, AccountName, ApiKey, KeyEntry, KeyId, KeyKind, Keyring, LiveKeys, Meters,
    Origin, Plan, Quota, Rate, Rights, authorize,
};
use jiff::Timestamp;
use support::measure;

const KEYS: u64 = 10_000;
const ORIGIN: &str = "https://www.example.com";

/// The key of this seed; the same in every run.
fn key(seed: u64) -> ApiKey {
    let mut random = [0; 20];
    random[..8].copy_from_slice(&seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    ApiKey::generate(KeyKind::Public, random)
}

fn texts(seeds: std::ops::Range<u64>) -> Vec<String> {
    seeds.map(|seed| key(seed).reveal().to_owned()).collect()
}

fn main() {
    let account = Arc::new(Account {
        id: AccountId(1),
        name: AccountName::parse("bench").expect("a name"),
        plan: Plan::Standard,
        batch: false,
        api_version: None,
    });
    let origin = Origin::parse(ORIGIN).expect("an origin");
    let (meters, quota) = (Meters::new(Timestamp::now()), Quota::default());
    let meter = meters.of(account.id);
    let entry = |seed: u64| KeyEntry {
        id: KeyId(1),
        hash: key(seed).hash(),
        kind: KeyKind::Public,
        account: Arc::clone(&account),
        origins: [origin.clone()].into(),
        quota,
        meter: Arc::clone(&meter),
        expires_at: None,
    };
    let live = LiveKeys::new(Keyring::new((0..KEYS).map(entry)));
    let known = texts(0..4096);
    let unknown = texts(KEYS..KEYS + 4096);
    let mistyped: Vec<_> = known.iter().map(|text| format!("{}a", &text[..45])).collect();

    let find = |text: &String| live.current().find(text).is_some();
    let allow = |text: &String| {
        let ring = live.current();
        let entry = ring.find(text).expect("a known key");
        entry.allows_origin(Some(ORIGIN), None)
            && authorize(entry.kind, &entry.account, Rights::STANDARD).is_ok()
    };
    assert!(
        known.iter().all(|text| find(text) && allow(text)),
        "every key must be found and allowed"
    );
    assert!(!unknown.iter().any(find), "no unknown key may be found");
    measure("keyring/known", &known, find);
    measure("keyring/unknown", &unknown, find);
    measure("keyring/mistyped", &mistyped, find);
    measure("keyring/known, origin, plan", &known, allow);
    let admit = |quota: Quota| {
        let meter = Arc::clone(&meter);
        // Without reading the clock: the server reads it for every request anyway.
        move |at: &Instant| meter.admit(&quota, *at, 0).is_ok()
    };
    let times = vec![Instant::now(); 4096];
    let rate = Some(Rate::of(1_000_000, None).expect("a rate"));
    let monthly = monthly(1_000_000_000_000).ok();
    measure("meter/no quota", &times, admit(Quota::default()));
    measure("meter/rate", &times, admit(Quota { rate, monthly: None }));
    measure("meter/rate and month", &times, admit(Quota { rate, monthly }));
}
