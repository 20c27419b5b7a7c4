//! The cache of a server that follows releases: files named by their checksums, and a snapshot folder of links to them.
//!
//! ```text
//! files/3b0c…            a complete, verified file; 3b0c….part while downloading
//! releases/000012.json   the downloaded releases
//! folders/000012-0/      a snapshot folder of hard links
//! current                a link to the served folder, replaced atomically
//! ```
//!
//! A folder has the files of its release, and older versions of the same datasets that are still in the cache from other
//! releases. It has no newer versions: after a rollback the release's own version is the newest.
//!
//! A [`Downloader`] verifies and fetches the files of a release, and creates its folder beside the served one. On
//! failure the served data stay unchanged. Files arrive in ranges, several at once, and are verified on the way. An
//! interrupted download continues where it stopped, in the next attempt or the next process.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::SystemTime;

use super::bucket::Bucket;
use super::cache_disk;
use super::error::ReleaseError;
use super::identifiers::{Hasher, Number, Sha256, object_name};
use super::manifest::{Entry, Manifest};
use super::signature::PublicKey;
use super::verify::check_header_of_file;
use crate::snapshot::files::{Lock, entries};
use crate::system::disk;
use crate::system::identity::is_same_file;

const LOCK: &str = ".cache.lock";
const FILES: &str = "files";
const FOLDERS: &str = "folders";
const RELEASES: &str = "releases";
const CURRENT: &str = "current";

#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Releases without a valid signature for this key are refused, in the store and here.
    key: Option<PublicKey>,
    lock: Lock,
}

/// The snapshot folder of a release, complete but not served yet.
#[derive(Debug)]
pub struct ReleaseFolder {
    pub release: Number,
    pub path: PathBuf,
    /// Number of files downloaded for it.
    pub downloaded_files: usize,
}

#[derive(Debug)]
struct CachedFile {
    path: PathBuf,
    /// `None` for a partial or foreign file.
    sha256: Option<Sha256>,
    bytes: u64,
    modified: SystemTime,
}

impl Cache {
    /// Opens the cache for one server; fails if another server uses the same folder. `handed_lock` is the lock of the
    /// server from which this one takes over.
    pub fn open(
        folder: &Path,
        key: Option<PublicKey>,
        handed_lock: Option<File>,
    ) -> Result<Cache, ReleaseError> {
        check_links(folder, disk::HAS_LINKS)?;
        let holder = format!("process {}, daicho serve", std::process::id());
        let lock = match handed_lock {
            Some(file) => Lock::take_over(folder, LOCK, &holder, file)?,
            None => Lock::wait_for(folder, LOCK, &holder)?,
        };
        let cache = Cache { folder: folder.to_owned(), key, lock };
        for name in [FILES, FOLDERS, RELEASES] {
            let path = folder.join(name);
            cache_disk::create_folders(&path)?;
        }
        // A server that was killed within a switch may have left a link that a power failure would still undo. From now
        // on what the link replaced is removed.
        cache_disk::sync_folder(folder)?;
        Ok(cache)
    }

    /// A handle of the lock, for a server that takes over from this one.
    pub fn lock_handle(&self) -> io::Result<File> {
        self.lock.second_handle()
    }

    /// Removes what a server without the key has followed: the link to the served folder if its release has no valid
    /// signature, otherwise the files in it that no release with one has. Returns what was removed.
    pub fn remove_unverified(&self) -> Result<Vec<PathBuf>, ReleaseError> {
        let served = self.folder.join(CURRENT);
        let Some(active) = self.active().filter(|_| self.key.is_some()) else {
            return Ok(Vec::new());
        };
        let Some(release) = self.manifest(active) else {
            cache_disk::remove_file(&served)?;
            return Ok(vec![served]);
        };
        let mut explained: BTreeMap<PathBuf, BTreeSet<Sha256>> = BTreeMap::new();
        let own: BTreeSet<String> = release.release.files.iter().map(Entry::path).collect();
        for (number, manifest) in self.manifests() {
            let entries = manifest.release.files.into_iter();
            for entry in entries.filter(|it| number == active || !own.contains(&it.path())) {
                explained.entry(served.join(entry.path())).or_default().insert(entry.sha256);
            }
        }
        let mut files = files_below(&served).map_err(|cause| ReleaseError::io(&served, cause))?;
        files.retain(|path| {
            let mut sums = explained.get(path).into_iter().flatten();
            !sums.any(|sum| is_same_file(path, &self.file_path(*sum)))
        });
        files.iter().try_for_each(|path| cache_disk::remove_file(path))?;
        Ok(files)
    }

    /// The served snapshot folder of a cache.
    pub fn snapshots(folder: &Path) -> PathBuf {
        folder.join(CURRENT)
    }

