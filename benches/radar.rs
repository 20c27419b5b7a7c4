//! The radar at full size: matching 20,000 changes of a day against 1,000,000 watched numbers of 1,000 accounts, and
//! 10,000 webhook deliveries to 100 receivers, 10 of which never answer.
//!
//! The store is a SQLite file, or the PostgreSQL database in `DAICHO_BENCH_STATE`, which must be empty. Baselines of
//! the same run: reading every watch list, and deliveries to receivers that all answer.

mod support;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use daicho::account::store::{IfMissing, NewAccount, Store, StoreLocation, StorePool};
use daicho::account::{AccountId, AccountName, Plan};
use daicho::radar::courier::{Courier, CourierConfig};
use daicho::radar::matcher;
use daicho::radar::queue::StoreQueue;
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::transport::HttpTransport;
use daicho::radar::webhook::attempt::{ATTEMPT_TIME_MAX, AllowedAddresses, Sender};
use daicho::radar::webhook::event::DeliveryIds;
use daicho::radar::webhook::{Secret, WebhookUrl};
use daicho::radar::{registration, watch_list};
use daicho::snapshot::changes::ChangeList;
use daicho::text::codes::{CorporateNumber, DataVersion, Register};
use jiff::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const ACCOUNTS: u64 = 1_000;
const WATCHED: u64 = 1_000;
const CHANGES: u64 = 20_000;
const CORPORATIONS: u64 = 5_500_000;

const RECEIVERS: usize = 100;
const DEAD: usize = 10;
const DELIVERIES: usize = 10_000;

fn main() {
    let folder = support::folder("radar");
    let location = match std::env::var_os("DAICHO_BENCH_STATE") {
        Some(url) => StoreLocation::parse(&url).expect("a place"),
        None => {
            let path = folder.join("daicho.db");
            let _ = std::fs::remove_file(&path);
            StoreLocation::File(path)
        }
    };
    let mut store = Store::open(&location, IfMissing::Create).expect("an empty store");
    let all = delivering(&mut store, &location, 0);
    let live = delivering(&mut store, &location, DEAD);
    support::ratio("radar/deliveries, with dead ones beside", live, all);
    // Last, because the deliveries that it makes must not be sent.
    matching(&mut store);
}

/// The number at one step of a pseudo-random sequence (splitmix64).
fn number(step: u64) -> CorporateNumber {
    let mut mixed = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let body = 100_000_000_000 + (mixed ^ (mixed >> 31)) % CORPORATIONS;
    CorporateNumber::from_body(body).expect("twelve digits")
}

