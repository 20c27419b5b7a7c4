//! Downloads a release into a server's cache: verifies and fetches its files, and creates its folder beside the
//! served one.
//!
//! On failure the served data stay unchanged. Files arrive in ranges, several at once, and are verified on the
//! way. An interrupted download continues where it stopped, in the next attempt or the next process.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::bucket::Bucket;
use super::cache::{Cache, Folder};
use super::current::Current;
use super::error::ReleaseError;
use super::label::Label;
use super::manifest::{Entry, Manifest};
use super::sha256::Sum;
use super::signature::PublicKey;
use super::{number::Number, program::ProgramVersion, shelf};

/// What a server follows, and its limits.
#[derive(Debug)]
pub struct Follow {
    pub cache: Cache,
    pub label: Option<Label>,
    /// Releases without a valid signature for this key are rejected.
    pub key: Option<PublicKey>,
    /// Maximum size of the cache in bytes; `None` for no limit.
    pub bytes_max: Option<u64>,
}

impl Follow {
    /// Reads which releases this server should serve and prepare, and when.
    pub fn look(&self, bucket: &Bucket) -> Result<Current, ReleaseError> {
        Ok(Current::read(bucket)?.0)
    }

    /// Downloads the missing files of a release and creates its folder. `advance` gets the bytes received.
    pub fn prepare(
        &self,
        bucket: &Bucket,
        release: Number,
        advance: &mut dyn FnMut(u64),
    ) -> Result<Folder, ReleaseError> {
        let manifest = shelf::manifest(bucket, release)?;
        self.check(&manifest)?;
        self.cache.remove_unserved()?;
        let missing = self.cache.missing(&manifest);
        self.cache.make_room(&manifest, &missing, self.bytes_max)?;
        for entry in &missing {
            self.fetch(bucket, entry, advance)?;
        }
        self.cache.prepare(&manifest, missing.len())
    }

    fn check(&self, manifest: &Manifest) -> Result<(), ReleaseError> {
        if let Some(key) = &self.key {
            manifest.verify(key)?;
        }
        let (number, expected) = (manifest.release.number, manifest.release.program);
        let found = ProgramVersion::of_this();
        match expected > found {
            true => Err(ReleaseError::Program { number, expected, found }),
            false => Ok(()),
        }
    }

    fn fetch(
        &self,
        bucket: &Bucket,
        entry: &Entry,
        advance: &mut dyn FnMut(u64),
    ) -> Result<(), ReleaseError> {
        let part = self.cache.part(entry.sha256);
        let failed = |cause| ReleaseError::io(&part, cause);
        let (mut file, mut sum, from) = begin(&part, entry)?;
        bucket.ranges(&entry.sha256.object(), from..entry.bytes, &mut |bytes| {
            file.write_all(bytes).map_err(failed)?;
            sum.add(bytes);
            advance(bytes.len() as u64);
            Ok(())
        })?;
        let found = sum.end();
        if found != entry.sha256 {
            // Wrong bytes must not be continued.
            fs::remove_file(&part).map_err(failed)?;
            let (file, expected) = (entry.path(), entry.sha256);
            return Err(ReleaseError::WrongBytes { file, expected, found });
        }
        file.sync_all().map_err(failed)?;
        self.cache.keep(entry.sha256)
    }
}

/// Opens the partial file for appending, with the checksum and length of its content.
fn begin(part: &Path, entry: &Entry) -> Result<(File, Sum, u64), ReleaseError> {
    let failed = |cause| ReleaseError::io(part, cause);
    let options = File::options().read(true).append(true).create(true).open(part);
    let mut file = options.map_err(failed)?;
    if file.metadata().map_err(failed)?.len() > entry.bytes {
        file.set_len(0).map_err(failed)?;
    }
    let (sum, length) = Sum::of_reader(&mut file, &mut |_count| {}).map_err(failed)?;
    Ok((file, sum, length))
}
