//! The catalog of one dataset: its folder of snapshots, opened.
//!
//! A new file adds a version, a removed file drops one. Unchanged files stay open and are not checked again.
//!
//! A version stays in memory from its first use on. If the versions besides the newest take more memory than the mode of
//! reading allows, a scan closes those that were not used for the longest time: it opens their files again, and their
//! next use reads the sections again. Answers that are being made keep the memory that they read. Knows no clock: the
//! time of a use is the number of scans before it.
//!
//! The newest version may answer differently from day to day: an operator's corrections are laid over it
//! ([`Versions::with_editions`]). A version that is named answers as it was published.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::{collections::BTreeMap, fs, io, sync::Arc};

use arc_swap::{ArcSwap, Guard};

use super::files::{FileStamp, entries};
use super::layout::{DatasetKind, EXTENSION, OpenError};
use super::open::{ReadMode, SnapshotFile};
use crate::text::codes::DataVersion;

/// A dataset of the list of all datasets. The list implements it, so that no dataset has to know it.
pub trait Listed {
    /// All datasets of the list: a file of another one is refused by its name.
    const KINDS: &'static [DatasetKind];
}

/// The opened form of a dataset's snapshot.
pub trait Dataset: Listed + Sized {
    const KIND: DatasetKind;

    /// Folders in that of the dataset which its builds write, too.
    const FOLDERS: &'static [&'static str] = &[];

    /// The dataset of an open file. Sections are read at their first use.
    fn from_file(file: SnapshotFile) -> Self;

    fn file(&self) -> &SnapshotFile;

    /// Differs between data whose answers differ.
    fn fingerprint(&self) -> u32 {
        self.file().fingerprint()
    }

    /// Checks everything that a look-up would check on first use.
    fn prepare(&self) -> Result<(), Arc<OpenError>>;

    /// Opens a file in the folder of the dataset: folder and file name must match the header.
    fn open_in_catalog(path: &Path) -> Result<SnapshotFile, OpenError> {
        SnapshotFile::open_in_catalog(path, Self::KIND, Self::KINDS)
    }
}

/// The versions of one dataset that can be served, and the files that cannot.
#[derive(Debug)]
pub struct Versions<D> {
    open: BTreeMap<DataVersion, OpenVersion<D>>,
    refused: Vec<Arc<OpenError>>,
    read_mode: ReadMode,
    editions: Editions<D>,
    /// Scans so far.
    scans: u64,
}

/// The newest version with corrections, as it answers from a day on, until the next edition begins.
#[derive(Debug)]
pub struct Edition<D> {
    /// `None` for the edition before all others.
    pub from: Option<DataVersion>,
    pub data: Arc<D>,
}

/// The editions of the newest version, by their days, and the one of today; empty without corrections.
#[derive(Debug)]
struct Editions<D> {
    by_day: Vec<Edition<D>>,
    today: Option<Arc<D>>,
}

impl<D> Default for Editions<D> {
    fn default() -> Editions<D> {
        Editions { by_day: Vec::new(), today: None }
    }
}

impl<D> Editions<D> {
    fn on(&self, day: DataVersion) -> Option<&Arc<D>> {
        let edition = self.by_day.iter().rev().find(|it| it.from.is_none_or(|from| from <= day));
        edition.map(|edition| &edition.data)
    }
}

#[derive(Debug)]
struct OpenVersion<D> {
    stamp: FileStamp,
    data: Arc<D>,
    /// The number of scans before the latest request that named the version.
    used: AtomicU64,
}

impl<D> OpenVersion<D> {
    /// The data, for an answer.
    fn mark_used(&self, scans: u64) -> &Arc<D> {
        // Most requests find it marked: they read a cache line that nobody writes to.
        if self.used.load(Relaxed) != scans {
            self.used.store(scans, Relaxed);
        }
        &self.data
    }
}

impl<D> Default for Versions<D> {
    fn default() -> Versions<D> {
        Versions::with_read_mode(ReadMode::default())
    }
}

