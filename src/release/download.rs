//! Downloads a release into a server's cache: verifies and fetches its files, and creates its folder beside the
//! served one.
//!
//! On failure the served data stay unchanged. Files arrive in ranges, several at once, and are verified on the
//! way. An interrupted download continues where it stopped, in the next attempt or the next process.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::bucket::Bucket;
use super::cache::{Cache, ReleaseFolder};
use super::error::ReleaseError;
use super::manifest::{Entry, Manifest};
use super::sha256::{Hasher, object_name};
use super::signature::PublicKey;
use super::{number::Number, program::ProgramVersion};

#[derive(Debug)]
pub struct Downloader {
    pub cache: Cache,
    /// Releases without a valid signature for this key are rejected.
    pub key: Option<PublicKey>,
    /// Maximum size of the cache in bytes; `None` for no limit.
    pub bytes_max: Option<u64>,
}

impl Downloader {
    /// Downloads the missing files of a release and creates its folder. `advance` gets the bytes received.
    pub fn prepare(
        &self,
        bucket: &Bucket,
        release: Number,
        advance: &mut dyn FnMut(u64),
    ) -> Result<ReleaseFolder, ReleaseError> {
        let manifest = Manifest::read(bucket, release)?;
        self.check_usable(&manifest)?;
        self.cache.remove_unserved()?;
        let missing = self.cache.missing(&manifest);
        self.cache.make_room(&manifest, &missing, self.bytes_max)?;
        for entry in &missing {
            self.download_file(bucket, entry, advance)?;
        }
        self.cache.prepare(&manifest, missing.len())
    }

    /// Fails without a valid signature, or if the release needs a newer program.
    fn check_usable(&self, manifest: &Manifest) -> Result<(), ReleaseError> {
        if let Some(key) = &self.key {
            manifest.verify(key)?;
        }
        let (number, expected) = (manifest.release.number, manifest.release.program);
        let found = ProgramVersion::own();
        if expected > found {
            return Err(ReleaseError::ProgramTooOld { number, expected, found });
        }
        Ok(())
    }

    fn download_file(
        &self,
        bucket: &Bucket,
        entry: &Entry,
        advance: &mut dyn FnMut(u64),
    ) -> Result<(), ReleaseError> {
        let part = self.cache.part_path(entry.sha256);
        let failed = |cause| ReleaseError::io(&part, cause);
        let (mut file, mut hasher, offset) = open_part(&part, entry)?;
        bucket.read_range(&object_name(entry.sha256), offset..entry.bytes, &mut |bytes| {
            file.write_all(bytes).map_err(failed)?;
            hasher.update(bytes);
            advance(bytes.len() as u64);
            Ok(())
        })?;
        let found = hasher.finish();
        if found != entry.sha256 {
            // The next attempt must not continue after wrong bytes.
            fs::remove_file(&part).map_err(failed)?;
            let (file, expected) = (entry.path(), entry.sha256);
            return Err(ReleaseError::WrongChecksum { file, expected, found });
        }
        file.sync_all().map_err(failed)?;
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
