//! A prefix in an object store, or a local folder used as one: named objects that can be created and replaced
//! conditionally.
//!
//! Calls block. They run on a separate runtime, so make them only on threads that may block. For a folder,
//! conditional replacement is emulated with a lock file; between machines that works only if the network file
//! system supports locks. An object store without conditional writes needs a [`Guard`].

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
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

use super::connection::{describe, is_without_bucket, remedy};
use super::error::ReleaseError;
use super::guard::{Guard, Held};
use super::sha256::{Sha256, Sum};
use super::store_url::{Patience, Place, open_url};
use crate::snapshot::lock::Lock;

/// Maximum size of a single upload; longer files are sent in parts of this size.
const PART_BYTES: usize = 8 << 20;

/// Maximum parts in transfer at once.
const PARTS_MAX: usize = 4;

/// Maximum removals at once.
const REMOVED_AT_ONCE: usize = 16;

const LOCK: &str = ".release.lock";

/// Time limit of a write under a guard. Must be shorter than the time for which a guard holds without being
/// checked.
const GUARDED_TIME_MAX: Duration = Duration::from_secs(10);

pub struct Bucket {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    /// The URL without secrets, for error messages.
    shown: String,
    /// The local folder of a `file://` URL.
    folder: Option<PathBuf>,
    guard: Option<Arc<dyn Guard>>,
    /// Set once the store was seen to ignore conditional writes; from then on the guard is used.
    ignores_conditions: AtomicBool,
    runtime: Runtime,
}

/// Identifies one version of an object's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(UpdateVersion);

/// An object of a listing.
#[derive(Debug, Clone)]
pub struct Listed {
    pub name: String,
    pub bytes: u64,
    /// By the clock of the store.
    pub modified: Timestamp,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Bucket({})", self.shown)
    }
}

