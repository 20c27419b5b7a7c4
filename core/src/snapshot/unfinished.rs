//! Unfinished files: written under a temporary name in the folder of their final path, synced, and then renamed. So a
//! file at its final path is always complete.
//!
//! The unfinished files of this process are registered here, so that a command that is being stopped can remove its
//! own ([`remove_all`]). Files that a killed process left behind are removed by the next run ([`remove_left_over`]):
//! every writer holds a lock on its unfinished file, so an unlocked one has no writer.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use super::files::{entries, if_exists};
#[cfg(any(test, feature = "test-support"))]
use crate::system::disk_steps::{self, DiskStep};
use crate::system::identity::FileIdentity;
use crate::system::{disk, permissions};

/// Name prefix and permissions of unfinished files, which depend on what they become.
#[derive(Debug, Clone, Copy)]
pub struct Naming {
    prefix: &'static str,
    mode: u32,
}

/// In the snapshot folder. Readable by all: builder and server may run as different users.
pub const IN_SNAPSHOTS: Naming = Naming { prefix: ".unfinished-", mode: 0o644 };

/// Beside the output of a command. Like any new file: permissions according to the umask.
pub const BESIDE_OUTPUT: Naming = Naming { prefix: ".daicho-unfinished-", mode: 0o666 };

/// The same for what only its owner may read.
pub const PRIVATE: Naming = Naming { prefix: BESIDE_OUTPUT.prefix, mode: permissions::PRIVATE };

/// How often a file is created again because another process removed it as left over before it was locked.
const ATTEMPTS_MAX: usize = 8;

static REGISTERED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn registered() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is not yet at its final path. Dropping it removes it.
#[derive(Debug)]
pub struct UnfinishedFile {
    file: NamedTempFile,
    final_path: PathBuf,
    _registration: Registration,
}

/// Registration of an unfinished file's path, as long as this lives.
#[derive(Debug)]
struct Registration(PathBuf);

impl Drop for Registration {
    fn drop(&mut self) {
        registered().remove(&self.0);
    }
}

impl UnfinishedFile {
    /// Creates an empty file in the folder of its final path.
    pub fn create(final_path: &Path, naming: Naming) -> io::Result<UnfinishedFile> {
        #[cfg(any(test, feature = "test-support"))]
        disk_steps::step(DiskStep::Write(final_path))?;
        for _ in 0..ATTEMPTS_MAX {
            let mut registered = registered();
            let file = permissions::temporary(naming.prefix, naming.mode)
                .tempfile_in(folder_of(final_path))?;
            registered.insert(file.path().to_owned());
            drop(registered);
            let registration = Registration(file.path().to_owned());
            // On a file system without locks, and on Windows, files of killed processes are not removed.
            disk::claim(file.as_file());
            if has_path(file.as_file(), file.path()) {
                return Ok(UnfinishedFile {
                    file,
                    final_path: final_path.to_owned(),
                    _registration: registration,
                });
            }
        }
        Err(io::Error::other("unfinished files are removed by somebody else"))
    }

    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Its temporary path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The path that [`finish`](Self::finish) moves it to.
    pub fn final_path(&self) -> &Path {
        &self.final_path
    }

    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.as_file().metadata()?.len())
    }

    /// Writes its content to the disk, so that a power failure does not undo it.
    pub fn sync(&self) -> io::Result<()> {
        #[cfg(any(test, feature = "test-support"))]
        disk_steps::step(DiskStep::Write(self.path()))?;
        self.file.as_file().sync_all()?;
        #[cfg(any(test, feature = "test-support"))]
        disk_steps::step(DiskStep::SyncedFile(self.path()))?;
        Ok(())
    }

    /// Moves it to its final path, replacing an existing file, and syncs the folder. If only the folder cannot be
    /// synced, that is an error too, though the file is at its final path.
    pub fn finish(self) -> io::Result<()> {
        let path = self.final_path.clone();
        self.rename()?;
        sync_folder_of(&path)
    }

    /// The first part of [`finish`](Self::finish): after an error, the file at the final path is unchanged. The caller
    /// must sync the folder.
    pub(super) fn rename(self) -> io::Result<()> {
        self.sync()?;
        #[cfg(any(test, feature = "test-support"))]
        disk_steps::step(DiskStep::Change(&self.final_path))?;
        self.file.persist(&self.final_path).map(drop).map_err(|refused| refused.error)
    }

    /// As [`finish`](Self::finish), but fails if a file exists there already.
    pub fn finish_new(self) -> io::Result<()> {
        self.sync()?;
        self.file.persist_noclobber(&self.final_path).map_err(|refused| refused.error)?;
        sync_folder_of(&self.final_path)
    }
}

