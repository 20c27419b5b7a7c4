//! Servers that die between every two steps: nothing is lost, and what arrives twice has one id.
//!
//! The one that dies is this test program run again, as [`dies_at_a_step`], which ends its process at
//! the step that its environment names. The shipped server has no such place.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use daicho::account::store::{StatePlace, StorePool};
use daicho::radar::counters::DeliveryCounters;
use daicho::radar::courier::{Courier, CourierConfig, Step};
use daicho::radar::store::{DayList, DeliveryState};
use daicho::radar::webhook::Sender;
use daicho::radar::webhook::delivery::Reach;
use daicho::radar::webhook::event::DeliveryIds;
use daicho::text::codes::{CorporateNumber, DataVersion};
use jiff::Timestamp;

use super::receiver::Receiver;
use super::server::{CHANGED, Site};

const STEP: &str = "DAICHO_TEST_STEP";
const STATE: &str = "DAICHO_TEST_STATE";

/// The name that the server that dies has in the store.
const VICTIM: &str = "victim";

/// Deliveries that wait when it begins.
const COUNT: usize = 12;

fn courier(place: StatePlace, by: &str, at_step: fn(Step)) -> Courier {
    let config = CourierConfig {
        store: Arc::new(StorePool::of(place)),
        sender: Sender::new(Reach::Anywhere),
        public_url: "http://127.0.0.1".parse().expect("a URL"),
        counters: Arc::new(DeliveryCounters::default()),
        by: by.to_owned(),
        at_step,
    };
    Courier::start(config).expect("threads")
}

fn day() -> DataVersion {
    DataVersion::parse("2026-08-03").expect("a date")
}

/// Ends the process at the step that the environment names.
fn die_at(step: Step) {
    if std::env::var(STEP).is_ok_and(|named| named == format!("{step:?}")) {
        std::process::abort();
    }
}

#[test]
#[ignore = "run by the other tests here, in a process of its own"]
fn dies_at_a_step() {
    let (Ok(step), Some(state)) = (std::env::var(STEP), std::env::var_os(STATE)) else { return };
    let place = StatePlace::parse(&state).expect("a place");
    if step == "Matching" {
        let store = StorePool::of(place);
        let numbers = [CorporateNumber::parse(CHANGED).expect("a number")];
        let list = DayList { day: day(), checksum: 1, numbers: &numbers };
        let die = || std::process::abort();
        let matched = store.run(|store| store.match_day(&list, VICTIM, Timestamp::now(), die));
        panic!("it lives on: {matched:?}");
    }
    let _courier = courier(place, VICTIM, die_at);
    std::thread::sleep(super::receiver::DEADLINE);
}

/// Runs [`dies_at_a_step`] until it has died there.
#[track_caller]
fn die(site: &Site, step: &str) {
    let ended = Command::new(std::env::current_exe().expect("this program"))
        .args(["crash::dies_at_a_step", "--exact", "--ignored"])
        .env(STEP, step)
        .env(STATE, site.folder.path().join("daicho.db"))
        .output()
        .expect("it runs");
    let signal = std::os::unix::process::ExitStatusExt::signal(&ended.status);
    assert_eq!(signal, Some(6), "{step}: {ended:?}");
}

#[test]
fn every_event_arrives_wherever_a_server_dies() {
    for step in ["Claimed", "Tried", "Recorded"] {
        let receiver = Receiver::willing();
        let site = Site::with_webhook(&receiver.url());
        let mut store = site.store();
        let mut ids = DeliveryIds::from_seed([4; 32]);
        let made: Vec<_> = (0..COUNT).map(|_| ids.give()).collect();
        for id in &made {
            store.test_delivery(id, site.account, day(), Timestamp::now()).expect("made");
        }
        die(&site, step);
        let waiting =
            site.deliveries().iter().filter(|one| one.state == DeliveryState::Waiting).count();
        match step {
            "Claimed" => assert!(waiting == COUNT && receiver.received().is_empty(), "{step}"),
            "Tried" => assert!(waiting == COUNT && !receiver.received().is_empty(), "{step}"),
            _ => assert!(waiting < COUNT, "{step}"),
        }
        // What only time would do: its claims end.
        store.give_claims_back(VICTIM).expect("void");
        let next = courier(site.place(), "next", |_step| {});
        let all = |found: &[daicho::radar::store::Delivery]| {
            found.iter().all(|one| one.state == DeliveryState::Delivered)
        };
        site.until("all to be delivered", all);
        drop(next);
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for request in receiver.received() {
            *times.entry(request.header("webhook-id").to_owned()).or_default() += 1;
        }
        let expected =
            made.iter().map(ToString::to_string).collect::<std::collections::BTreeSet<_>>();
        assert!(times.keys().eq(&expected), "{step}: every id, and no other: {times:?}");
    }
}

#[test]
fn a_match_that_dies_half_way_is_made_by_the_next() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    die(&site, "Matching");
    assert_eq!(site.store().matched_days().expect("read"), []);
    assert!(site.deliveries().is_empty());
    site.put_the_change();
    let server = site.serve(&["--webhook-allow-private"], &[]);
    receiver.wait_for(1);
    assert_eq!(site.deliveries().len(), 1);
    drop(server);
}
