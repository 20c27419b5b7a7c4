//! A server that is killed, or whose writes fail, at every step of a delivery: no notice is lost, and none that was
//! noted as delivered is sent again.
//!
//! strace joins the idle server; then a change comes, or deliveries are put into the store, so that the calls that follow
//! are those of the delivery. The fault is in the Nth call of a kind, of whichever thread gets there first. Without
//! strace, or where a process may not be traced, the tests say so and do nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use daicho::radar::delivery::{self, Delivery, DeliveryState, Kind};
use daicho::radar::webhook::event::DeliveryIds;
use daicho::text::codes::DataVersion;
use jiff::Timestamp;

use super::receiver::{DEADLINE, Receiver};
use super::server::{Server, Site};
use super::strace::may_trace;

/// The calls that change the store. Of each kind every call is a step.
const STORE_CALLS: [&str; 5] = ["pwrite64", "fsync", "fdatasync", "ftruncate", "unlink"];

/// Those that reach the receiver, the log and other threads.
const OTHER_CALLS: [&str; 6] = ["socket", "connect", "sendto", "writev", "recvfrom", "write"];

/// Deliveries that are put into the store.
const COUNT: usize = 3;

const PRIVATE: &[&str] = &["--webhook-allow-private"];

/// What happens at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Killed,
    /// As on a full disk.
    Failed,
}

/// What the server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Makes a delivery of a change, and delivers it.
    Matching,
    /// Delivers what waits.
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
            delivery::insert(tx, &id, site.account, Kind::Radar, day, Timestamp::now())
        })
    });
    made.expect("made");
}

/// Who puts a fault into a running server.
struct Tracer {
    strace: Child,
    trace: PathBuf,
    /// Kept open: strace writes to it now and then.
    _told: BufReader<ChildStderr>,
}

impl Tracer {
    /// Joins the server. `None` where it may not.
    fn join(site: &Site, server: &Server, inject: &str) -> Option<Tracer> {
        let trace = site.folder.path().join("trace");
        let call = inject.split(':').next().unwrap_or_default();
        let mut strace = Command::new("strace")
            .args(["-f", "-e", &format!("trace={call}"), "-e", &format!("inject={inject}"), "-o"])
            .arg(&trace)
            .args(["-p", &server.id().to_string()])
            .stderr(Stdio::piped())
            .spawn()
            .expect("strace runs");
        let mut told = BufReader::new(strace.stderr.take().expect("piped"));
        let mut line = String::new();
        told.read_line(&mut line).expect("text");
        if !line.contains("attached") {
            eprintln!("SKIPPED: no right to join a server: {line}");
            strace.kill().and_then(|()| strace.wait()).expect("a child");
            return None;
        }
        Some(Tracer { strace, trace, _told: told })
    }

    /// Whether the fault came, when the server has ended.
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

/// Puts the fault into one step, checks what must hold then, and says whether there is such a step. `None` where nobody
/// may put it there.
fn step(work: Work, fault: Fault, call: &str, number: usize) -> Option<bool> {
    let at = format!("{work:?}, {fault:?} at {call} {number}");
    let receiver = Receiver::willing();
    let site = Site::with_webhook(&receiver.url());
    let mut server = site.serve(PRIVATE, &[]);
    let kind = if fault == Fault::Killed { "signal=KILL" } else { "error=ENOSPC" };
    let tracer = Tracer::join(&site, &server, &format!("{call}:{kind}:when={number}"))?;
    work.begin(&site);
    let (begun, mut died) = (Instant::now(), false);
    let is_done =
        |found: &[Delivery]| found.len() == work.count() && found.iter().all(is_delivered);
    while !died && !is_done(&site.deliveries()) {
        assert!(begun.elapsed() < DEADLINE, "{at}: {:?}\n{}", site.deliveries(), server.logged());
        sleep(Duration::from_millis(20));
        died = server.has_ended();
    }
    assert!(!server.logged().contains("panicked"), "{at}: {}", server.logged());
    let died = died || server.has_ended();
    drop(server);
    if !(tracer.injected() && fault == Fault::Failed || died) {
        return Some(false);
    }
    assert_eq!(died, fault == Fault::Killed, "{at}: only a signal ends a server");
    let noted: Vec<Delivery> = site.deliveries().into_iter().filter(is_delivered).collect();
    let before = arrived(&receiver);
    // Instead of waiting until the claims expire.
    let store = rusqlite::Connection::open(site.folder.path().join("daicho.db")).expect("a store");
    let void =
        "UPDATE delivery SET claimed_by = NULL, claimed_until = NULL WHERE state = 'waiting'";
    store.execute(void, []).expect("void");
    drop(store);
    // The last in the queue: when it has arrived, so has what the next server sends again.
    put(&site, [5; 32], 1);
    let next = site.serve(PRIVATE, &[]);
    let all =
        |found: &[Delivery]| found.len() == work.count() + 1 && found.iter().all(is_delivered);
    let found = site.until(&at, all);
    drop(next);
    let after = arrived(&receiver);
    let ids: BTreeSet<String> = found.iter().map(|one| one.id.to_string()).collect();
    assert!(after.keys().eq(&ids), "{at}: every id, and no other: {after:?}");
    let again = after.values().filter(|times| **times > 1).count();
    println!("{at}: {} of {} noted, {again} sent again", noted.len(), work.count());
    for one in noted {
        let id = one.id.as_str();
        assert_eq!(before.get(id), after.get(id), "{at}: {id} was noted, and sent again");
    }
    let most = if fault == Fault::Killed { 2 } else { 1 };
    assert!(after.values().all(|times| *times <= most), "{at}: {after:?}");
    Some(true)
}

/// Puts the fault into every step in turn.
fn check(work: Work, fault: Fault, calls: &[&str]) {
    if !may_trace() {
        return;
    }
    let mut steps = 0;
    for call in calls {
        for number in 1.. {
            match step(work, fault, call, number) {
                None => return,
                Some(false) => break,
                Some(true) => steps += 1,
            }
        }
        println!("{call}: {steps} steps by now");
    }
    assert!(steps > 4, "only {steps} steps");
}

#[test]
fn a_server_killed_while_it_matches_loses_no_notice() {
    check(Work::Matching, Fault::Killed, &[&STORE_CALLS[..], &OTHER_CALLS].concat());
}

#[test]
fn a_server_whose_writes_fail_while_it_matches_loses_no_notice() {
    check(Work::Matching, Fault::Failed, &STORE_CALLS);
}

#[test]
fn a_server_killed_while_it_delivers_loses_no_notice() {
    check(Work::Delivering, Fault::Killed, &[&STORE_CALLS[..], &OTHER_CALLS].concat());
}

#[test]
fn a_server_whose_writes_fail_while_it_delivers_sends_each_notice_once() {
    check(Work::Delivering, Fault::Failed, &STORE_CALLS);
}
