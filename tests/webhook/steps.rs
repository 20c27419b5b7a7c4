//! A server is killed, or its writes fail, at each step of a delivery: no notice is lost, and none that was recorded as
//! delivered is sent again.
//!
//! strace attaches to the idle server. Then the test adds a data version with a change, or deliveries in the store, so
//! the next system calls belong to the delivery. strace injects the fault into the Nth call of one kind, on any thread.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use daicho::radar::delivery::{self, Delivery, DeliveryKind, DeliveryState};
use daicho::radar::webhook::event::DeliveryIds;
use daicho::text::codes::{DataVersion, Register};
use jiff::Timestamp;

use super::receiver::{DEADLINE, Receiver};
use super::server::{Server, Site};

/// System calls that write to the store. Each call of each kind is one step.
const STORE_CALLS: [&str; 5] = ["pwrite64", "fsync", "fdatasync", "ftruncate", "unlink"];

/// System calls that reach the receiver, the log and other threads.
const OTHER_CALLS: [&str; 6] = ["socket", "connect", "sendto", "writev", "recvfrom", "write"];

/// The number of deliveries put into the store.
const COUNT: usize = 3;

const PRIVATE: &[&str] = &["--webhook-allow-private"];

/// The fault at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Killed,
    /// The call fails with ENOSPC, as on a full disk.
    Failed,
}

/// The work of the server at the time of the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Matches a change, makes a delivery of it, and delivers it.
    Matching,
    /// Delivers waiting deliveries.
    Delivering,
}

impl Work {
    fn begin(self, site: &Site) {
        match self {
            Work::Matching => site.put_the_change(),
            Work::Delivering => put(site, [4; 32], COUNT),
        }
    }

    fn count(self) -> usize {
        if self == Work::Matching { 1 } else { COUNT }
    }
}

/// Puts so many deliveries into the store.
fn put(site: &Site, seed: [u8; 32], count: usize) {
    let (mut store, mut ids) = (site.store(), DeliveryIds::from_seed(seed));
    let day = DataVersion::parse("2026-08-03").expect("a date");
    let made = store.write(|tx| {
        (0..count).try_for_each(|_| {
            let id = ids.next_id();
            delivery::insert(
                tx,
                &id,
                site.account,
                DeliveryKind::Radar,
                Register::Corporate,
                day,
                Timestamp::now(),
            )
        })
    });
    made.expect("made");
}

/// An strace that injects a fault into a running server.
struct Tracer {
    strace: Child,
    trace: PathBuf,
    /// Kept open because strace still writes to it.
    _stderr: BufReader<ChildStderr>,
}

