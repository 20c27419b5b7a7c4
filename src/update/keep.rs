//! The source files of an edition: downloaded, verified, and kept with their manifest in
//! `SNAPSHOTS/sources/DATASET/EDITION/` before anything is built from them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::check;
use super::error::UpdateError;
use super::http::{Download, Limits, Session, Validators, discard};
use super::manifest::{Kept, Manifest, is_plain_name};
use super::run::Run;
use super::subject::Subject;
use super::wanted::Wanted;
use crate::snapshot::durable::if_exists;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left};
use crate::text::codes::DataVersion;

/// The folder for source files, below the snapshot folder.
pub const FOLDER: &str = "sources";

/// Maximum growth of a full file over the previous edition, as a factor.
const GROWTH_MAX: u64 = 2;

/// Prefix of partially downloaded files; the next run continues them.
const PART_PREFIX: &str = ".part-";

/// The source files of one edition during the download.
pub struct Edition<'r> {
    run: &'r Run<'r>,
    folder: PathBuf,
    manifest: Manifest,
    /// The previous edition from which a snapshot was built.
    before: Option<Manifest>,
}

impl<'r> Edition<'r> {
    /// Opens the folder of this edition, including files from an earlier run.
    pub fn open(run: &'r Run<'r>, version: DataVersion) -> Result<Edition<'r>, UpdateError> {
        let all = folder_of(&run.options.snapshots, run.subject);
        let folder = all.join(version.to_string());
        fs::create_dir_all(&folder).map_err(|cause| UpdateError::io(&folder, cause))?;
        let empty = || Manifest { edition: version, files: Vec::new(), built: false };
        let manifest = Manifest::read(&folder)?.unwrap_or_else(empty);
        let before = built_editions(&all)?.into_iter().rev().find(|found| found.edition < version);
        Ok(Edition { run, folder, manifest, before })
    }

    /// The file with this role in the previous edition.
    pub fn before(&self, role: &str) -> Option<&Kept> {
        self.before.as_ref()?.file(role)
    }

    /// Downloads, verifies and keeps a file. A file that is kept already is not downloaded again, so a run that
    /// failed later continues from there.
    pub fn fetch(&mut self, session: &Session<'_>, wanted: Wanted) -> Result<Kept, UpdateError> {
        if let Some(kept) = self.manifest.file(&wanted.role)
            && wanted.name.fits(&kept.name)
            && is_as_kept(kept)?
        {
            return Ok(kept.clone());
        }
        let kept = match self.run.folder() {
            Some(folder) => self.copy(&folder.find(&wanted.name)?, &wanted)?,
            None => self.download(session, &wanted)?,
        };
        self.keep(kept)
    }

    /// Reuses the file with this role from the previous edition.
    pub fn repeat(&mut self, role: &str) -> Result<Option<Kept>, UpdateError> {
        let Some(before) = self.before(role).cloned() else { return Ok(None) };
        if !is_as_kept(&before)? {
            return Ok(None);
        }
        let kept = self.take_over(&before)?;
        self.keep(kept).map(Some)
    }

    /// Returns the error. If the files are its cause, removes them, so that the next run downloads them again.
    pub fn blame(&mut self, error: impl Into<UpdateError>) -> UpdateError {
        let error = error.into();
        if error.blames_files() {
            // Never remove files from a folder that the operator filled.
            let fetched = self.run.folder().is_none();
            for file in self.manifest.files.drain(..).filter(|_| fetched) {
                // If removal fails, the file is ignored later: it is not in the manifest.
                let _ = fs::remove_file(&file.path);
            }
            // A failure here must not hide the original error.
            let _ = self.manifest.write(&self.folder);
        }
        error
    }

    /// Records that a snapshot was built from the files.
    pub fn finish(mut self) -> Result<(), UpdateError> {
        self.manifest.built = true;
        self.manifest.write(&self.folder)
    }

    fn keep(&mut self, kept: Kept) -> Result<Kept, UpdateError> {
        self.manifest.files.retain(|file| file.role != kept.role);
        self.manifest.files.push(kept.clone());
        self.manifest.write(&self.folder)?;
        Ok(kept)
    }

    fn download(&self, session: &Session<'_>, wanted: &Wanted) -> Result<Kept, UpdateError> {
        let name = wanted.name.expected();
        let label: String = name.chars().filter(|c| is_plain_name(&c.to_string())).collect();
        let part = self.folder.join(format!("{PART_PREFIX}{label}"));
        let before = self.before(&wanted.role).cloned();
        let known = match &before {
            Some(before) if wanted.may_repeat && is_as_kept(before)? => Some(Validators {
                url: before.url.clone(),
                etag: before.etag.clone(),
                last_modified: before.last_modified.clone(),
            }),
            _ => None,
        };
        let limits = Limits { bytes_max: self.bytes_max(wanted) };
        let fetched = match session.download(&wanted.request, &part, known.as_ref(), limits)? {
            Download::Whole(fetched) => fetched,
            Download::NotModified => {
                let before = before.expect("asked with what it was");
                return self.take_over(&before);
            }
        };
        let checked = self
            .check_name(wanted, &fetched.name, &fetched.url)
            .and_then(|()| self.check(wanted, &part, &fetched.url));
        let (rows, sha256) = checked.inspect_err(|_refused| discard(&part))?;
        let path = self.folder.join(&fetched.name);
        fs::rename(&part, &path).map_err(|cause| UpdateError::io(&path, cause))?;
        let bytes = length(&path)?;
        Ok(Kept {
            role: wanted.role.clone(),
            name: fetched.name,
            path,
            url: fetched.url,
            fetched: Timestamp::now(),
            bytes,
            sha256,
            last_modified: fetched.last_modified,
            etag: fetched.etag,
            rows,
        })
    }

    fn copy(&self, from: &Path, wanted: &Wanted) -> Result<Kept, UpdateError> {
        let url = from.display().to_string();
        let (rows, sha256) = self.check(wanted, from, &url)?;
        let name = from.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let path = self.folder.join(&name);
        let part = self.folder.join(format!("{PART_PREFIX}{name}"));
        if !same_file(from, &path) {
            fs::copy(from, &part)
                .and_then(|_bytes| fs::rename(&part, &path))
                .map_err(|cause| UpdateError::io(&path, cause))?;
        }
        let bytes = length(&path)?;
        let (role, fetched) = (wanted.role.clone(), Timestamp::now());
        let (last_modified, etag) = (None, None);
        Ok(Kept { role, name, path, url, fetched, bytes, sha256, last_modified, etag, rows })
    }

    /// Adds a file of the previous edition to this one: as a hard link if possible, otherwise as a copy.
    fn take_over(&self, before: &Kept) -> Result<Kept, UpdateError> {
        let path = self.folder.join(&before.name);
        let failed = |cause| UpdateError::io(&path, cause);
        if_exists(fs::remove_file(&path)).map_err(failed)?;
        fs::hard_link(&before.path, &path)
            .or_else(|_no_link| fs::copy(&before.path, &path).map(|_bytes| ()))
            .map_err(failed)?;
        Ok(Kept { path, ..before.clone() })
    }

    /// Verifies a file; returns its rows and its SHA-256.
    fn check(
        &self,
        wanted: &Wanted,
        path: &Path,
        url: &str,
    ) -> Result<(Option<u64>, String), UpdateError> {
        let checked = check::verify(path, url, &wanted.form)?;
        let sha256 = sha256_of(path)?;
        let Some(before) = &self.before else { return Ok((checked.rows, sha256)) };
        let Some(file) = before.file(&wanted.role) else { return Ok((checked.rows, sha256)) };
        if wanted.whole && !wanted.may_repeat && file.sha256 == sha256 {
            return Err(UpdateError::not_the_file(
                url,
                format!("the edition of {}", self.manifest.edition),
                format!("the identical file of {}", before.edition),
                "the site has updated its page but not yet the file: try again later",
            ));
        }
        if let (true, false, Some(rows), Some(known)) =
            (wanted.whole, self.run.options.force, checked.rows, file.rows)
        {
            check::compare_rows(url, rows, known, before.edition)?;
        }
        Ok((checked.rows, sha256))
    }

    fn check_name(&self, wanted: &Wanted, name: &str, url: &str) -> Result<(), UpdateError> {
        if wanted.name.fits(name) && is_plain_name(name) {
            return Ok(());
        }
        let remedy = "the site has sent another file: try again, and check for a newer daicho";
        Err(UpdateError::not_the_file(url, wanted.name.expected(), name, remedy))
    }

    fn bytes_max(&self, wanted: &Wanted) -> u64 {
        let before = self.before(&wanted.role).filter(|_| wanted.whole && !self.run.options.force);
        let grown = before.map(|before| before.bytes.saturating_mul(GROWTH_MAX).max(MIN_LIMIT));
        grown.map_or(wanted.bytes_max, |grown| grown.min(wanted.bytes_max))
    }
}

