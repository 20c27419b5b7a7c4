//! A server that dies between two steps of a delivery: every event still arrives, and keeps its id.
//!
//! The dying server is this test program, run again with only the test [`dies_at_a_step`]: its queue aborts the
//! process at the step that an environment variable names.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use daicho::account::store::{StoreError, StoreLocation, StorePool};
use daicho::radar::courier::{Courier, CourierConfig};
use daicho::radar::delivery::{self, Delivery, DeliveryKind, DeliveryState};
use daicho::radar::matcher;
use daicho::radar::queue::{ClaimedBatch, FinishedAttempt, Queue, StoreQueue};
use daicho::radar::registration::Webhook;
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::transport::HttpTransport;
use daicho::radar::webhook::Sender;
use daicho::radar::webhook::attempt::{ATTEMPT_TIME_MAX, AllowedAddresses};
use daicho::radar::webhook::event::DeliveryIds;
use daicho::snapshot::changes::ChangeList;
use daicho::text::codes::{CorporateNumber, DataVersion, Register};
use jiff::Timestamp;

use super::receiver::Receiver;
use super::server::{CHANGED, Site};

const STEP: &str = "DAICHO_TEST_STEP";
const STATE: &str = "DAICHO_TEST_STATE";

/// The name of the dying server in the store.
const VICTIM: &str = "victim";

/// The number of waiting deliveries at the start.
const COUNT: usize = 12;

fn queue_at(location: StoreLocation, server_name: &str) -> StoreQueue {
    StoreQueue { store: Arc::new(StorePool::of(location)), server_name: server_name.to_owned() }
}

fn courier(queue: impl Queue, cipher: SecretCipher) -> Courier {
    let sender = Sender::new(AllowedAddresses::Any, ATTEMPT_TIME_MAX);
    let config = CourierConfig {
        queue,
        transport: HttpTransport::new(sender).expect("threads"),
        public_url: "http://127.0.0.1".parse().expect("a URL"),
        counters: Arc::default(),
        cipher,
    };
    Courier::start(config).expect("threads")
}

/// A queue that aborts the process at one step:
/// `Claimed`: deliveries are claimed, none has been attempted;
/// `Tried`: an attempt has ended, its result is not recorded;
/// `Recorded`: the results of attempts are recorded.
struct AbortingQueue {
    queue: StoreQueue,
    step: String,
}

impl AbortingQueue {
    fn abort_at(&self, step: &str) {
        if self.step == step {
            std::process::abort();
        }
    }
}

impl Queue for AbortingQueue {
    fn claim(
        &mut self,
        now: i64,
        until: i64,
        avoided: &[String],
        choose: &mut dyn FnMut(&Webhook) -> bool,
    ) -> Result<ClaimedBatch, StoreError> {
        let claimed = self.queue.claim(now, until, avoided, choose)?;
        if !claimed.deliveries.is_empty() {
            self.abort_at("Claimed");
        }
        Ok(claimed)
    }

    fn record_attempts(
        &mut self,
        attempts: &[FinishedAttempt],
        now: i64,
    ) -> Result<(), StoreError> {
        self.abort_at("Tried");
        self.queue.record_attempts(attempts, now)?;
        self.abort_at("Recorded");
        Ok(())
    }

    fn release_claims(&mut self) -> Result<(), StoreError> {
        self.queue.release_claims()
    }

    fn count_waiting(&mut self) -> Result<u64, StoreError> {
        self.queue.count_waiting()
    }

    fn prune(&mut self, before: i64) -> Result<u64, StoreError> {
        self.queue.prune(before)
    }
}

fn day() -> DataVersion {
    DataVersion::parse("2026-08-03").expect("a date")
}

#[test]
#[ignore = "run by the other tests of this file in a process of its own"]
fn dies_at_a_step() {
    let (Ok(step), Some(state)) = (std::env::var(STEP), std::env::var_os(STATE)) else { return };
    let location = StoreLocation::parse(&state).expect("a location");
    let cipher = SecretCipher::new(KeyLocation::BesideState(state.into()));
    if step == "Matching" {
        let store = StorePool::of(location);
        let numbers = vec![CorporateNumber::parse(CHANGED).expect("a number")];
        let list = ChangeList { register: Register::Corporate, day: day(), checksum: 1, numbers };
        let abort = || std::process::abort();
        let matched =
            store.run(|store| matcher::match_day(store, &list, VICTIM, Timestamp::now(), abort));
        panic!("expected an abort: {matched:?}");
    }
    let _courier = courier(AbortingQueue { queue: queue_at(location, VICTIM), step }, cipher);
    std::thread::sleep(super::receiver::DEADLINE);
}

/// Runs [`dies_at_a_step`] and asserts that it aborted.
#[track_caller]
fn run_until_abort(site: &Site, step: &str) {
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
fn every_event_arrives_although_a_server_dies_at_any_step() {
    for step in ["Claimed", "Tried", "Recorded"] {
        let receiver = Receiver::willing();
        let site = Site::with_webhook(&receiver.url());
        let mut store = site.store();
        let mut ids = DeliveryIds::from_seed([4; 32]);
        let made: Vec<_> = (0..COUNT).map(|_| ids.next_id()).collect();
        for id in &made {
            let (account, now) = (site.account, Timestamp::now());
            store
                .write(|tx| {
                    delivery::insert(
                        tx,
                        id,
                        account,
                        DeliveryKind::Radar,
                        Register::Corporate,
                        day(),
                        now,
                    )
                })
                .expect("made");
        }
        run_until_abort(&site, step);
        let waiting =
            site.deliveries().iter().filter(|one| one.state == DeliveryState::Waiting).count();
        match step {
            "Claimed" => assert!(waiting == COUNT && receiver.received().is_empty(), "{step}"),
            "Tried" => assert!(waiting == COUNT && !receiver.received().is_empty(), "{step}"),
            _ => assert!(waiting < COUNT, "{step}"),
        }
        // Release the claims of the dead server instead of waiting until they expire.
        queue_at(site.place(), VICTIM).release_claims().expect("released");
        let next = courier(queue_at(site.place(), "next"), site.cipher());
        let all =
            |found: &[Delivery]| found.iter().all(|one| one.state == DeliveryState::Delivered);
        site.until("all to be delivered", all);
        drop(next);
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for request in receiver.received() {
            *times.entry(request.header("webhook-id").to_owned()).or_default() += 1;
        }
        let expected =
            made.iter().map(ToString::to_string).collect::<std::collections::BTreeSet<_>>();
        assert!(times.keys().eq(&expected), "{step}: exactly the ids of the store: {times:?}");
        let is_repeated = times.values().any(|count| *count > 1);
        assert!(is_repeated || step != "Tried", "sent again with the same id: {times:?}");
    }
}

#[test]
fn the_next_server_completes_an_interrupted_match() {
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    run_until_abort(&site, "Matching");
    assert_eq!(matcher::matched_days(&mut site.store(), Register::Corporate).expect("read"), []);
    assert!(site.deliveries().is_empty());
    site.put_the_change();
    let server = site.serve(&["--webhook-allow-private"], &[]);
    receiver.wait_for(1);
    assert_eq!(site.deliveries().len(), 1);
    drop(server);
}