impl Tracer {
    /// Attaches strace to the server.
    fn attach(site: &Site, server: &Server, inject: &str) -> Tracer {
        let trace = site.folder.path().join("trace");
        let call = inject.split(':').next().unwrap_or_default();
        let mut strace = Command::new("strace")
            .args(["-f", "-e", &format!("trace={call}"), "-e", &format!("inject={inject}"), "-o"])
            .arg(&trace)
            .args(["-p", &server.id().to_string()])
            .stderr(Stdio::piped())
            .spawn()
            .expect("strace runs");
        let mut stderr = BufReader::new(strace.stderr.take().expect("piped"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("text");
        if !line.contains("attached") {
            strace.kill().and_then(|()| strace.wait()).expect("a child");
            panic!("expected strace to attach to the server, found {line}");
        }
        Tracer { strace, trace, _stderr: stderr }
    }

    /// Waits for the end of strace, and returns whether it injected the fault.
    fn injected(mut self) -> bool {
        self.strace.wait().expect("a child");
        fs::read_to_string(&self.trace).expect("its trace").contains("(INJECTED)")
    }
}

fn is_delivered(one: &Delivery) -> bool {
    one.state == DeliveryState::Delivered
}

/// How often each delivery arrived.
fn arrived(receiver: &Receiver) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for request in receiver.received() {
        *times.entry(request.header("webhook-id").to_owned()).or_default() += 1;
    }
    times
}

/// Injects the fault at one step and checks the deliveries. Returns whether the step exists.
fn step(work: Work, fault: Fault, call: &str, number: usize) -> bool {
    let at = format!("{work:?}, {fault:?} at {call} {number}");
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let mut server = site.serve(PRIVATE, &[]);
    let kind = if fault == Fault::Killed { "signal=KILL" } else { "error=ENOSPC" };
    let tracer = Tracer::attach(&site, &server, &format!("{call}:{kind}:when={number}"));
    work.begin(&site);
    let (begun, mut died) = (Instant::now(), false);
    let is_done =
        |found: &[Delivery]| found.len() == work.count() && found.iter().all(is_delivered);
    while !died && !is_done(&site.deliveries()) {
        assert!(begun.elapsed() < DEADLINE, "{at}: {:?}\n{}", site.deliveries(), server.logged());
        thread::sleep(Duration::from_millis(20));
        died = server.has_ended();
    }
    assert!(!server.logged().contains("panicked"), "{at}: {}", server.logged());
    let died = died || server.has_ended();
    drop(server);
    if !(tracer.injected() && fault == Fault::Failed || died) {
        return false;
    }
    assert_eq!(died, fault == Fault::Killed, "{at}: a failed write does not end the server");
    let noted: Vec<Delivery> = site.deliveries().into_iter().filter(is_delivered).collect();
    let before = arrived(&receiver);
    // Release the claims instead of waiting until they expire.
    let store = rusqlite::Connection::open(site.folder.path().join("daicho.db")).expect("a store");
    let release =
        "UPDATE delivery SET claimed_by = NULL, claimed_until = NULL WHERE state = 'waiting'";
    store.execute(release, []).expect("released");
    drop(store);
    // The last delivery in the queue: all that the next server sends again arrives before it.
    put(&site, [5; 32], 1);
    let next = site.serve(PRIVATE, &[]);
    let all =
        |found: &[Delivery]| found.len() == work.count() + 1 && found.iter().all(is_delivered);
    let found = site.until(&at, all);
    drop(next);
    let after = arrived(&receiver);
    let ids: BTreeSet<String> = found.iter().map(|one| one.id.to_string()).collect();
    assert!(after.keys().eq(&ids), "{at}: exactly the ids of the store: {after:?}");
    let again = after.values().filter(|times| **times > 1).count();
    println!("{at}: {} of {} recorded, {again} sent again", noted.len(), work.count());
    for one in noted {
        let id = one.id.as_str();
        assert_eq!(
            before.get(id),
            after.get(id),
            "{at}: {id} was recorded as delivered, but sent again"
        );
    }
    let most = if fault == Fault::Killed { 2 } else { 1 };
    assert!(after.values().all(|times| *times <= most), "{at}: {after:?}");
    true
}

/// Injects the fault at each step. Each kind of call has a thread: a step has a server of its own, and mostly waits.
fn check(work: Work, fault: Fault, calls: &[&'static str]) {
    let steps_of = |call: &str| (1..).take_while(|number| step(work, fault, call, *number)).count();
    let steps: usize = thread::scope(|scope| {
        let start = |call: &'static str| scope.spawn(move || steps_of(call));
        let running: Vec<_> = calls.iter().copied().map(start).collect();
        let join = |steps: ScopedJoinHandle<'_, usize>| {
            steps.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        running.into_iter().map(join).sum()
    });
    assert!(steps > 4, "only {steps} steps");
}

#[needs::strace]
#[test]
fn a_server_killed_during_matching_loses_no_notice() {
    check(Work::Matching, Fault::Killed, &[&STORE_CALLS[..], &OTHER_CALLS].concat());
}

#[needs::strace]
#[test]
fn a_server_with_failing_writes_during_matching_loses_no_notice() {
    check(Work::Matching, Fault::Failed, &STORE_CALLS);
}

#[needs::strace]
#[test]
fn a_server_killed_during_deliveries_loses_no_notice() {
    check(Work::Delivering, Fault::Killed, &[&STORE_CALLS[..], &OTHER_CALLS].concat());
}

#[needs::strace]
#[test]
fn a_server_with_failing_writes_during_deliveries_sends_each_notice_once() {
    check(Work::Delivering, Fault::Failed, &STORE_CALLS);
}
