//! A prefix in an object store, or a local folder used as one: named objects that can be created and replaced
//! conditionally.
//!
//! Calls block. They run on a separate runtime, so make them only on threads that may block. For a folder,
//! conditional replacement is emulated with a lock file; between machines that works only if the network file
//! system supports locks. An object store without conditional writes needs a [`Guard`].

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use object_store::{
    Error, ObjectStore, ObjectStoreExt, PutMode, PutPayload, UpdateVersion, WriteMultipart,
    path::Path as Key,
};
use tokio::runtime::{Builder, Runtime};

use super::error::ReleaseError;
use super::guard::{Guard, HeldGuard};
use super::identifiers::{Hasher, Sha256, object_name};
use super::local_folder::LocalFolder;
use super::store_url::{Location, RetryLimits, describe, is_bucket_missing, open_url, remedy};
use crate::snapshot::files::Lock;
use crate::system::reading::{Links, open_regular};

/// Maximum size of a single upload; longer files are sent in parts of this size.
const PART_BYTES: usize = 8 << 20;

const CONCURRENT_PARTS: usize = 4;

const CONCURRENT_REMOVALS: usize = 16;

const LOCK: &str = ".release.lock";

/// Time limit of a write under a guard. Must be shorter than the time for which a guard holds without being
/// checked.
const GUARDED_TIME_MAX: Duration = Duration::from_secs(10);

pub struct Bucket {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    /// For messages. It has no secrets: a URL with a password is refused.
    url: String,
    folder: Option<PathBuf>,
    guard: Option<Arc<dyn Guard>>,
    /// Set once the store was seen to ignore conditional writes; from then on the guard is used.
    ignores_conditions: AtomicBool,
    runtime: Runtime,
}

/// Identifies one version of an object's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectTag(UpdateVersion);

#[derive(Debug, Clone)]
pub struct ListedObject {
    pub name: String,
    pub bytes: u64,
    /// By the clock of the store.
    pub modified: Timestamp,
}

