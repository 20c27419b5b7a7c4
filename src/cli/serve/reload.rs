//! Keeps the loaded data in step with the snapshot folder while requests are served.
//!
//! One thread scans the folder on file system events, on SIGHUP, and periodically. The newest version is
//! verified completely before it becomes visible; a failed scan leaves the served data unchanged.

use std::io;
use std::os::unix::fs::MetadataExt;
#[cfg(feature = "object-store")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::age::AgeArgs;
use super::warm::Opener;
use crate::api::{ask::Api, counters::Counters, data::Data};
use crate::query::Catalog;
#[cfg(feature = "object-store")]
use crate::query::CatalogError;
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::update::SOURCES;

/// Wait after an event for the rest of its burst.
const BURST_TIME: Duration = Duration::from_millis(200);

/// Maximum delay of a scan while a burst continues.
const BURST_TIME_MAX: Duration = Duration::from_secs(2);

/// Scan interval with file system events, and without.
const POLL_WATCHED: Duration = Duration::from_secs(30);
const POLL_UNWATCHED: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Event,
    Signal,
    /// A periodic scan without a known reason.
    Poll,
}

/// The files that are reloaded when they change.
#[derive(Debug)]
pub struct Watched {
    pub snapshots: PathBuf,
    /// The operator's own holidays.
    pub holidays: Option<PathBuf>,
}

/// The scanning thread; dropping it ends the thread.
#[derive(Debug)]
pub struct Reloader {
    causes: Option<mpsc::Sender<Option<Cause>>>,
    opener: Opener,
    thread: Option<JoinHandle<()>>,
}

impl Reloader {
    /// Starts watching; `scanned` is called after every scan.
    pub fn start(
        watched: Watched,
        api: Arc<Api>,
        opener: Opener,
        age: AgeArgs,
        scanned: impl Fn() + Send + 'static,
    ) -> io::Result<Reloader> {
        let (sender, causes) = mpsc::channel();
        let scanned = Box::new(scanned);
        let (sends, opens) = (sender.clone(), opener.clone());
        let mut watch =
            Watch { watched, api, opener: opens, age, scanned, sender: sends, following: None };
        let thread = std::thread::Builder::new().name("reload".to_owned());
        let thread = thread.spawn(move || watch.run(&causes))?;
        Ok(Reloader { causes: Some(sender), opener, thread: Some(thread) })
    }

    /// The same as [`ask`](Self::ask), for another thread.
    #[cfg(feature = "object-store")]
    pub fn asker(&self) -> impl Fn() + Send + 'static {
        let causes = self.causes.clone();
        move || {
            if let Some(causes) = &causes {
                let _ = causes.send(Some(Cause::Signal));
            }
        }
    }

    pub fn ask(&self) {
        if let Some(causes) = &self.causes {
            // If the thread has ended, there is nothing to reload.
            let _ = causes.send(Some(Cause::Signal));
        }
    }
}

impl Drop for Reloader {
    fn drop(&mut self) {
        self.opener.leave();
        if let Some(causes) = self.causes.take() {
            let _ = causes.send(None);
        }
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the reload thread stopped unexpectedly; please report this");
        }
    }
}

struct Watch {
    watched: Watched,
    api: Arc<Api>,
    opener: Opener,
    age: AgeArgs,
    scanned: Box<dyn Fn() + Send>,
    sender: mpsc::Sender<Option<Cause>>,
    following: Option<Following>,
}

struct Following {
    identity: (u64, u64),
    _watcher: RecommendedWatcher,
}

impl Watch {
    fn run(&mut self, causes: &mpsc::Receiver<Option<Cause>>) {
        self.follow();
        // The folder may have changed between the first scan and the watch.
        self.scan(Cause::Poll);
        loop {
            let poll = if self.following.is_some() { POLL_WATCHED } else { POLL_UNWATCHED };
            let cause = match causes.recv_timeout(poll) {
                Ok(Some(cause)) => cause,
                Err(RecvTimeoutError::Timeout) => Cause::Poll,
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return,
            };
            let Some(cause) = end_of_burst(cause, causes) else { return };
            self.follow();
            self.scan(cause);
        }
    }

    /// Watches the current folder, if it is not watched already.
    fn follow(&mut self) {
        let metadata = std::fs::metadata(&self.watched.snapshots).ok();
        let identity = metadata.map(|metadata| (metadata.dev(), metadata.ino()));
        if self.following.as_ref().map(|following| following.identity) == identity {
            return;
        }
        self.following = None;
        let Some(identity) = identity else { return };
        let sender = self.sender.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.map_or(true, |event| changes_files(event.kind) && !is_of_sources(&event)) {
                // If the thread has ended, there is nothing to reload.
                let _ = sender.send(Some(Cause::Event));
            }
        });
        let following = watcher.and_then(|mut watcher| {
            watcher.watch(&self.watched.snapshots, RecursiveMode::Recursive)?;
            Ok(Following { identity, _watcher: watcher })
        });
        match following {
            Ok(following) => self.following = Some(following),
            Err(error) => {
                tracing::debug!(%error, "cannot watch the snapshot folder; polling it instead");
            }
        }
    }

    fn scan(&self, cause: Cause) {
        // Repeats the scan if other data were put in place meanwhile.
        while !self.scan_once(cause) {}
        (self.scanned)();
        self.api.data.load().find_issuers();
    }

    /// Serves the content of the folder, unless other data were put in place meanwhile.
    fn scan_once(&self, cause: Cause) -> bool {
        let (api, counters) = (&self.api, &self.api.counters);
        let before = Arc::clone(&api.data.load());
        let own = self.watched.holidays.as_deref();
        let holidays = before.holidays.scan(&self.watched.snapshots, own);
        let same_holidays = Arc::ptr_eq(&before.holidays, &holidays);
        // On this thread, not in a lane: lane threads yield while the cores are busy.
        match self.opener.open(&self.watched.snapshots, &before.catalog) {
            Ok(after)
                if cause != Cause::Signal && same_holidays && same(&before.catalog, &after) =>
            {
                // Data become old without a change of the folder.
                let mut data = Data::of(after, Some(&before));
                self.age.mark(&mut data, Some(&before));
                data.old_postal == before.old_postal || api.data.store_after(&before, data)
            }
            Ok(after) => {
                let mut data = Data::of(after, Some(&before));
                data.holidays = holidays;
                self.age.mark(&mut data, Some(&before));
                if !api.data.store_after(&before, data) {
                    return false;
                }
                counters.reloads_ok.fetch_add(1, Relaxed);
                note_changes(&before.catalog, &api.data.load().catalog, counters);
                true
            }
            Err(error) => {
                counters.reloads_failed.fetch_add(1, Relaxed);
                tracing::warn!(%error, "cannot read the snapshot folder; the loaded data stay in use");
                true
            }
        }
    }
}

