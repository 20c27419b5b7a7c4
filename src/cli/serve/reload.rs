//! Keeps the loaded data in step with the snapshot folder while requests are served.
//!
//! One thread scans the folder on file system events, on SIGHUP, and periodically. The newest version is
//! verified completely before it becomes visible; a failed scan leaves the served data unchanged.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use std::{io, path::PathBuf, ptr, sync::Arc};

use jiff::Timestamp;
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::data::DataSettings;
use crate::api::Api;
use crate::api::data::Data;
use crate::api::metrics::{Counters, DatasetGauges};
use crate::cli::data::{ScanError, corrected, with_corrections};
use crate::clock;
use crate::dataset::correction::{Correction, Corrections, Extent, Laid};
use crate::dataset::{AnyVersions, Catalog};
use crate::snapshot::{OpenError, SnapshotFile};
use crate::system::identity::FileIdentity;
use crate::update::SOURCES_FOLDER;
use crate::worker::{Events, Inbox, Wake, WorkerThread};

/// Wait after an event for the rest of its burst.
const BURST_TIME: Duration = Duration::from_millis(200);

/// Maximum delay of a scan while a burst continues.
const BURST_TIME_MAX: Duration = Duration::from_secs(2);

/// Scan interval with file system events, and without.
const POLL_WATCHED: Duration = Duration::from_secs(30);
const POLL_UNWATCHED: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    FileEvent,
    /// By SIGHUP, the dashboard or the follower; counts as a reload even if nothing changed.
    Request,
    /// A periodic scan without a known reason.
    Poll,
    /// A request reads an old version into memory.
    OldVersion,
}

/// The scanning thread; dropping it ends the thread.
#[derive(Debug)]
pub struct Reloader {
    settings: DataSettings,
    thread: WorkerThread<Cause>,
}

impl Reloader {
    /// Starts watching; `on_scan` is called after every scan, with whether it was requested.
    pub fn start(
        snapshots: PathBuf,
        settings: DataSettings,
        api: Arc<Api>,
        on_scan: impl Fn(bool) + Send + 'static,
    ) -> io::Result<Reloader> {
        let (scanner_settings, late_api) = (settings.clone(), Arc::clone(&api));
        let thread = WorkerThread::start("reload", move |inbox, causes| {
            let mut scanner = Scanner {
                snapshots,
                settings: scanner_settings,
                api,
                on_scan: Box::new(on_scan),
                causes: causes.clone(),
                watch: None,
            };
            scanner.run(inbox);
        });
        let thread = thread?;
        late_api.old_version_opened.set(thread.waker(|| Cause::OldVersion));
        Ok(Reloader { settings, thread })
    }

    pub fn request_scan(&self) {
        self.scan_requester()();
    }

    /// A function that does what [`request_scan`](Self::request_scan) does, for another thread.
    pub fn scan_requester(&self) -> impl Fn() + Send + 'static {
        self.thread.waker(|| Cause::Request)
    }
}

impl Drop for Reloader {
    /// Ends a scan in progress soon. The thread ends after this.
    fn drop(&mut self) {
        self.settings.opener.stop_reading_ahead();
    }
}

struct Scanner {
    snapshots: PathBuf,
    settings: DataSettings,
    api: Arc<Api>,
    on_scan: Box<dyn Fn(bool) + Send>,
    /// For the file system events of `watch`.
    causes: Events<Cause>,
    /// `None` if the folder is missing or cannot be watched.
    watch: Option<FolderWatch>,
}

struct FolderWatch {
    /// Of the watched folder, which may be replaced by another of the same name.
    identity: FileIdentity,
    _watcher: RecommendedWatcher,
}

impl Scanner {
    fn run(&mut self, inbox: &Inbox<Cause>) {
        self.watch_folder();
        // The folder may have changed between the first scan and the watch.
        self.scan(Cause::Poll);
        loop {
            let interval = if self.watch.is_some() { POLL_WATCHED } else { POLL_UNWATCHED };
            let interval = interval.min(until_tomorrow(clock::now()));
            let cause = match inbox.wait(interval) {
                Wake::Event(cause) => cause,
                Wake::Timeout => Cause::Poll,
                Wake::Stop => return,
            };
            if cause == Cause::OldVersion && !self.has_too_much_memory() {
                continue;
            }
            let Some(cause) = wait_for_end_of_burst(cause, inbox) else { return };
            self.watch_folder();
            self.scan(cause);
        }
    }

    fn has_too_much_memory(&self) -> bool {
        let data = self.api.data.load();
        data.catalog.datasets().into_iter().any(AnyVersions::take_too_much_memory)
    }