impl<D: Dataset> Versions<D> {
    /// Opens the files in `SNAPSHOTS/DATASET`; none if there is no folder. Files that `previous` has open stay open,
    /// and the others are read in its mode. The newest version is checked completely.
    pub fn scan(snapshots: &Path, previous: Option<&Versions<D>>) -> io::Result<Versions<D>> {
        Versions::scan_notifying(snapshots, previous, &mut |_newest| {})
    }

    /// Like [`scan`](Self::scan), and calls `newest` with a file that becomes the newest version, before it is checked.
    pub fn scan_notifying(
        snapshots: &Path,
        previous: Option<&Versions<D>>,
        newest: &mut dyn FnMut(&SnapshotFile),
    ) -> io::Result<Versions<D>> {
        let read_mode = previous.map(|previous| previous.read_mode).unwrap_or_default();
        let mut found = Versions::with_read_mode(read_mode);
        found.scans = previous.map_or(0, |previous| previous.scans + 1);
        for (path, stamp) in list(&snapshots.join(D::KIND.name()))? {
            let (data, used) = match previous.and_then(|it| it.unchanged(&path, &stamp)) {
                Some(open) => (Arc::clone(&open.data), open.used.load(Relaxed)),
                None => match found.open_file(&path) {
                    Ok(data) => (data, 0),
                    Err(error) => {
                        found.refused.push(Arc::new(error));
                        continue;
                    }
                },
            };
            let open = OpenVersion { stamp, data, used: AtomicU64::new(used) };
            found.open.insert(open.data.file().version(), open);
        }
        found.close_unused();
        let known = previous.and_then(Versions::published);
        found.drop_damaged_newest(|data| {
            if known.is_none_or(|known| !Arc::ptr_eq(known, data)) {
                newest(data.file());
            }
        });
        Ok(found)
    }

    /// The version of a file that is open already, perhaps in another folder: a release links the files that it shares
    /// with the one before. A file with a new name is opened again, because the name must match.
    fn unchanged(&self, path: &Path, stamp: &FileStamp) -> Option<&OpenVersion<D>> {
        let is_unchanged = |open: &&OpenVersion<D>| {
            open.stamp == *stamp && open.data.file().path().file_name() == path.file_name()
        };
        self.open.values().find(is_unchanged)
    }

    fn open_file(&self, path: &Path) -> Result<Arc<D>, OpenError> {
        let file = D::open_in_catalog(path)?;
        Ok(Arc::new(D::from_file(file.with_read_mode(self.read_mode))))
    }

    /// The versions besides the newest that have sections in memory, with the bytes of these.
    fn old_in_memory(&self) -> impl Iterator<Item = (DataVersion, &OpenVersion<D>, u64)> {
        let old = self.open.iter().rev().skip(1);
        let counted = old.map(|(version, open)| (*version, open, open.data.file().copied_bytes()));
        counted.filter(|(_, _, bytes)| *bytes > 0)
    }

    /// Whether the versions besides the newest take more memory than they may, so that a scan would close some.
    pub fn take_too_much_memory(&self) -> bool {
        let bytes: u64 = self.old_in_memory().map(|(_, _, bytes)| bytes).sum();
        bytes > self.read_mode.old_versions_max
    }

    /// Closes the versions that were not used for the longest time, until the others take no more memory than they may.
    fn close_unused(&mut self) {
        let in_memory = self.old_in_memory();
        let mut in_memory: Vec<_> = in_memory
            .map(|(version, open, bytes)| (open.used.load(Relaxed), version, bytes))
            .collect();
        in_memory.sort_unstable_by(|left, right| right.cmp(left));
        let mut kept_bytes = 0;
        for (_, version, bytes) in in_memory {
            kept_bytes += bytes;
            if kept_bytes <= self.read_mode.old_versions_max {
                continue;
            }
            let path = self.open.get(&version).map(|open| open.data.file().path().to_owned());
            let opened = path.and_then(|path| self.open_file(&path).ok());
            // A file that was removed or replaced since it was listed stays open until the next scan.
            if let (Some(data), Some(open)) = (opened, self.open.get_mut(&version)) {
                open.data = data;
            }
        }
    }

