//! The source files of an edition: downloaded, verified, and stored with their manifest in
//! `SNAPSHOTS/sources/DATASET/EDITION/` before anything is built from them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::context::Context;
use super::editions::{Manifest, SourceFile, built_editions, is_plain_name};
use super::error::{Result, UpdateError};
use super::file_spec::FileSpec;
use super::http::{DownloadedFile, Session, remove_partial};
use super::verify;
use crate::clock;
use crate::snapshot::files::{Sha256, if_exists};
use crate::system::disk;
use crate::text::codes::DataVersion;

/// Maximum growth of a full file over the previous edition, as a factor.
const GROWTH_MAX: u64 = 2;

/// Up to this size any growth is accepted.
const GROWTH_CHECKED_FROM_BYTES: u64 = 1 << 20;

/// Prefix of partially downloaded files; the next update continues them.
const PART_PREFIX: &str = ".part-";

/// The source files of one edition during the download.
pub struct EditionFiles<'r> {
    pub context: &'r Context<'r>,
    folder: PathBuf,
    manifest: Manifest,
    /// The newest earlier edition from which a snapshot was built.
    previous: Option<Manifest>,
}

impl<'r> EditionFiles<'r> {
    /// Opens the folder of this edition, including files from an earlier update.
    pub fn open(context: &'r Context<'r>, version: DataVersion) -> Result<EditionFiles<'r>> {
        let editions = context.sources_folder();
        let folder = editions.join(version.to_string());
        disk::create_folders(&folder).map_err(|cause| UpdateError::io(&folder, cause))?;
        let empty = || Manifest { edition: version, files: Vec::new(), is_built: false };
        let manifest = Manifest::read(&folder)?.unwrap_or_else(empty);
        let mut earlier = built_editions(&editions)?.into_iter().rev();
        let previous = earlier.find(|manifest| manifest.edition < version);
        Ok(EditionFiles { context, folder, manifest, previous })
    }

    pub fn version(&self) -> DataVersion {
        self.manifest.edition
    }

    pub fn previous(&self, role: &str) -> Option<&SourceFile> {
        self.previous.as_ref()?.file(role)
    }

    /// Downloads, verifies and stores a file, or copies it from the folder of local files. A file that is stored
    /// already is not downloaded again, so an update continues where the last one failed.
    pub fn fetch(&mut self, session: &Session<'_>, spec: FileSpec) -> Result<SourceFile> {
        if let Some(stored) = self.manifest.file(&spec.role)
            && spec.name.fits(&stored.name)
            && is_unchanged(stored)?
        {
            return Ok(stored.clone());
        }
        let file = match self.context.local_folder {
            Some(folder) => self.copy(&folder.find(&spec.name)?, &spec)?,
            None => self.download(session, &spec)?,
        };
        self.record(file)
    }

    /// Reuses the file with this role from the previous edition.
    pub fn reuse_previous(&mut self, role: &str) -> Result<Option<SourceFile>> {
        let Some(previous) = self.previous(role).cloned() else { return Ok(None) };
        if !is_unchanged(&previous)? {
            return Ok(None);
        }
        let file = self.link_previous(&previous)?;
        self.record(file).map(Some)
    }

    /// Leaves a stored file out of the edition if it has another checksum, so that the next `fetch` replaces it.
    pub fn keep_only(&mut self, role: &str, sha256: Sha256) {
        self.manifest.files.retain(|file| file.role != role || file.sha256 == sha256.to_string());
    }

    /// Returns the result of reading or building the files. Removes those that its error calls wrong, all if it does not
    /// say which, so that the next update downloads them again.
    pub fn checked<T>(&mut self, result: Result<T, impl Into<UpdateError>>) -> Result<T> {
        result.map_err(|error| {
            let error = error.into();
            let faulty = error.faulty_files();
            self.remove(|file| faulty.includes(&file.path));
            error
        })
    }

    pub fn remove(&mut self, is_faulty: impl Fn(&SourceFile) -> bool) {
        let (faulty, kept): (Vec<_>, _) = self.manifest.files.drain(..).partition(is_faulty);
        self.manifest.files = kept;
        if faulty.is_empty() {
            return;
        }
        // Never remove files from a folder that the operator filled.
        let is_downloaded = self.context.local_folder.is_none();
        for file in faulty.iter().filter(|_| is_downloaded) {
            // If removal fails, the file is ignored later: it is not in the manifest.
            let _ = fs::remove_file(&file.path);
        }
        // A failure here must not hide the error that the files caused.
        let _ = self.manifest.write(&self.folder);
    }

    /// Records that a snapshot was built from the files.
    pub fn finish(mut self) -> Result<()> {
        self.manifest.is_built = true;
        self.manifest.write(&self.folder)
    }

    /// Records a file in the manifest, in place of the one with the same role.
    fn record(&mut self, file: SourceFile) -> Result<SourceFile> {
        self.manifest.files.retain(|other| other.role != file.role);
        self.manifest.files.push(file.clone());
        self.manifest.write(&self.folder)?;
        Ok(file)
    }

    fn download(&self, session: &Session<'_>, spec: &FileSpec) -> Result<SourceFile> {
        let name = spec.name.to_string();
        let label: String = name.chars().filter(|c| is_plain_name(&c.to_string())).collect();
        let part = self.folder.join(format!("{PART_PREFIX}{label}"));
        let previous = match self.previous(&spec.role) {
            Some(previous) if spec.may_be_unchanged && is_unchanged(previous)? => Some(previous),
            _ => None,
        };
        let bytes_max = self.bytes_max(spec);
        let downloaded = session.download(&spec.request, &part, previous, bytes_max)?;
        let Some(DownloadedFile { url, name, etag, last_modified }) = downloaded else {
            return self.link_previous(previous.expect("only a known file is not sent again"));
        };
        let verified =
            self.check_name(spec, &name, &url).and_then(|()| self.verify(spec, &part, &url));
        let (rows, sha256) = verified.inspect_err(|_refused| remove_partial(&part))?;
        let path = self.folder.join(&name);
        fs::rename(&part, &path).map_err(|cause| UpdateError::io(&path, cause))?;
        let (role, fetched, bytes) = (spec.role.clone(), clock::now(), length(&path)?);
        Ok(SourceFile { role, name, path, url, fetched, bytes, sha256, last_modified, etag, rows })
    }

    fn copy(&self, from: &Path, spec: &FileSpec) -> Result<SourceFile> {
        let url = from.display().to_string();
        let (rows, sha256) = self.verify(spec, from, &url)?;
        let name = from.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let path = self.folder.join(&name);
        let part = self.folder.join(format!("{PART_PREFIX}{name}"));
        if !same_file(from, &path) {
            fs::copy(from, &part)
                .and_then(|_bytes| fs::rename(&part, &path))
                .map_err(|cause| UpdateError::io(&path, cause))?;
        }
        let bytes = length(&path)?;
        let (role, fetched) = (spec.role.clone(), clock::now());
        let (last_modified, etag) = (None, None);
        Ok(SourceFile { role, name, path, url, fetched, bytes, sha256, last_modified, etag, rows })
    }

    /// Adds a file of the previous edition to this one: as a hard link if possible, otherwise as a copy.
    fn link_previous(&self, previous: &SourceFile) -> Result<SourceFile> {
        let path = self.folder.join(&previous.name);
        let failed = |cause| UpdateError::io(&path, cause);
        if_exists(fs::remove_file(&path)).map_err(failed)?;
        fs::hard_link(&previous.path, &path)
            .or_else(|_no_link| fs::copy(&previous.path, &path).map(|_bytes| ()))
            .map_err(failed)?;
        Ok(SourceFile { path, ..previous.clone() })
    }

    /// Verifies a file; returns its rows and its SHA-256.
    fn verify(&self, spec: &FileSpec, path: &Path, url: &str) -> Result<(Option<u64>, String)> {
        let rows = verify::verify(path, url, &spec.format)?;
        let sha256 = sha256_of(path)?;
        let Some(previous) = &self.previous else { return Ok((rows, sha256)) };
        let Some(file) = previous.file(&spec.role) else { return Ok((rows, sha256)) };
        if spec.is_full && !spec.may_be_unchanged && file.sha256 == sha256 {
            return Err(UpdateError::wrong_file(
                url,
                format!("the edition of {}", self.manifest.edition),
                format!("the identical file of {}", previous.edition),
                "the site has updated its page but not yet the file: try again later",
            ));
        }
        if spec.is_full
            && !self.context.options.force
            && let (Some(found), Some(expected)) = (rows, file.rows)
        {
            verify::compare_rows(url, found, expected, previous.edition)?;
        }
        Ok((rows, sha256))
    }

    fn check_name(&self, spec: &FileSpec, name: &str, url: &str) -> Result<()> {
        if spec.name.fits(name) && is_plain_name(name) {
            return Ok(());
        }
        let remedy = "the site has sent another file: try again, and check for a newer daicho";
        Err(UpdateError::wrong_file(url, spec.name.to_string(), name, remedy))
    }

    /// The size limit of a file: the expected growth of a full file, and the limit of its kind.
    fn bytes_max(&self, spec: &FileSpec) -> u64 {
        let previous = self.previous(&spec.role);
        match previous.filter(|_| spec.is_full && !self.context.options.force) {
            Some(previous) => {
                let grown = previous.bytes.saturating_mul(GROWTH_MAX);
                grown.max(GROWTH_CHECKED_FROM_BYTES).min(spec.bytes_max)
            }
            None => spec.bytes_max,
        }
    }
}

/// Whether a stored file still has its recorded size and checksum.
fn is_unchanged(file: &SourceFile) -> Result<bool> {
    match fs::metadata(&file.path) {
        Ok(metadata) if metadata.len() == file.bytes => Ok(sha256_of(&file.path)? == file.sha256),
        _ => Ok(false),
    }
}

fn sha256_of(path: &Path) -> Result<String> {
    let read = File::open(path).and_then(|mut file| Sha256::of_reader(&mut file, &mut |_| {}));
    let (sha256, _length) = read.map_err(|cause| UpdateError::io(path, cause))?;
    Ok(sha256.to_string())
}

fn length(path: &Path) -> Result<u64> {
    fs::metadata(path).map(|metadata| metadata.len()).map_err(|cause| UpdateError::io(path, cause))
}

fn same_file(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    canonical(one).is_some() && canonical(one) == canonical(other)
}
