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
    pub fn since(started: Instant) -> Events {
        Events { started, list: Mutex::default() }
    }

    fn note(&self, event: Event) {
        let at = self.started.elapsed().as_secs_f64();
        self.list.lock().expect("no panic").push((at, event));
    }

    pub fn all(&self) -> Vec<(f64, Event)> {
        self.list.lock().expect("no panic").clone()
    }
}

/// Seconds from the start to the first event, and from one event to the next.
struct Clock(u64, u64);

const DAYS: Clock = Clock(3, 10);
const HANGUPS: Clock = Clock(8, 45);
const RECEIVER: Clock = Clock(15, 60);
const MONTHS: Clock = Clock(20, 60);
const STORE: Clock = Clock(27, 100);
const PRUNES: Clock = Clock(45, 60);

const RECEIVER_CLOSED: Duration = Duration::from_secs(6);
/// Longer than the server waits for a lock of SQLite.
const STORE_GONE: Duration = Duration::from_secs(8);

/// Number of versions of each dataset that a prune keeps.
const KEPT: &str = "3";

/// The parts of the run that events act on.
pub struct Stage<'a> {
    pub site: &'a Site,
    pub server: &'a Server,
    pub store: &'a Mutex<Store>,
    pub load: &'a Load,
    pub events: &'a Events,
}

impl Stage<'_> {
    /// Runs all events until `over` is set. On return the store and the receiver are up again.
    pub fn play(&self, over: &AtomicBool) {
        let mut days = Series::begin(&self.site.snapshots(), "corporate");
        let mut months = Series::begin(&self.site.snapshots(), "postal");
        thread::scope(|scope| {
            scope.spawn(|| repeat(&DAYS, over, || self.publish_day(&mut days)));
            scope.spawn(|| repeat(&MONTHS, over, || self.publish_month(&mut months)));
            scope.spawn(|| repeat(&HANGUPS, over, || self.hang_up()));
            scope.spawn(|| repeat(&RECEIVER, over, || self.close_receiver()));
            scope.spawn(|| repeat(&STORE, over, || self.take_store_away()));
            scope.spawn(|| repeat(&PRUNES, over, || self.prune()));
        });
    }

    /// Writes the change list and the snapshot of the next day, as a build does.
    fn publish_day(&self, days: &mut Series) {
        let day = days.next();
        let list = format!("corporate/changes/{day}.txt");
        self.put(&list, format!("{WATCHED}\n").as_bytes());
        self.put(&format!("corporate/{day}.daicho"), &with_version(&days.bytes, &day.to_string()));
        self.load.published.lock().expect("no panic").push(day);
        self.events.note(Event::DayPublished);
    }

    fn publish_month(&self, months: &mut Series) {
        let day = months.next();
        self.put(&format!("postal/{day}.daicho"), &with_version(&months.bytes, &day.to_string()));
        self.events.note(Event::MonthPublished);
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let place = self.site.snapshots().join(name);
        let unfinished = self.site.folder.join(name.replace('/', "-"));
        fs::write(&unfinished, bytes).expect("written");
        fs::rename(unfinished, place).expect("renamed");
    }

    fn hang_up(&self) {
        self.server.signal(Signal::HUP);
        self.events.note(Event::Hangup);
    }

    fn prune(&self) {
        let snapshots = self.site.snapshots();
        let snapshots = snapshots.to_str().expect("a path in UTF-8");
        self.site.run(&["snapshot", "prune", "--keep", KEPT, "--snapshots", snapshots]);
        self.events.note(Event::Pruned);
    }

    fn close_receiver(&self) {
        self.load.receiver.close();
        self.events.note(Event::ReceiverClosed);
        thread::sleep(RECEIVER_CLOSED);
        self.load.receiver.open();
        self.events.note(Event::ReceiverOpen);
    }

    fn take_store_away(&self) {
        let mut store = self.store.lock().expect("no panic");
        self.load.outages.begin();
        self.events.note(Event::StoreGone);
        store.take_away();
        thread::sleep(STORE_GONE);
        store.give_back();
        self.load.outages.end();
        self.events.note(Event::StoreBack);
    }
}

/// Runs `work` at the times of a clock until `over` is set.
fn repeat(clock: &Clock, over: &AtomicBool, mut work: impl FnMut()) {
    let Clock(first, period) = *clock;
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
    fn begin(snapshots: &Path, dataset: &str) -> Series {
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