impl Bucket {
    /// Opens `s3://`, `gs://`, `az://` or `file://`, with credentials from the environment. Sends no request
    /// yet.
    pub fn open(url: &str, retry: RetryLimits) -> Result<Bucket, ReleaseError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ReleaseError::Setup)?;
        let Location { store, prefix, folder } = open_url(url, retry)?;
        Ok(Bucket {
            store,
            prefix,
            url: url.trim_end_matches('/').to_owned(),
            folder,
            guard: None,
            ignores_conditions: AtomicBool::new(false),
            runtime,
        })
    }

    /// Sets the guard to use if the store ignores conditional writes.
    pub fn with_guard(self, guard: Option<Arc<dyn Guard>>) -> Bucket {
        Bucket { guard, ..self }
    }

    /// Records that the store ignores conditional writes, and checks that the guard can be taken.
    pub fn require_guard(&self) -> Result<(), ReleaseError> {
        self.ignores_conditions.store(true, Relaxed);
        self.take_guard().map(|_held| ())
    }

    /// Takes the guard; `None` if the store has conditional writes and needs none.
    fn take_guard(&self) -> Result<Option<Box<dyn HeldGuard>>, ReleaseError> {
        if !self.ignores_conditions.load(Relaxed) {
            return Ok(None);
        }
        let url = || self.url.clone();
        let guard = self.guard.as_ref().ok_or_else(|| ReleaseError::NoConditions { url: url() })?;
        let held = guard.lock(&self.url);
        held.map(Some).map_err(|fault| ReleaseError::GuardNotTaken { url: url(), fault })
    }

    pub fn object_url(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    /// The URL of the store and the common prefix of its objects, for messages.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Reads an object with its tag; `None` if it does not exist. Fails if it is larger than an object of this name can
    /// be, without keeping it in memory.
    pub fn read(&self, name: &str) -> Result<Option<(Vec<u8>, ObjectTag)>, ReleaseError> {
        let limit = bytes_max(name);
        let read = async {
            let found = self.store.get(&self.key(name)).await?;
            let (meta, length) = (found.meta.clone(), found.meta.size);
            let tag = ObjectTag(UpdateVersion { e_tag: meta.e_tag, version: meta.version });
            let mut bytes = Vec::new();
            let mut arriving = found.into_stream();
            // The store may send more than it says.
            while length <= limit && bytes.len() as u64 <= limit {
                let Some(part) = arriving.next().await else { return Ok(Some((bytes, tag))) };
                bytes.extend_from_slice(&part?);
            }
            Ok(None)
        };
        match self.runtime.block_on(read) {
            Ok(Some(found)) => Ok(Some(found)),
            Ok(None) => Err(ReleaseError::ObjectTooLarge { url: self.object_url(name), limit }),
            Err(error @ Error::NotFound { .. }) if is_bucket_missing(&error) => {
                Err(self.store_error(name, "have the object", &error))
            }
            Err(Error::NotFound { .. }) => match &self.folder {
                // The folder may be unmounted, so its content is unknown.
                Some(path) if !path.is_dir() => Err(ReleaseError::NoFolder { path: path.clone() }),
                _ => Ok(None),
            },
            Err(error) => Err(self.store_error(name, "return the object", &error)),
        }
    }

    /// Creates an object; returns whether it is new.
    pub fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool, ReleaseError> {
        self.replace(name, bytes, None)
    }

    pub fn write(&self, name: &str, bytes: Vec<u8>) -> Result<(), ReleaseError> {
        self.put(name, bytes, PutMode::Overwrite, Duration::MAX).map(|_written| ())
    }

    /// Replaces the object if it still has this tag (`None`: if it still does not exist); returns whether it
    /// did.
    pub fn replace(
        &self,
        name: &str,
        bytes: Vec<u8>,
        tag: Option<&ObjectTag>,
    ) -> Result<bool, ReleaseError> {
        let held: Option<Box<dyn HeldGuard>> = match (&self.folder, tag) {
            (Some(folder), Some(_)) => {
                let holder = format!("process {}, activating a release", std::process::id());
                Some(Box::new(Lock::wait_for(folder, LOCK, &holder)?))
            }
            _ => self.take_guard()?,
        };
        let mode = tag.map_or(PutMode::Create, |tag| PutMode::Update(tag.0.clone()));
        match held {
            None => self.put(name, bytes, mode, Duration::MAX),
            Some(held) => self.put_under_guard(name, bytes, tag, held),
        }
    }

    /// Replaces the object under a guard. The tag is compared here, because the store would ignore the condition.
    fn put_under_guard(
        &self,
        name: &str,
        bytes: Vec<u8>,
        tag: Option<&ObjectTag>,
        mut held: Box<dyn HeldGuard>,
    ) -> Result<bool, ReleaseError> {
        let stored = self.read(name)?.map(|(_, stored)| stored);
        if stored.as_ref() != tag {
            return Ok(false);
        }
        let url = self.object_url(name);
        if let Err(fault) = held.check() {
            return Err(ReleaseError::GuardNotTaken { url, fault });
        }
        let written = self.put(name, bytes, PutMode::Overwrite, GUARDED_TIME_MAX)?;
        match held.check() {
            Ok(()) => Ok(written),
            Err(fault) => Err(ReleaseError::GuardLost { url, fault }),
        }
    }

    fn put(
        &self,
        name: &str,
        bytes: Vec<u8>,
        mode: PutMode,
        time_max: Duration,
    ) -> Result<bool, ReleaseError> {
        // The folder may be moved away: a write then creates a second one in its place.
        let folder = self.folder.as_deref().map(LocalFolder::open).transpose()?;
        let key = self.key(name);
        let put = self.store.put_opts(&key, PutPayload::from(bytes), mode.into());
        let put = async { tokio::time::timeout(time_max, put).await };
        match self.runtime.block_on(put) {
            Ok(Ok(_)) => match folder {
                Some(folder) => folder.check_after_write(key.as_ref()).map(|()| true),
                None => Ok(true),
            },
            // 409: two conditional writes at the same time, of which the store accepted the other.
            Ok(Err(Error::AlreadyExists { .. } | Error::Precondition { .. })) => Ok(false),
            Ok(Err(error)) => Err(self.store_error(name, "store the object", &error)),
            Err(_elapsed) => Err(ReleaseError::Store {
                url: self.object_url(name),
                expected: "store the object in time",
                found: format!("no response within {} seconds", time_max.as_secs()),
                remedy: "check with 'daicho release list' whether it was written, and try again",
            }),
        }
    }

    /// The objects in a folder, sorted by name.
    pub fn list(&self, folder: &str) -> Result<Vec<ListedObject>, ReleaseError> {
        let prefix = self.key(folder);
        let listed = self.runtime.block_on(self.store.list(Some(&prefix)).try_collect::<Vec<_>>());
        let listed = match listed {
            Err(Error::NotFound { .. }) if self.folder.is_some() => Vec::new(),
            listed => {
                listed.map_err(|error| self.store_error(folder, "list its objects", &error))?
            }
        };
        let named = listed.into_iter().filter_map(|meta| {
            let parts: Vec<_> = meta.location.prefix_match(&self.prefix)?.collect();
            let name = parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("/");
            let modified = Timestamp::from_second(meta.last_modified.timestamp()).ok()?;
            Some(ListedObject { name, bytes: meta.size, modified })
        });
        let mut named: Vec<ListedObject> = named.collect();
        named.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(named)
    }

    /// Removes objects; ignores missing ones.
    pub fn remove(&self, names: &[String]) -> Result<(), ReleaseError> {
        let removed = stream::iter(names).map(|name| async move {
            match self.store.delete(&self.key(name)).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(self.store_error(name, "remove the object", &error)),
            }
        });
        let removed = removed.buffer_unordered(CONCURRENT_REMOVALS).try_collect::<()>();
        self.runtime.block_on(removed)
    }

    /// Uploads a file as the object of its checksum; `advance` gets the bytes being sent. If the checksum of
    /// the file has changed, no object is created.
    pub fn upload(
        &self,
        path: &Path,
        sha256: Sha256,
        bytes: u64,
        advance: &mut dyn FnMut(u64),
    ) -> Result<(), ReleaseError> {
        let failed = |cause| ReleaseError::io(path, cause);
        let mut file = open_regular(path, Links::Refused).map_err(failed)?;
        let name = object_name(sha256);
        if bytes <= PART_BYTES as u64 {
            let mut content = Vec::new();
            file.read_to_end(&mut content).map_err(failed)?;
            if Sha256::of(&content) != sha256 {
                return Err(ReleaseError::FileReplaced { path: path.to_owned() });
            }
            advance(bytes);
            return self.write(&name, content);
        }
        self.runtime.block_on(self.upload_in_parts(&mut file, path, sha256, advance))
    }

    async fn upload_in_parts(
        &self,
        file: &mut File,
        path: &Path,
        sha256: Sha256,
        advance: &mut dyn FnMut(u64),
    ) -> Result<(), ReleaseError> {
        let name = object_name(sha256);
        let refused = |error: Error| self.store_error(&name, "store the object", &error);
        let upload = self.store.put_multipart(&self.key(&name)).await.map_err(refused)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        let mut hasher = Hasher::default();
        let sent = loop {
            let part = match next_part(file) {
                Ok(part) if part.is_empty() => break Ok(()),
                Ok(part) => part,
                Err(cause) => break Err(ReleaseError::io(path, cause)),
            };
            if let Err(error) = upload.wait_for_capacity(CONCURRENT_PARTS).await {
                break Err(refused(error));
            }
            hasher.update(&part);
            advance(part.len() as u64);
            upload.put(part.into());
        };
        let sent = sent.and_then(|()| match hasher.finish() == sha256 {
            true => Ok(()),
            false => Err(ReleaseError::FileReplaced { path: path.to_owned() }),
        });
        if let Err(error) = sent {
            // If this fails too, the store drops the parts by its own rules.
            let _ = upload.abort().await;
            return Err(error);
        }
        upload.finish().await.map(|_done| ()).map_err(refused)
    }

    /// Reads the first bytes of an object, which must have this many.
    pub fn read_start(&self, name: &str, bytes: u64) -> Result<Vec<u8>, ReleaseError> {
        let mut start = Vec::new();
        self.read_range(name, 0..bytes, &mut |part| {
            start.extend_from_slice(part);
            Ok(())
        })?;
        Ok(start)
    }

    /// Reads a range of an object in parts, several at once, and passes them on in order.
    pub fn read_range(
        &self,
        name: &str,
        range: Range<u64>,
        receive: &mut dyn FnMut(&[u8]) -> Result<(), ReleaseError>,
    ) -> Result<(), ReleaseError> {
        let (key, end) = (self.key(name), range.end);
        let starts = range.step_by(PART_BYTES);
        let ranges = starts.map(|start| start..end.min(start.saturating_add(PART_BYTES as u64)));
        let requests = ranges.map(|range| async {
            let length = range.end - range.start;
            let bytes = self.store.get_range(&key, range).await;
            (length, bytes)
        });
        self.runtime.block_on(async {
            let mut arriving = stream::iter(requests).buffered(CONCURRENT_PARTS);
            while let Some((length, bytes)) = arriving.next().await {
                let bytes =
                    bytes.map_err(|error| self.store_error(name, "return the object", &error))?;
                if bytes.len() as u64 != length {
                    return Err(ReleaseError::Store {
                        url: self.object_url(name),
                        expected: "return the requested range",
                        found: format!("{} bytes", bytes.len()),
                        remedy: "push the release again, or repair the store",
                    });
                }
                receive(&bytes)?;
            }
            Ok(())
        })
    }

    fn key(&self, name: &str) -> Key {
        let parts = name.split('/').map(Into::into);
        self.prefix.parts().chain(parts).collect()
    }

    fn store_error(&self, name: &str, expected: &'static str, error: &Error) -> ReleaseError {
        let (url, found) = (self.object_url(name), describe(error));
        let remedy = remedy(error, &found);
        ReleaseError::Store { url, expected, found, remedy }
    }
}