    /// Checks the newest version, and drops it for the next one while it is damaged.
    fn drop_damaged_newest(&mut self, mut before_check: impl FnMut(&Arc<D>)) {
        while let Some(newest) = self.open.last_entry() {
            let data = &newest.get().data;
            before_check(data);
            let Err(error) = data.prepare() else { return };
            newest.remove();
            self.refused.push(error);
        }
    }
}

impl<D> Versions<D> {
    /// An empty catalog; a scan with it as `previous` opens files in this mode.
    pub fn with_read_mode(read_mode: ReadMode) -> Versions<D> {
        let (open, refused, editions) = (BTreeMap::new(), Vec::new(), Editions::default());
        Versions { open, refused, read_mode, editions, scans: 0 }
    }

    /// Lays these editions over the newest version. They are in the order of their days; the first has no day.
    pub fn with_editions(self, by_day: Vec<Edition<D>>, today: DataVersion) -> Versions<D> {
        let mut editions = Editions { by_day, today: None };
        editions.today = editions.on(today).cloned();
        Versions { editions, ..self }
    }

    /// The newest version as it answers today.
    pub fn latest(&self) -> Option<&Arc<D>> {
        self.editions.today.as_ref().or_else(|| self.published())
    }

    /// The newest version as it answers on a day.
    pub fn latest_on(&self, day: DataVersion) -> Option<&Arc<D>> {
        self.editions.on(day).or_else(|| self.published())
    }

    /// The newest version as it was published.
    pub fn published(&self) -> Option<&Arc<D>> {
        self.open.last_key_value().map(|(_, open)| &open.data)
    }

    /// The editions of the newest version, by their days; empty without corrections.
    pub fn editions(&self) -> &[Edition<D>] {
        &self.editions.by_day
    }

    pub fn get(&self, version: DataVersion) -> Option<&Arc<D>> {
        self.open.get(&version).map(|open| open.mark_used(self.scans))
    }