/// Up to this size any growth is accepted.
const MIN_LIMIT: u64 = 1 << 20;

/// The folder for the source files of a dataset.
pub fn folder_of(snapshots: &Path, subject: Subject) -> PathBuf {
    snapshots.join(FOLDER).join(subject.name())
}

/// The editions in a folder from which snapshots were built, oldest first.
pub fn built_editions(folder: &Path) -> Result<Vec<Manifest>, UpdateError> {
    built_of(&editions(folder)?)
}

fn built_of(editions: &[(PathBuf, DataVersion)]) -> Result<Vec<Manifest>, UpdateError> {
    let manifests = editions.iter().map(|(path, _)| Manifest::read(path));
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    Ok(manifests.into_iter().flatten().filter(|manifest| manifest.built).collect())
}

/// The folders of editions, oldest first.
fn editions(folder: &Path) -> Result<Vec<(PathBuf, DataVersion)>, UpdateError> {
    let failed = |cause| UpdateError::io(folder, cause);
    let mut found = Vec::new();
    for entry in if_exists(fs::read_dir(folder)).map_err(failed)?.into_iter().flatten() {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(version) = name.and_then(|name| DataVersion::parse(name).ok()) {
            found.push((path, version));
        }
    }
    found.sort_by_key(|(_, version)| *version);
    Ok(found)
}