    /// Watches the current folder, if it is not watched already.
    fn watch_folder(&mut self) {
        let identity = FileIdentity::at(&self.snapshots).ok();
        if self.watch.as_ref().map(|watch| watch.identity) == identity {
            return;
        }
        // Its events would come from a thread that the simulation does not run.
        #[cfg(test)]
        if crate::simulated::world().is_some() {
            return;
        }
        self.watch = None;
        let Some(identity) = identity else { return };
        let causes = self.causes.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.map_or(true, |event| may_change_scan(&event)) {
                // Fails only if the thread has ended.
                let _ = causes.send(Wake::Event(Cause::FileEvent));
            }
        });
        let watch = watcher.and_then(|mut watcher| {
            watcher.watch(&self.snapshots, RecursiveMode::Recursive)?;
            Ok(FolderWatch { identity, _watcher: watcher })
        });
        match watch {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => {
                tracing::debug!(%error, "cannot watch the snapshot folder; polling it instead");
            }
        }
    }

    fn scan(&self, cause: Cause) {
        // Repeats the scan if other data were put in place meanwhile.
        while !self.scan_once(cause) {}
        (self.on_scan)(cause == Cause::Request);
        self.api.data.load().cache_newest();
    }

    fn open(&self, corrections: &Corrections, serving: &Catalog) -> Result<Catalog, ScanError> {
        let catalog = self.settings.opener.open(&self.snapshots, serving)?;
        with_corrections(catalog, Extent::SERVED, corrections, Some(serving))
    }

    /// Serves the content of the folder, unless other data were put in place meanwhile.
    fn scan_once(&self, cause: Cause) -> bool {
        let (api, counters) = (&self.api, &self.api.counters);
        let before = Arc::clone(&api.data.load());
        let holidays = before.holidays.scan(&self.snapshots, &self.settings.holidays);
        let corrections = before.corrections.scan(corrected());
        let is_same = Arc::ptr_eq(&before.holidays, &holidays)
            && Arc::ptr_eq(&before.corrections, &corrections);
        // On this thread, not in a lane: lane threads yield while the cores are busy.
        let found = self.open(&corrections, &before.catalog);
        let is_unchanged =
            is_same && found.as_ref().is_ok_and(|after| have_same_files(&before.catalog, after));
        match found {
            Ok(after) if cause != Cause::Request && is_unchanged => {
                // Data become old, and corrections begin and end, without a change of the folder.
                let is_same_day = before.catalog.laid.today == after.laid.today;
                let is_open = are_open_alike(&before.catalog, &after);
                let mut data = Data::new(after, Some(&before));
                self.settings.mark_old_data(&mut data, Some(&before));
                (is_same_day && is_open && data.old == before.old)
                    || api.data.store_if_unchanged(&before, data)
            }
            Ok(after) => {
                let mut data = Data::new(after, Some(&before));
                data.holidays = holidays;
                data.corrections = Arc::clone(&corrections);
                self.settings.mark_old_data(&mut data, Some(&before));
                if !api.data.store_if_unchanged(&before, data) {
                    return false;
                }
                counters.reloads_ok.fetch_add(1, Relaxed);
                if let Some(refused) = corrections.refused.as_ref().filter(|_| !is_same) {
                    tracing::warn!("corrections refused; keeping the previous ones: {refused}");
                }
                report_changes(&before.catalog, &api.data.load().catalog, counters);
                if is_unchanged {
                    tracing::info!(
                        "read the snapshot folder again as requested; nothing has changed"
                    );
                }
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

/// The time until the next day in Japan, when corrections may begin and end.
fn until_tomorrow(now: Timestamp) -> Duration {
    const DAY: i64 = 24 * 60 * 60;
    const JAPAN: i64 = 9 * 60 * 60;
    let passed = (now.as_second() + JAPAN).rem_euclid(DAY);
    Duration::from_secs(u64::try_from(DAY - passed).unwrap_or_default())
}

/// After a file event, waits until no more follow. Returns the cause of the scan; `None` if the thread has to stop.
fn wait_for_end_of_burst(first: Cause, inbox: &Inbox<Cause>) -> Option<Cause> {
    let mut cause = first;
    let started = clock::instant();
    while cause == Cause::FileEvent && clock::since(started) < BURST_TIME_MAX {
        match inbox.wait(BURST_TIME) {
            Wake::Event(Cause::Request) => cause = Cause::Request,
            Wake::Event(_) => {}
            Wake::Timeout => break,
            Wake::Stop => return None,
        }
    }
    Some(cause)
}

fn may_change_scan(event: &notify::Event) -> bool {
    let is_change = match event.kind {
        // Reads must not trigger the next scan.
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    };
    is_change && !is_about_sources(event)
}

/// Whether an event is about source files of an update: there are many, and none is served.
fn is_about_sources(event: &notify::Event) -> bool {
    let is_source = |path: &PathBuf| path.iter().any(|part| part == SOURCES_FOLDER);
    !event.paths.is_empty() && event.paths.iter().all(is_source)
}

/// Whether two scans found files with the same content, valid and refused.
fn have_same_files(before: &Catalog, after: &Catalog) -> bool {
    let have_same = |(before, after): (&dyn AnyVersions, &dyn AnyVersions)| {
        let (known, files) = (before.files(), after.files());
        known.len() == files.len()
            && known.into_iter().zip(files).all(|(known, file)| is_same_file(known, file))
            && refusals(before) == refusals(after)
    };
    before.datasets().into_iter().zip(after.datasets()).all(have_same)
}

/// Whether every file stayed open. One that was closed to free its memory, or replaced by a copy of itself, was not.
fn are_open_alike(before: &Catalog, after: &Catalog) -> bool {
    let files = |catalog: &Catalog| -> Vec<_> {
        let files = catalog.datasets().into_iter().flat_map(AnyVersions::files);
        files.map(ptr::from_ref::<SnapshotFile>).collect()
    };
    files(before) == files(after)
}

/// Whether two files are of the same version and have the same content.
fn is_same_file(one: &SnapshotFile, other: &SnapshotFile) -> bool {
    let key = |file: &SnapshotFile| (file.version(), file.length(), file.fingerprint());
    ptr::eq(one, other) || (one.path() == other.path() && key(one) == key(other))
}

fn refusals(versions: &dyn AnyVersions) -> Vec<String> {
    versions.refused().into_iter().map(OpenError::to_string).collect()
}

/// Serves data that were opened in advance.
#[cfg(feature = "object-store")]
pub fn replace_data(api: &Api, data: Data) {
    let before = Arc::clone(&api.data.load());
    api.data.store(data);
    report_changes(&before.catalog, &api.data.load().catalog, &api.counters);
}

/// Logs what changed between two scans, and sets the gauges of the datasets.
pub fn report_changes(before: &Catalog, after: &Catalog, counters: &Counters) {
    let datasets = before.datasets().into_iter().zip(after.datasets());
    for ((known, found), gauges) in datasets.zip(&counters.datasets) {
        report_dataset_changes(known, found, gauges);
        let kind = found.facts().kind;
        report_corrections(before.laid.of(kind), after.laid.of(kind), gauges);
    }
}

/// Logs the corrections of a dataset if they or the data below them are new.
fn report_corrections(
    before: Option<&Arc<Laid>>,
    after: Option<&Arc<Laid>>,
    gauges: &DatasetGauges,
) {
    let places = |rows: Vec<&Correction>| {
        rows.into_iter().map(Correction::place).collect::<Vec<_>>().join("; ")
    };
    gauges.corrections.store(after.map_or(0, |laid| laid.rows.len() as u64), Relaxed);
    match (before, after) {
        (Some(before), Some(after)) if Arc::ptr_eq(before, after) => {}
        (_, Some(laid)) => {
            let (dataset, version, rows) = (laid.kind.name(), laid.version, laid.rows.len());
            tracing::info!(dataset, %version, rows, "corrections laid over the data version");
            let caught_up: Vec<&Correction> = laid.caught_up().collect();
            if !caught_up.is_empty() {
                let rows = places(caught_up);
                tracing::info!(dataset, %version, rows, "the official data have caught up with corrections; remove these rows");
            }
            let wrong: Vec<&Correction> = laid.wrong().collect();
            if !wrong.is_empty() {
                let rows = places(wrong);
                tracing::warn!(dataset, %version, rows, "corrections contradict the data and have no effect; 'daicho corrections check' explains them");
            }
        }
        (Some(before), None) => {
            tracing::info!(dataset = before.kind.name(), "no corrections any more");
        }
        (None, None) => {}
    }
}

fn report_dataset_changes(
    before: &dyn AnyVersions,
    after: &dyn AnyVersions,
    gauges: &DatasetGauges,
) {
    let dataset = after.facts().kind.name();
    let (known_files, files) = (before.files(), after.files());
    let find = |files: &[&'_ SnapshotFile], version| {
        files.iter().position(|file| file.version() == version)
    };
    for file in &files {
        let version = file.version();
        match find(&known_files, version) {
            None => tracing::info!(dataset, %version, "data version loaded"),
            Some(known) if !is_same_file(known_files[known], file) => {
                tracing::info!(dataset, %version, "data version replaced");
            }
            Some(_) => {}
        }
    }
    for version in known_files.iter().map(|file| file.version()) {
        if find(&files, version).is_none() {
            tracing::info!(dataset, %version, "data version removed");
        }
    }
    let (known, refused) = (refusals(before), refusals(after));
    let newest = after.newest().map(SnapshotFile::version);
    let newest = newest.map_or_else(|| "none".to_owned(), |version| version.to_string());
    for fault in refused.iter().filter(|refusal| !known.contains(refusal)) {
        tracing::warn!(dataset, fault, newest, "snapshot refused; the newest usable one is served");
    }
    gauges.versions.store(files.len() as u64, Relaxed);
    gauges.refused.store(refused.len() as u64, Relaxed);
    let newest = |versions: &dyn AnyVersions| versions.newest().map(ptr::from_ref);
    if newest(before) != newest(after) {
        gauges.set_latest(after.newest().map(SnapshotFile::version), clock::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_ends_at_midnight_in_japan() {
        for (now, expected) in [
            ("2026-11-27T14:59:59Z", 1),
            ("2026-11-27T15:00:00Z", 86_400),
            ("2026-11-27T15:00:01.5Z", 86_399),
            ("2026-11-28T00:00:00Z", 54_000),
            ("1969-12-31T23:59:59Z", 54_001),
        ] {
            let now: Timestamp = now.parse().expect("a time");
            assert_eq!(until_tomorrow(now).as_secs(), expected, "{now}");
        }
    }
}