fn numbers(steps: std::ops::Range<u64>) -> Vec<CorporateNumber> {
    let mut numbers: Vec<CorporateNumber> = steps.map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn cipher() -> SecretCipher {
    let text = format!("{}=", "A".repeat(43));
    SecretCipher::new(KeyLocation::Variable { name: "DAICHO_WEBHOOK_KEY", text })
}

fn account(store: &mut Store, name: &str, url: &str) -> AccountId {
    let name = AccountName::parse(name).expect("a name");
    let new = NewAccount { name, plan: Plan::Premium, batch: false, api_version: None };
    let id = store.create_account(&new, Timestamp::now()).expect("a free name").id;
    let url = WebhookUrl::parse(url).expect("a URL");
    let secret = Secret::from_random([1; 32]);
    registration::set_url(store, &cipher(), id, &url, &secret, Timestamp::now()).expect("set");
    id
}

fn day() -> DataVersion {
    DataVersion::parse("2026-08-03").expect("a date")
}

/// Times a match of a day, and reading every list as a match without an index would.
fn matching(store: &mut Store) {
    let accounts: Vec<AccountId> = (0..ACCOUNTS)
        .map(|at| {
            let id = account(store, &format!("watcher {at}"), "https://watcher.example");
            let numbers = numbers(at * WATCHED..(at + 1) * WATCHED);
            watch_list::add(store, id, Register::Corporate, &numbers, WATCHED, Timestamp::now())
                .expect("added");
            id
        })
        .collect();
    // Steps beyond those that accounts watch: a changed number is watched only by chance.
    let changed = numbers(ACCOUNTS * WATCHED..ACCOUNTS * WATCHED + CHANGES);
    let mut ids = DeliveryIds::from_seed([1; 32]);
    let started = Instant::now();
    let list = ChangeList {
        register: Register::Corporate,
        day: day(),
        checksum: u32::MAX,
        numbers: changed,
    };
    let made = matcher::match_day(store, &list, "bench", Timestamp::now(), || ids.next_id())
        .expect("matched");
    let took = started.elapsed();
    println!(
        "radar/match of {CHANGES} changes with {} watched numbers of {ACCOUNTS} accounts: \
         {took:?}, {made:?} deliveries",
        ACCOUNTS * WATCHED
    );
    let set: HashSet<CorporateNumber> = list.numbers.iter().copied().collect();
    let started = Instant::now();
    let watching = accounts.iter().filter(|id| {
        let watched = watch_list::numbers(store, **id, Register::Corporate).expect("read");
        watched.iter().any(|number| set.contains(number))
    });
    let count = watching.count();
    let naive = started.elapsed();
    println!("radar/the same by reading every list: {naive:?}, {count} deliveries");
    assert_eq!(made, Some(count as u64), "both find the same");
    support::ratio("radar/match", took.as_secs_f64(), naive.as_secs_f64());
}

/// Sends to receivers, `dead` of which never answer. Returns the seconds until all others got their deliveries.
fn delivering(store: &mut Store, location: &StoreLocation, dead: usize) -> f64 {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let taken = Arc::new(AtomicUsize::new(0));
    let silent: Vec<std::net::TcpListener> =
        (0..dead).map(|_| std::net::TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let mut addresses: Vec<SocketAddr> =
        silent.iter().map(|listener| listener.local_addr().expect("bound")).collect();
    for _ in dead..RECEIVERS {
        addresses.push(runtime.block_on(receiver(Arc::clone(&taken))));
    }
    let seed = u8::try_from(dead).expect("few");
    let mut ids = DeliveryIds::from_seed([seed + 2; 32]);
    // A number of this run only, which all of its accounts watch.
    let watched = [CorporateNumber::from_body(u64::from(seed)).expect("twelve digits")];
    for (at, address) in addresses.iter().enumerate() {
        let name = format!("receiver {at} beside {dead}");
        let id = account(store, &name, &format!("http://{address}/"));
        watch_list::add(store, id, Register::Corporate, &watched, 1, Timestamp::now())
            .expect("added");
    }
    for list in 0..DELIVERIES / RECEIVERS {
        let checksum = u32::try_from(list).expect("few") + 1000 * u32::from(seed);
        let list = ChangeList {
            register: Register::Corporate,
            day: day(),
            checksum,
            numbers: watched.to_vec(),
        };
        let made = matcher::match_day(store, &list, "bench", Timestamp::now(), || ids.next_id());
        assert_eq!(made.expect("matched"), Some(RECEIVERS as u64));
    }
    let started = Instant::now();
    let sender = Sender::new(AllowedAddresses::Any, ATTEMPT_TIME_MAX);
    let courier = Courier::start(CourierConfig {
        queue: StoreQueue {
            store: Arc::new(StorePool::of(location.clone())),
            server_name: format!("bench {dead}"),
        },
        transport: HttpTransport::new(sender).expect("threads"),
        public_url: "http://127.0.0.1".parse().expect("a URL"),
        counters: Arc::default(),
        cipher: cipher(),
    });
    let wanted = DELIVERIES / RECEIVERS * (RECEIVERS - dead);
    while taken.load(Relaxed) < wanted {
        std::thread::sleep(Duration::from_millis(5));
    }
    let took = started.elapsed();
    drop(courier);
    println!(
        "radar/{wanted} deliveries to {} receivers beside {dead} dead: {took:?}",
        RECEIVERS - dead
    );
    took.as_secs_f64()
}

/// A receiver that accepts and counts every request.
async fn receiver(taken: Arc<AtomicUsize>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        while let Ok((mut tcp, _peer)) = listener.accept().await {
            let taken = Arc::clone(&taken);
            tokio::spawn(async move {
                let mut head = [0; 4096];
                let read = tcp.read(&mut head).await;
                if read.is_ok_and(|count| count > 0)
                    && tcp.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.is_ok()
                {
                    taken.fetch_add(1, Relaxed);
                }
            });
        }
    });
    address
}