    /// The newest version that is older than this one.
    pub fn before(&self, version: DataVersion) -> Option<&Arc<D>> {
        self.open.range(..version).next_back().map(|(_, open)| open.mark_used(self.scans))
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (DataVersion, &Arc<D>)> {
        self.open.iter().map(|(version, open)| (*version, &open.data))
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub fn refused(&self) -> impl Iterator<Item = &OpenError> {
        self.refused.iter().map(AsRef::as_ref)
    }
}

/// The snapshot files of a folder, by name. Other files, unfinished ones too, are skipped.
fn list(folder: &Path) -> io::Result<Vec<(PathBuf, FileStamp)>> {
    let is_named = |path: &PathBuf| path.extension().is_some_and(|it| it == EXTENSION);
    let stamped = |path: PathBuf| {
        // A file that was removed since the folder was listed is skipped.
        let stamp = FileStamp::from_metadata(&fs::symlink_metadata(&path).ok()?);
        Some((path, stamp))
    };
    Ok(entries(folder)?.into_iter().filter(is_named).filter_map(stamped).collect())
}

#[derive(Debug)]
pub struct LiveValue<T> {
    current: ArcSwap<T>,
}

impl<T> LiveValue<T> {
    pub fn new(value: T) -> LiveValue<T> {
        LiveValue { current: ArcSwap::from_pointee(value) }
    }

    pub fn load(&self) -> Guard<Arc<T>> {
        self.current.load()
    }

    /// Stores a value derived from `expected`, unless another one was stored meanwhile. Returns whether it was
    /// stored.
    pub fn store_if_unchanged(&self, expected: &Arc<T>, value: T) -> bool {
        let found = self.current.compare_and_swap(expected, Arc::new(value));
        Arc::ptr_eq(expected, &found)
    }

    pub fn store(&self, value: T) {
        self.current.store(Arc::new(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{SectionTag, SnapshotWriter};

    struct Data(SnapshotFile);

    impl Listed for Data {
        const KINDS: &'static [DatasetKind] = &[Data::KIND];
    }

    impl Dataset for Data {
        const KIND: DatasetKind = DatasetKind::new(7, "test");

        fn from_file(file: SnapshotFile) -> Data {
            Data(file)
        }

        fn file(&self) -> &SnapshotFile {
            &self.0
        }

        fn prepare(&self) -> Result<(), Arc<OpenError>> {
            Ok(())
        }
    }

    #[test]
    fn a_file_that_gets_another_name_is_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let version = DataVersion::parse("2026-05-29").expect("a date");
        let mut snapshot = SnapshotWriter::new(Data::KIND, version);
        snapshot.archive(SectionTag::new("t"), &7u32).expect("a number archives");
        let written = snapshot.write(folder.path()).expect("written");
        let first: Versions<Data> = Versions::scan(folder.path(), None).expect("a folder");
        let again = Versions::scan(folder.path(), Some(&first)).expect("a folder");
        let [known, found] = [&first, &again].map(|it| it.latest().expect("one version"));
        assert!(Arc::ptr_eq(known, found), "it stays open");
        let renamed = written.path().with_file_name("2026-06-30.daicho");
        fs::rename(written.path(), renamed).expect("renamed");
        let renamed = Versions::scan(folder.path(), Some(&again)).expect("a folder");
        assert!(renamed.is_empty(), "its name is that of another version");
        assert_eq!(renamed.refused().count(), 1);
    }

    #[test]
    fn old_versions_above_the_memory_limit_are_closed_from_the_least_recently_used_on() {
        const TAG: SectionTag = SectionTag::new("t");
        let folder = tempfile::tempdir().expect("a folder");
        let days = ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]
            .map(|day| DataVersion::parse(day).expect("a date"));
        for day in days {
            let mut snapshot = SnapshotWriter::new(Data::KIND, day);
            snapshot.archive(TAG, &vec![7u32; 250]).expect("numbers archive");
            snapshot.write(folder.path()).expect("written");
        }
        let read = |versions: &Versions<Data>, day| {
            let data = versions.get(day).expect("open");
            type Numbers = rkyv::Archived<Vec<u32>>;
            data.file().archive::<Numbers>(TAG).expect("sound");
        };
        let in_memory = |versions: &Versions<Data>| {
            days.map(|day| versions.get(day).expect("open").file().copied_bytes() > 0)
        };
        let mode = ReadMode { old_versions_max: 2_500, ..ReadMode::default() };
        let empty = Versions::with_read_mode(mode);
        let mut versions = Versions::<Data>::scan(folder.path(), Some(&empty)).expect("a folder");
        // Each takes 1,008 bytes, so two old versions may stay. The newest does not count.
        for day in [days[3], days[1], days[0]] {
            read(&versions, day);
            versions = Versions::scan(folder.path(), Some(&versions)).expect("a folder");
        }
        assert_eq!(in_memory(&versions), [true, true, false, true]);
        versions = Versions::scan(folder.path(), Some(&versions)).expect("a folder");
        let kept = Arc::clone(versions.get(days[0]).expect("open"));
        read(&versions, days[2]);
        assert!(versions.take_too_much_memory());
        let after = Versions::scan(folder.path(), Some(&versions)).expect("a folder");
        assert!(!after.take_too_much_memory());
        let open = |day| after.open.get(&day).expect("open");
        let copied = days.map(|day| open(day).data.file().copied_bytes() > 0);
        assert_eq!(copied, [true, false, true, true], "the first and the third were used last");
        assert!(Arc::ptr_eq(&kept, &open(days[0]).data), "it stayed open");
    }
}