    pub fn active(&self) -> Option<Number> {
        let target = fs::read_link(self.folder.join(CURRENT)).ok()?;
        let name = target.file_name()?.to_str()?;
        Number::parse(name.split_once('-')?.0).ok()
    }

    pub fn file_path(&self, sha256: Sha256) -> PathBuf {
        self.folder.join(FILES).join(sha256.to_string())
    }

    /// Path of an incomplete file. The next download of the same file continues it.
    pub fn part_path(&self, sha256: Sha256) -> PathBuf {
        self.folder.join(FILES).join(format!("{sha256}.part"))
    }

    pub fn bytes(&self) -> Result<u64, ReleaseError> {
        Ok(self.files()?.iter().map(|file| file.bytes).sum())
    }

    /// The files of a release that are missing in the cache, each once.
    pub fn missing(&self, manifest: &Manifest) -> Vec<Entry> {
        let mut seen = BTreeSet::new();
        let is_missing = |entry: &&Entry| {
            let length = fs::metadata(self.file_path(entry.sha256)).map(|metadata| metadata.len());
            length.ok() != Some(entry.bytes) && seen.insert(entry.sha256)
        };
        manifest.release.files.iter().filter(is_missing).cloned().collect()
    }

    /// Removes files, oldest first, until the missing ones fit. Keeps the files of the served and of the wanted
    /// release.
    pub fn make_room(
        &self,
        wanted: &Manifest,
        missing: &[Entry],
        limit: Option<u64>,
    ) -> Result<(), ReleaseError> {
        let files = self.files()?;
        let parts: BTreeSet<PathBuf> =
            missing.iter().map(|entry| self.part_path(entry.sha256)).collect();
        let partial = files.iter().filter(|file| parts.contains(&file.path)).map(|file| file.bytes);
        let partial: u64 = partial.sum();
        let downloads: u64 = missing.iter().map(|entry| entry.bytes).sum();
        // The size of the cache when all files have arrived.
        let mut needed = downloads.saturating_sub(partial);
        needed = needed.saturating_add(files.iter().map(|file| file.bytes).sum());
        let mut kept: BTreeSet<Sha256> =
            wanted.release.files.iter().map(|entry| entry.sha256).collect();
        if let Some(active) = self.active().and_then(|number| self.manifest(number)) {
            kept.extend(active.release.files.iter().map(|entry| entry.sha256));
        }
        let mut removable: Vec<CachedFile> = files
            .into_iter()
            .filter(|file| !parts.contains(&file.path))
            .filter(|file| file.sha256.is_none_or(|sha256| !kept.contains(&sha256)))
            .collect();
        removable.sort_by_key(|file| (file.sha256.is_some(), file.modified));
        let limit = limit.unwrap_or(u64::MAX);
        let spare: u64 = removable.iter().map(|file| file.bytes).sum();
        if needed.saturating_sub(spare) > limit {
            let number = wanted.release.number;
            return Err(ReleaseError::CacheTooSmall { number, limit, needed: needed - spare });
        }
        for file in removable {
            // Partial files that are not wanted any more are removed in any case.
            if needed <= limit && file.sha256.is_some() {
                break;
            }
            self.remove(&file)?;
            needed -= file.bytes;
        }
        Ok(())
    }

    /// Removes a file and the link to it in the served folder.
    fn remove(&self, file: &CachedFile) -> Result<(), ReleaseError> {
        let served = self.folder.join(CURRENT);
        let links = file.sha256.into_iter().flat_map(|sha256| {
            let known = self.manifests();
            let entries = known.into_values().flat_map(|manifest| manifest.release.files);
            entries
                .filter(move |entry| entry.sha256 == sha256)
                .map(|entry| served.join(entry.path()))
        });
        for path in links.collect::<BTreeSet<_>>() {
            if is_same_file(&path, &file.path) {
                cache_disk::remove_file(&path)?;
            }
        }
        cache_disk::remove_file(&file.path)
    }

    /// Moves a completely downloaded file to its place.
    pub fn finish_download(&self, sha256: Sha256) -> Result<(), ReleaseError> {
        let (part, file) = (self.part_path(sha256), self.file_path(sha256));
        cache_disk::rename(&part, &file)?;
        cache_disk::sync_folder(&self.folder.join(FILES))
    }