fn end_of_burst(first: Cause, causes: &mpsc::Receiver<Option<Cause>>) -> Option<Cause> {
    let mut cause = first;
    let started = Instant::now();
    while cause == Cause::Event && started.elapsed() < BURST_TIME_MAX {
        match causes.recv_timeout(BURST_TIME) {
            Ok(Some(Cause::Signal)) => cause = Cause::Signal,
            Ok(Some(_)) => {}
            Err(RecvTimeoutError::Timeout) => break,
            Ok(None) | Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    Some(cause)
}

/// Whether an event may change the result of a scan. Reads must not trigger the next scan.
fn changes_files(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

/// Whether an event is about source files of an update: there are many, and none is served.
fn is_of_sources(event: &notify::Event) -> bool {
    let raw = |path: &PathBuf| path.iter().any(|part| part == SOURCES);
    !event.paths.is_empty() && event.paths.iter().all(raw)
}

/// Whether two scans found the same files, valid and rejected.
fn same(before: &Catalog, after: &Catalog) -> bool {
    same_files(before.postal(), after.postal())
        && same_files(before.bank(), after.bank())
        && same_files(before.corporate(), after.corporate())
        && same_files(before.invoice(), after.invoice())
        && same_files(before.school(), after.school())
}

fn same_files<D>(before: &Versions<D>, after: &Versions<D>) -> bool {
    let files =
        |versions| Versions::iter(versions).map(|(_, data): (_, &Arc<D>)| Arc::as_ptr(data));
    files(before).eq(files(after)) && faults(before).eq(faults(after))
}

fn faults<D>(versions: &Versions<D>) -> impl Iterator<Item = String> {
    versions.refused().map(OpenError::to_string)
}

/// Opens a folder that is not served yet, and prepares everything that a scan and the first requests would.
#[cfg(feature = "object-store")]
pub fn open_ahead(
    folder: &Path,
    own_holidays: Option<&Path>,
    api: &Api,
    (opener, age): (&Opener, AgeArgs),
) -> Result<Data, CatalogError> {
    let before = Arc::clone(&api.data.load());
    let catalog = opener.open(folder, &before.catalog)?;
    let mut data = Data::of(catalog, Some(&before));
    data.holidays = before.holidays.scan(folder, own_holidays);
    age.mark(&mut data, Some(&before));
    data.find_issuers();
    Ok(data)
}

/// Serves data that were opened in advance.
#[cfg(feature = "object-store")]
pub fn install(api: &Api, data: Data) {
    let before = Arc::clone(&api.data.load());
    api.data.store(data);
    note_changes(&before.catalog, &api.data.load().catalog, &api.counters);
}

pub fn note_changes(before: &Catalog, after: &Catalog, counters: &Counters) {
    note_changes_of(before.postal(), after.postal(), counters);
    note_changes_of(before.bank(), after.bank(), counters);
    note_changes_of(before.corporate(), after.corporate(), counters);
    note_changes_of(before.invoice(), after.invoice(), counters);
    note_changes_of(before.school(), after.school(), counters);
}

fn note_changes_of<D: Dataset>(before: &Versions<D>, after: &Versions<D>, counters: &Counters) {
    let dataset = D::KIND.name();
    for (version, data) in after.iter() {
        match before.get(version) {
            None => tracing::info!(dataset, %version, "data version loaded"),
            Some(known) if !Arc::ptr_eq(known, data) => {
                tracing::info!(dataset, %version, "data version replaced");
            }
            Some(_) => {}
        }
    }
    for (version, _) in before.iter() {
        if after.get(version).is_none() {
            tracing::info!(dataset, %version, "data version removed");
        }
    }
    let known: Vec<String> = faults(before).collect();
    for fault in faults(after).filter(|fault| !known.contains(fault)) {
        tracing::warn!(dataset, fault, "snapshot refused");
    }
    for (kind, gauges) in &counters.datasets {
        if *kind == D::KIND {
            gauges.versions.store(after.len() as u64, Relaxed);
            gauges.refused.store(after.refused().count() as u64, Relaxed);
            let latest = |versions: &Versions<D>| versions.latest().map(Arc::as_ptr);
            if latest(before) != latest(after) {
                let version = after.latest().map(|data| data.file().version());
                gauges.note_latest(version, Timestamp::now());
            }
        }
    }
}
