//! The catalog of one dataset: its folder of snapshots, opened.
//!
//! A new file adds a version, a removed file drops one. Unchanged files stay open and are not checked again.
//!
//! The newest version may answer differently from day to day: an operator's corrections are laid over it
//! ([`Versions::with_editions`]). A version that is named answers as it was published.

use std::path::{Path, PathBuf};
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
        for (path, stamp) in list(&snapshots.join(D::KIND.name()))? {
            let data = match previous.and_then(|previous| previous.unchanged(&path, &stamp)) {
                Some(data) => data,
                None => match D::open_in_catalog(&path) {
                    Ok(file) => Arc::new(D::from_file(file.with_read_mode(read_mode))),
                    Err(error) => {
                        found.refused.push(Arc::new(error));
                        continue;
                    }
                },
            };
            found.open.insert(data.file().version(), OpenVersion { stamp, data });
        }
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
    fn unchanged(&self, path: &Path, stamp: &FileStamp) -> Option<Arc<D>> {
        let is_unchanged = |open: &&OpenVersion<D>| {
            open.stamp == *stamp && open.data.file().path().file_name() == path.file_name()
        };
        Some(Arc::clone(&self.open.values().find(is_unchanged)?.data))
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
        Versions { open, refused, read_mode, editions }
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
        self.open.get(&version).map(|open| &open.data)
    }

    /// The newest version that is older than this one.
    pub fn before(&self, version: DataVersion) -> Option<&Arc<D>> {
        self.open.range(..version).next_back().map(|(_, open)| &open.data)
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
}