impl Bucket {
    /// Opens `s3://`, `gs://`, `az://` or `file://`, with credentials from the environment. Sends no request
    /// yet.
    pub fn open(url: &str, patience: Patience) -> Result<Bucket, ReleaseError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ReleaseError::System)?;
        let Place { store, prefix, folder } = open_url(url, patience)?;
        Ok(Bucket {
            store,
            prefix,
            shown: url.trim_end_matches('/').to_owned(),
            folder,
            guard: None,
            ignores_conditions: AtomicBool::new(false),
            runtime,
        })
    }

    /// Sets the guard to use if the store ignores conditional writes.
    pub fn guarded_by(self, guard: Option<Arc<dyn Guard>>) -> Bucket {
        Bucket { guard, ..self }
    }

    /// Records that the store ignores conditional writes, and checks that the guard can be taken.
    pub fn do_without_conditions(&self) -> Result<(), ReleaseError> {
        self.ignores_conditions.store(true, Relaxed);
        self.exclusive().map(|_held| ())
    }

    /// Takes the guard; `None` if the store has conditional writes and needs none.
    fn exclusive(&self) -> Result<Option<Box<dyn Held>>, ReleaseError> {
        if !self.ignores_conditions.load(Relaxed) {
            return Ok(None);
        }
        let place = || self.shown.clone();
        let guard =
            self.guard.as_ref().ok_or_else(|| ReleaseError::NoConditions { place: place() })?;
        let held = guard.lock(&self.shown);
        held.map(Some).map_err(|fault| ReleaseError::NotAlone { place: place(), fault })
    }

    /// The URL of an object, for messages.
    pub fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.shown)
    }

    /// The common prefix of all names, for messages.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Reads an object with its tag; `None` if it does not exist.
    pub fn read(&self, name: &str) -> Result<Option<(Vec<u8>, Tag)>, ReleaseError> {
        let read = async {
            let found = self.store.get(&self.key(name)).await?;
            let tag = tag(found.meta.e_tag.clone(), found.meta.version.clone());
            Ok((found.bytes().await?.to_vec(), tag))
        };
        self.if_exists(name, self.runtime.block_on(read))
    }

    /// Creates an object; returns whether it is new.
    pub fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool, ReleaseError> {
        self.replace(name, bytes, None)
    }

    /// Writes an object unconditionally.
    pub fn write(&self, name: &str, bytes: Vec<u8>) -> Result<(), ReleaseError> {
        self.put(name, bytes, PutMode::Overwrite, Duration::MAX).map(|_written| ())
    }

    /// Replaces the object if it still has this tag (`None`: if it still does not exist); returns whether it
    /// did.
    pub fn replace(
        &self,
        name: &str,
        bytes: Vec<u8>,
        tag: Option<&Tag>,
    ) -> Result<bool, ReleaseError> {
        let held: Option<Box<dyn Held>> = match (&self.folder, tag) {
            (Some(folder), Some(_)) => {
                let holder = format!("process {}, activating a release", std::process::id());
                Some(Box::new(Lock::wait_for(folder, LOCK, &holder)?))
            }
            _ => self.exclusive()?,
        };
        let mode = tag.map_or(PutMode::Create, |tag| PutMode::Update(tag.0.clone()));
        match held {
            None => self.put(name, bytes, mode, Duration::MAX),
            Some(held) => self.put_if_still(name, bytes, tag, held),
        }
    }

    /// The same, while the guard is held.
    fn put_if_still(
        &self,
        name: &str,
        bytes: Vec<u8>,
        tag: Option<&Tag>,
        mut held: Box<dyn Held>,
    ) -> Result<bool, ReleaseError> {
        let there = self.read(name)?.map(|(_, there)| there);
        if there.as_ref() != tag {
            return Ok(false);
        }
        let place = self.place(name);
        if let Err(fault) = held.check() {
            return Err(ReleaseError::NotAlone { place, fault });
        }
        let written = self.put(name, bytes, PutMode::Overwrite, GUARDED_TIME_MAX)?;
        match held.check() {
            Ok(()) => Ok(written),
            Err(fault) => Err(ReleaseError::NoLongerAlone { place, fault }),
        }
    }

    fn put(
        &self,
        name: &str,
        bytes: Vec<u8>,
        mode: PutMode,
        time_max: Duration,
    ) -> Result<bool, ReleaseError> {
        if let Some(path) = self.folder.as_ref().filter(|path| !path.is_dir()) {
            // The folder may be unmounted: a write would create a second one in its place.
            return Err(ReleaseError::NoFolder { path: path.clone() });
        }
        let key = self.key(name);
        let put = self.store.put_opts(&key, PutPayload::from(bytes), mode.into());
        let put = async { tokio::time::timeout(time_max, put).await };
        match self.runtime.block_on(put) {
            Ok(Ok(_)) => Ok(true),
            // 409: two conditional writes at the same time, of which the store accepted the other.
            Ok(Err(Error::AlreadyExists { .. } | Error::Precondition { .. })) => Ok(false),
            Ok(Err(error)) => Err(self.failed(name, "store the object", &error)),
            Err(_elapsed) => Err(ReleaseError::Store {
                place: self.place(name),
                expected: "store the object in time",
                found: format!("no response within {} seconds", time_max.as_secs()),
                remedy: "check with 'daicho release list' whether it was written, and try again",
            }),
        }
    }

    /// The objects whose names begin with a folder, sorted by name.
    pub fn list(&self, folder: &str) -> Result<Vec<Listed>, ReleaseError> {
        let prefix = self.key(folder);
        let listed = self.runtime.block_on(self.store.list(Some(&prefix)).try_collect::<Vec<_>>());
        let listed = match listed {
            Err(Error::NotFound { .. }) if self.folder.is_some() => Vec::new(),
            listed => listed.map_err(|error| self.failed(folder, "list its objects", &error))?,
        };
        let named = listed.into_iter().filter_map(|meta| {
            let parts: Vec<_> = meta.location.prefix_match(&self.prefix)?.collect();
            let name = parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("/");
            let modified = Timestamp::from_second(meta.last_modified.timestamp()).ok()?;
            Some(Listed { name, bytes: meta.size, modified })
        });
        let mut named: Vec<Listed> = named.collect();
        named.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(named)
    }

    /// Removes objects; ignores missing ones.
    pub fn remove(&self, names: &[String]) -> Result<(), ReleaseError> {
        let removed = stream::iter(names).map(|name| async move {
            match self.store.delete(&self.key(name)).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(self.failed(name, "remove the object", &error)),
            }
        });
        let removed = removed.buffer_unordered(REMOVED_AT_ONCE).try_collect::<()>();
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
        let mut file = File::open(path).map_err(failed)?;
        let name = sha256.object();
        if bytes <= PART_BYTES as u64 {
            let mut content = Vec::new();
            file.read_to_end(&mut content).map_err(failed)?;
            if Sha256::of(&content) != sha256 {
                return Err(ReleaseError::Changed { path: path.to_owned() });
            }
            advance(bytes);
            return self.write(&name, content);
        }
        file.rewind().map_err(failed)?;
        self.runtime.block_on(self.upload_in_parts(&mut file, path, sha256, advance))
    }

    async fn upload_in_parts(
        &self,
        file: &mut File,
        path: &Path,
        sha256: Sha256,
        advance: &mut dyn FnMut(u64),
    ) -> Result<(), ReleaseError> {
        let name = sha256.object();
        let refused = |error: Error| self.failed(&name, "store the object", &error);
        let upload = self.store.put_multipart(&self.key(&name)).await.map_err(refused)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        let mut sum = Sum::default();
        let sent = loop {
            let part = match next_part(file) {
                Ok(part) if part.is_empty() => break Ok(()),
                Ok(part) => part,
                Err(cause) => break Err(ReleaseError::io(path, cause)),
            };
            if let Err(error) = upload.wait_for_capacity(PARTS_MAX).await {
                break Err(refused(error));
            }
            sum.add(&part);
            advance(part.len() as u64);
            upload.put(part.into());
        };
        let sent = sent.and_then(|()| match sum.end() == sha256 {
            true => Ok(()),
            false => Err(ReleaseError::Changed { path: path.to_owned() }),
        });
        if let Err(error) = sent {
            // If this fails too, the store drops the parts by its own rules.
            let _ = upload.abort().await;
            return Err(error);
        }
        upload.finish().await.map(|_done| ()).map_err(refused)
    }

    /// Reads a range of an object in parts, several at once, and passes them on in order.
    pub fn ranges(
        &self,
        name: &str,
        stretch: Range<u64>,
        take: &mut dyn FnMut(&[u8]) -> Result<(), ReleaseError>,
    ) -> Result<(), ReleaseError> {
        let (key, end) = (self.key(name), stretch.end);
        let begins = stretch.step_by(PART_BYTES);
        let ranges = begins.map(|begin| begin..end.min(begin.saturating_add(PART_BYTES as u64)));
        let asked = ranges.map(|range| async {
            let length = range.end - range.start;
            let bytes = self.store.get_range(&key, range).await;
            (length, bytes)
        });
        self.runtime.block_on(async {
            let mut arriving = stream::iter(asked).buffered(PARTS_MAX);
            while let Some((length, bytes)) = arriving.next().await {
                let bytes =
                    bytes.map_err(|error| self.failed(name, "return the object", &error))?;
                if bytes.len() as u64 != length {
                    return Err(ReleaseError::Store {
                        place: self.place(name),
                        expected: "return the requested range",
                        found: format!("{} bytes", bytes.len()),
                        remedy: "push the release again, or repair the store",
                    });
                }
                take(&bytes)?;
            }
            Ok(())
        })
    }

    fn key(&self, name: &str) -> Key {
        let parts = name.split('/').map(Into::into);
        self.prefix.parts().chain(parts).collect()
    }

    fn if_exists<T>(&self, name: &str, asked: Result<T, Error>) -> Result<Option<T>, ReleaseError> {
        match asked {
            Ok(found) => Ok(Some(found)),
            Err(error @ Error::NotFound { .. }) if is_without_bucket(&error) => {
                Err(self.failed(name, "have the object", &error))
            }
            Err(Error::NotFound { .. }) => match &self.folder {
                // The folder may be unmounted, so its content is unknown.
                Some(path) if !path.is_dir() => Err(ReleaseError::NoFolder { path: path.clone() }),
                _ => Ok(None),
            },
            Err(error) => Err(self.failed(name, "return the object", &error)),
        }
    }

    fn failed(&self, name: &str, expected: &'static str, error: &Error) -> ReleaseError {
        let (place, found) = (self.place(name), describe(error));
        let remedy = remedy(error, &found);
        ReleaseError::Store { place, expected, found, remedy }
    }
}

fn tag(e_tag: Option<String>, version: Option<String>) -> Tag {
    Tag(UpdateVersion { e_tag, version })
}

/// The next bytes of a file, none at its end.
fn next_part(file: &mut File) -> io::Result<Vec<u8>> {
    let mut part = Vec::with_capacity(PART_BYTES);
    file.take(PART_BYTES as u64).read_to_end(&mut part)?;
    Ok(part)
}