/// Syncs the folder of a file, so that a power failure does not undo its renaming.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    disk::sync_folder(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether this very file, and not another one, is at this path.
fn has_path(file: &File, path: &Path) -> bool {
    let there = FileIdentity::of_name(path);
    matches!((there, FileIdentity::of_file(file)), (Ok(there), Ok(this)) if there == this)
}

/// Removes all unfinished files of this process. Only for the end of the process: no thread can create one after it.
pub fn remove_all() {
    let registered = registered();
    for path in registered.iter() {
        // A file that was just finished no longer exists here.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(registered);
}

/// The unfinished files in a folder that a killed process left behind; none if there is no folder.
pub fn left_over(folder: &Path, naming: Naming) -> io::Result<Vec<PathBuf>> {
    Ok(locked_left_over(folder, naming)?.map(|(path, _lock)| path).collect())
}

/// Removes the files that [`left_over`] lists.
pub fn remove_left_over(folder: &Path, naming: Naming) -> io::Result<()> {
    for (path, _lock) in locked_left_over(folder, naming)? {
        if_exists(fs::remove_file(path))?;
    }
    Ok(())
}

/// The files that [`left_over`] lists, by name, each locked.
fn locked_left_over(
    folder: &Path,
    naming: Naming,
) -> io::Result<impl Iterator<Item = (PathBuf, File)>> {
    let is_unfinished = move |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(naming.prefix))
            && path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
    };
    // Skip a file that is gone, belongs to another user, or cannot be locked.
    let lock = |path: PathBuf| disk::claim_unclaimed(&path).map(|file| (path, file));
    Ok(entries(folder)?.into_iter().filter(is_unfinished).filter_map(lock))
}

/// Writes and syncs an unfinished file beside this path, and creates the folder durably.
pub fn prepare_whole(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<UnfinishedFile> {
    disk::create_folders(folder_of(path))?;
    let mut file = UnfinishedFile::create(path, IN_SNAPSHOTS)?;
    let mut out = BufWriter::with_capacity(1 << 16, file.file());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    file.sync()?;
    Ok(file)
}

/// Writes a file, replacing an existing one, and creates the folder. Returns its length.
pub fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let file = prepare_whole(path, fill)?;
    let length = file.length()?;
    file.finish()?;
    Ok(length)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn only_a_finished_file_appears_at_its_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let final_path = folder.path().join("2026-05-29.daicho");
        let count = || fs::read_dir(folder.path()).expect("a folder").count();
        let mut file = UnfinishedFile::create(&final_path, IN_SNAPSHOTS).expect("begun");
        file.file().write_all(b"half").expect("written");
        assert!(!final_path.exists() && file.path().exists());
        drop(file);
        assert_eq!(count(), 0, "nothing is left");
        let mut file = UnfinishedFile::create(&final_path, IN_SNAPSHOTS).expect("begun");
        file.file().write_all(b"whole").expect("written");
        assert_eq!(file.length().expect("known"), 5);
        file.finish().expect("renamed");
        assert_eq!(fs::read(&final_path).expect("there"), b"whole");
        assert_eq!(count(), 1);
        assert!(
            registered().iter().all(|path| !path.starts_with(folder.path())),
            "none is unfinished"
        );
        let nowhere = folder.path().join("nowhere/2026-05-29.daicho");
        assert!(UnfinishedFile::create(&nowhere, IN_SNAPSHOTS).is_err());
    }

    #[test]
    fn a_file_without_a_writer_is_left_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let final_path = folder.path().join("2026-05-29.daicho");
        let living = UnfinishedFile::create(&final_path, IN_SNAPSHOTS).expect("begun");
        let killed = folder.path().join(".unfinished-killed");
        fs::write(&killed, b"half").expect("written");
        for other in ["other", ".daicho-unfinished-x", "x.unfinished-"] {
            fs::write(folder.path().join(other), b"").expect("written");
        }
        fs::create_dir(folder.path().join(".unfinished-folder")).expect("made");
        assert_eq!(left_over(folder.path(), IN_SNAPSHOTS).expect("a folder"), [&*killed]);
        assert!(killed.exists(), "listing removes nothing");
        remove_left_over(folder.path(), IN_SNAPSHOTS).expect("a folder");
        assert!(!killed.exists() && living.path().exists());
        assert!(left_over(folder.path(), IN_SNAPSHOTS).expect("a folder").is_empty());
        assert_eq!(left_over(folder.path(), BESIDE_OUTPUT).expect("a folder").len(), 1);
        let nowhere = folder.path().join("nowhere");
        assert!(left_over(&nowhere, IN_SNAPSHOTS).expect("no folder").is_empty());
    }
}