    /// Creates the snapshot folder of a release, beside the served one. All its files must be in the cache.
    pub fn prepare(
        &self,
        manifest: &Manifest,
        downloaded_files: usize,
    ) -> Result<ReleaseFolder, ReleaseError> {
        let number = manifest.release.number;
        let manifest_path = self.folder.join(number.object_name());
        cache_disk::write_whole(&manifest_path, &manifest.to_bytes())?;
        let folder = self.new_folder(number)?;
        let mut created = BTreeSet::new();
        for (path, sha256) in self.links(manifest) {
            let link = folder.join(&path);
            let parent = link.parent().unwrap_or(&folder).to_owned();
            cache_disk::create_folders(&parent)?;
            cache_disk::hard_link(&self.file_path(sha256), &link)?;
            created.insert(parent);
        }
        for parent in &created {
            cache_disk::sync_folder(parent)?;
        }
        cache_disk::sync_folder(&folder)?;
        // The name of the folder itself: the link to it becomes durable with the switch.
        cache_disk::sync_folder(&self.folder.join(FOLDERS))?;
        Ok(ReleaseFolder { release: number, path: folder, downloaded_files })
    }

    /// Atomically makes a prepared folder the served one.
    pub fn switch(&self, folder: &ReleaseFolder) -> Result<(), ReleaseError> {
        let (next, current) = (self.folder.join("current.next"), self.folder.join(CURRENT));
        let name = folder.path.file_name().unwrap_or_default();
        cache_disk::replace_link(&Path::new(FOLDERS).join(name), &next)?;
        cache_disk::rename(&next, &current)
    }

    /// Makes a switch durable and removes what it replaced.
    pub fn finish_switch(&self, folder: &ReleaseFolder) -> Result<(), ReleaseError> {
        cache_disk::sync_folder(&self.folder)?;
        self.remove_unserved()?;
        self.remove_unneeded_manifests(folder.release)
    }

    /// The content of a release's folder: its files, and older versions that are in the cache.
    fn links(&self, manifest: &Manifest) -> BTreeMap<String, Sha256> {
        let newest = manifest.release.newest();
        let own = manifest.release.files.iter().map(|entry| (entry.path(), entry.sha256));
        let mut links: BTreeMap<String, Sha256> = own.collect();
        // Newest release first: if two have different bytes for a path, the newer one's are used.
        for other in self.manifests().into_values().rev() {
            for entry in other.release.files {
                let is_older = newest.iter().any(|(subject, newest)| {
                    *subject == entry.subject() && entry.version < *newest
                });
                if is_older && self.file_path(entry.sha256).exists() {
                    links.entry(entry.path()).or_insert(entry.sha256);
                }
            }
        }
        links
    }

    fn new_folder(&self, number: Number) -> Result<PathBuf, ReleaseError> {
        let folders = self.folder.join(FOLDERS);
        for attempt in 0..u32::MAX {
            let folder = folders.join(format!("{:06}-{attempt}", number.value()));
            if cache_disk::create_folder(&folder)? {
                return Ok(folder);
            }
        }
        Err(ReleaseError::io(&folders, io::ErrorKind::AlreadyExists.into()))
    }

    /// Removes all folders except the served one.
    pub fn remove_unserved(&self) -> Result<(), ReleaseError> {
        let folders = self.folder.join(FOLDERS);
        let served = fs::read_link(self.folder.join(CURRENT)).ok();
        let served = served.and_then(|target| Some(folders.join(target.file_name()?)));
        let all = entries(&folders).map_err(|cause| ReleaseError::io(&folders, cause))?;
        for folder in all.iter().filter(|folder| Some(*folder) != served.as_ref()) {
            cache_disk::remove_folder(folder)?;
        }
        Ok(())
    }

    /// Removes the manifests of other releases that have no file in the cache.
    fn remove_unneeded_manifests(&self, served: Number) -> Result<(), ReleaseError> {
        for (number, manifest) in self.manifests() {
            let is_cached = |entry: &Entry| self.file_path(entry.sha256).exists();
            if number != served && !manifest.release.files.iter().any(is_cached) {
                cache_disk::remove_file(&self.folder.join(number.object_name()))?;
            }
        }
        Ok(())
    }

    /// A downloaded manifest; `None` if it is unreadable, or not signed as the key demands.
    fn manifest(&self, number: Number) -> Option<Manifest> {
        let path = self.folder.join(number.object_name());
        let bytes = fs::read(&path).ok()?;
        let manifest = Manifest::parse(&path.display().to_string(), number, &bytes).ok()?;
        self.check_signature(&manifest).ok().map(|()| manifest)
    }

    fn check_signature(&self, manifest: &Manifest) -> Result<(), ReleaseError> {
        self.key.as_ref().map_or(Ok(()), |key| manifest.verify(key))
    }