/// The maximum size of an object that is read as a whole, by its name: many times what daicho writes. A file of a
/// release is read in ranges instead.
fn bytes_max(name: &str) -> u64 {
    match name.split('/').next() {
        // 250 bytes for each file: 65,000 files.
        Some("releases" | "claims") => 16 << 20,
        // 200 bytes for each label.
        Some("current") => 1 << 20,
        _ => 64 << 10,
    }
}

/// The next bytes of a file, none at its end.
fn next_part(file: &mut File) -> io::Result<Vec<u8>> {
    let mut part = Vec::with_capacity(PART_BYTES);
    file.take(PART_BYTES as u64).read_to_end(&mut part)?;
    Ok(part)
}

/// An object store that a server opens at first use: when the server starts, the environment may not allow it yet.
pub struct LazyBucket {
    url: String,
    opened: Option<Bucket>,
}

impl LazyBucket {
    pub fn new(url: String) -> LazyBucket {
        LazyBucket { url, opened: None }
    }

    /// If opening fails, the next call tries again.
    pub fn get(&mut self) -> Result<&Bucket, ReleaseError> {
        match &mut self.opened {
            Some(bucket) => Ok(bucket),
            empty => Ok(empty.insert(Bucket::open(&self.url, RetryLimits::SERVER)?)),
        }
    }
}