/// Repairs what an interrupted run left: half-written manifests, and the missing record that a snapshot was
/// built, which is written after the snapshot.
pub fn recover(folder: &Path, installed: Option<DataVersion>) -> Result<(), UpdateError> {
    for (path, version) in editions(folder)? {
        remove_left(&path, IN_SNAPSHOTS).map_err(|cause| UpdateError::io(&path, cause))?;
        if Some(version) != installed {
            continue;
        }
        if let Some(manifest) = Manifest::read(&path)?.filter(|manifest| !manifest.built) {
            Manifest { built: true, ..manifest }.write(&path)?;
        }
    }
    Ok(())
}

/// Removes the source files of all but the newest editions. Returns the removed paths.
pub fn prune(folder: &Path, keep: usize) -> Result<Vec<PathBuf>, UpdateError> {
    let all = editions(folder)?;
    let built = built_of(&all)?;
    let Some(oldest) = built.get(built.len().saturating_sub(keep)) else { return Ok(Vec::new()) };
    let mut removed = Vec::new();
    for (path, version) in all {
        if version < oldest.edition {
            fs::remove_dir_all(&path).map_err(|cause| UpdateError::io(&path, cause))?;
            removed.push(path);
        }
    }
    Ok(removed)
}

/// Whether a kept file still has its recorded size and checksum.
fn is_as_kept(kept: &Kept) -> Result<bool, UpdateError> {
    match fs::metadata(&kept.path) {
        Ok(metadata) if metadata.len() == kept.bytes => Ok(sha256_of(&kept.path)? == kept.sha256),
        _ => Ok(false),
    }
}

fn sha256_of(path: &Path) -> Result<String, UpdateError> {
    let failed = |cause| UpdateError::io(path, cause);
    let mut file = File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(HEXLOWER.encode(&hash.finalize())),
            count => hash.update(&buffer[..count]),
        }
    }
}

fn length(path: &Path) -> Result<u64, UpdateError> {
    fs::metadata(path).map(|metadata| metadata.len()).map_err(|cause| UpdateError::io(path, cause))
}

fn same_file(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    canonical(one).is_some() && canonical(one) == canonical(other)
}
