//! The events of a run: data are published and pruned, the store and the webhook receiver go down and come back.
//!
//! Each kind of event has its own thread and interval, so that events overlap in every order.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::civil::Date;
use rustix::process::Signal;

use crate::questions::WATCHED;
use crate::site::{Server, Site, Store};
use crate::snapshot_version::with_version;
use crate::tally::Load;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    DayPublished,
    MonthPublished,
    Pruned,
    Hangup,
    ReceiverClosed,
    ReceiverOpen,
    StoreGone,
    StoreBack,
}

impl Event {
    pub fn name(self) -> &'static str {
        match self {
            Event::DayPublished => "day published",
            Event::MonthPublished => "month published",
            Event::Pruned => "pruned",
            Event::Hangup => "SIGHUP",
            Event::ReceiverClosed => "receiver closed",
            Event::ReceiverOpen => "receiver open",
            Event::StoreGone => "store gone",
            Event::StoreBack => "store back",
        }
    }
}

/// The events so far, with their times in seconds of the run.
pub struct Events {
    pub started: Instant,
    list: Mutex<Vec<(f64, Event)>>,
}

impl Events {
    pub fn new(started: Instant) -> Events {
        Events { started, list: Mutex::default() }
    }

    fn record(&self, event: Event) {
        let seconds = self.started.elapsed().as_secs_f64();
        self.list.lock().expect("no panic").push((seconds, event));
    }

    pub fn all(&self) -> Vec<(f64, Event)> {
        self.list.lock().expect("no panic").clone()
    }
}

/// Seconds from the start to the first event, and from one event to the next.
struct Schedule(u64, u64);

const DAYS: Schedule = Schedule(3, 10);
const HANGUPS: Schedule = Schedule(8, 45);
const RECEIVER: Schedule = Schedule(15, 60);
const MONTHS: Schedule = Schedule(20, 60);
const STORE: Schedule = Schedule(27, 100);
const PRUNES: Schedule = Schedule(45, 60);

const RECEIVER_CLOSED: Duration = Duration::from_secs(6);
/// Longer than the server waits for a lock of SQLite.
const STORE_GONE: Duration = Duration::from_secs(8);

/// Number of versions of each dataset that a prune keeps.
const VERSIONS_KEPT: &str = "3";

/// Runs the events; these are the parts of the run that they act on.
pub struct EventRunner<'a> {
    pub site: &'a Site,
    pub server: &'a Server,
    pub store: &'a Mutex<Store>,
    pub load: &'a Load,
    pub events: &'a Events,
}

impl EventRunner<'_> {
    /// Runs all events until `over` is set. On return the store and the receiver are up again.
    pub fn run(&self, over: &AtomicBool) {
        let mut days = Series::open(&self.site.snapshots(), "corporate");
        let mut months = Series::open(&self.site.snapshots(), "postal");
        thread::scope(|scope| {
            scope.spawn(|| repeat(&DAYS, over, || self.publish_day(&mut days)));
            scope.spawn(|| repeat(&MONTHS, over, || self.publish_month(&mut months)));
            scope.spawn(|| repeat(&HANGUPS, over, || self.hang_up()));
            scope.spawn(|| repeat(&RECEIVER, over, || self.close_receiver()));
            scope.spawn(|| repeat(&STORE, over, || self.stop_store()));
            scope.spawn(|| repeat(&PRUNES, over, || self.prune()));
        });
    }

    /// Writes the change list and the snapshot of the next day, as a build does.
    fn publish_day(&self, days: &mut Series) {
        let day = days.next();
        let list = format!("corporate/changes/{day}.txt");
        self.publish_file(&list, format!("{WATCHED}\n").as_bytes());
        self.publish_file(
            &format!("corporate/{day}.daicho"),
            &with_version(&days.bytes, &day.to_string()),
        );
        self.load.published.lock().expect("no panic").push(day);
        self.events.record(Event::DayPublished);
    }

    fn publish_month(&self, months: &mut Series) {
        let day = months.next();
        self.publish_file(
            &format!("postal/{day}.daicho"),
            &with_version(&months.bytes, &day.to_string()),
        );
        self.events.record(Event::MonthPublished);
    }

    fn publish_file(&self, name: &str, bytes: &[u8]) {
        let path = self.site.snapshots().join(name);
        let unfinished = self.site.folder.join(name.replace('/', "-"));
        fs::write(&unfinished, bytes).expect("written");
        fs::rename(unfinished, path).expect("renamed");
    }

    fn hang_up(&self) {
        self.server.signal(Signal::HUP);
        self.events.record(Event::Hangup);
    }

    fn prune(&self) {
        let snapshots = self.site.snapshots();
        let snapshots = snapshots.to_str().expect("a path in UTF-8");
        self.site.run(&["snapshot", "prune", "--keep", VERSIONS_KEPT, "--snapshots", snapshots]);
        self.events.record(Event::Pruned);
    }

    fn close_receiver(&self) {
        self.load.receiver.close();
        self.events.record(Event::ReceiverClosed);
        thread::sleep(RECEIVER_CLOSED);
        self.load.receiver.open();
        self.events.record(Event::ReceiverOpen);
    }

    fn stop_store(&self) {
        let mut store = self.store.lock().expect("no panic");
        self.load.outages.begin();
        self.events.record(Event::StoreGone);
        store.stop();
        thread::sleep(STORE_GONE);
        store.restore();
        self.load.outages.end();
        self.events.record(Event::StoreBack);
    }
}

/// Runs `work` at the times of a schedule until `over` is set.
fn repeat(schedule: &Schedule, over: &AtomicBool, mut work: impl FnMut()) {
    let Schedule(first, period) = *schedule;
    let mut next = Instant::now() + Duration::from_secs(first);
    while !over.load(Ordering::Relaxed) {
        if Instant::now() < next {
            thread::sleep(Duration::from_millis(50));
            continue;
        }
        work();
        next = (next + Duration::from_secs(period)).max(Instant::now());
    }
}

/// The newest built snapshot of a dataset, and the day of its last published copy.
struct Series {
    bytes: Vec<u8>,
    day: Date,
}

impl Series {
    fn open(snapshots: &Path, dataset: &str) -> Series {
        let folder = snapshots.join(dataset);
        let entries = fs::read_dir(&folder).expect("built").flatten().map(|entry| entry.path());
        let is_snapshot =
            |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "daicho");
        let newest = entries.filter(is_snapshot).max().expect("a snapshot");
        let day = newest.file_stem().and_then(|stem| stem.to_str()).expect("a date");
        Series { bytes: fs::read(&newest).expect("built"), day: day.parse().expect("a date") }
    }

    fn next(&mut self) -> Date {
        self.day = self.day.tomorrow().expect("within the calendar");
        self.day
    }
}