    /// The downloaded manifests; those that [`manifest`](Self::manifest) refuses are skipped.
    fn manifests(&self) -> BTreeMap<Number, Manifest> {
        let paths = entries(&self.folder.join(RELEASES)).unwrap_or_default();
        let numbers = paths.iter().filter_map(|path| {
            Number::from_object_name(&format!("releases/{}", path.file_name()?.to_str()?))
        });
        numbers.filter_map(|number| Some((number, self.manifest(number)?))).collect()
    }

    /// All files, complete and partial.
    fn files(&self) -> Result<Vec<CachedFile>, ReleaseError> {
        let folder = self.folder.join(FILES);
        let paths = entries(&folder).map_err(|cause| ReleaseError::io(&folder, cause))?;
        let files = paths.into_iter().filter_map(|path| {
            let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            let sha256 = Sha256::parse(path.file_name()?.to_str()?);
            let modified = metadata.modified().ok()?;
            Some(CachedFile { path, sha256, bytes: metadata.len(), modified })
        });
        Ok(files.collect())
    }
}

fn check_links(folder: &Path, has_links: bool) -> Result<(), ReleaseError> {
    if has_links { Ok(()) } else { Err(ReleaseError::NoLinks { folder: folder.to_owned() }) }
}

/// The files below a folder. A folder of a release has two levels of folders.
fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        match path.is_dir() {
            true => files.extend(files_below(&path)?),
            false => files.push(path),
        }
    }
    Ok(files)
}

#[derive(Debug)]
pub struct Downloader {
    pub cache: Cache,
    /// Maximum size of the cache in bytes; `None` for no limit.
    pub bytes_max: Option<u64>,
    /// Once set, a download in progress ends: another process will continue it.
    pub is_stopped: Arc<AtomicBool>,
}

impl Downloader {
    /// Downloads the missing files of a release and creates its folder. Fails without a valid signature, if the release
    /// needs a newer program or has snapshots of another format, or if a snapshot is not the one that the release names.
    /// `advance` gets the bytes received.
    pub fn prepare(
        &self,
        bucket: &Bucket,
        release: Number,
        advance: &mut dyn FnMut(u64),
    ) -> Result<ReleaseFolder, ReleaseError> {
        let manifest = Manifest::read(bucket, release)?;
        self.cache.check_signature(&manifest)?;
        manifest.check_program()?;
        manifest.check_formats()?;
        self.cache.remove_unserved()?;
        let missing = self.cache.missing(&manifest);
        self.cache.make_room(&manifest, &missing, self.bytes_max)?;
        for entry in &missing {
            self.download_file(bucket, entry, advance)?;
        }
        for entry in &manifest.release.files {
            check_header_of_file(release, entry, &self.cache.file_path(entry.sha256))?;
        }
        self.cache.prepare(&manifest, missing.len())
    }

    fn download_file(
        &self,
        bucket: &Bucket,
        entry: &Entry,
        advance: &mut dyn FnMut(u64),
    ) -> Result<(), ReleaseError> {
        let part = self.cache.part_path(entry.sha256);
        let (mut file, mut hasher, offset) = open_part(&part, entry)?;
        bucket.read_range(&object_name(entry.sha256), offset..entry.bytes, &mut |bytes| {
            if self.is_stopped.load(Relaxed) {
                return Err(ReleaseError::io(&part, io::ErrorKind::Interrupted.into()));
            }
            cache_disk::append(&mut file, &part, bytes)?;
            hasher.update(bytes);
            advance(bytes.len() as u64);
            Ok(())
        })?;
        let found = hasher.finish();
        if found != entry.sha256 {
            // The next attempt must not continue after wrong bytes.
            cache_disk::remove_file(&part)?;
            let (file, expected) = (entry.path(), entry.sha256);
            return Err(ReleaseError::WrongChecksum { file, expected, found });
        }
        cache_disk::sync_file(&file, &part)?;
        self.cache.finish_download(entry.sha256)
    }
}

/// Opens the partial file for appending. Returns it with the checksum state and the length of its content.
fn open_part(part: &Path, entry: &Entry) -> Result<(File, Hasher, u64), ReleaseError> {
    let failed = |cause| ReleaseError::io(part, cause);
    let options = File::options().read(true).append(true).create(true).open(part);
    let mut file = options.map_err(failed)?;
    if file.metadata().map_err(failed)?.len() > entry.bytes {
        file.set_len(0).map_err(failed)?;
    }
    let (hasher, length) = Hasher::of_reader(&mut file, &mut |_count| {}).map_err(failed)?;
    Ok((file, hasher, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_without_links_is_refused_with_what_to_do() {
        check_links(Path::new("cache"), true).expect("links");
        let fault = check_links(Path::new("cache"), false).expect_err("no links").to_string();
        assert!(
            fault.contains("cache: expected a system") && fault.contains("--snapshots"),
            "{fault}"
        );
    }
}
