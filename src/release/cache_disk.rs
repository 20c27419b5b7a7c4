//! The changes of a cache on its disk, each with an error that names the path. In a simulation (tests/simulation) a change
//! can fail, as on a full disk, and the machine can crash before it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::ReleaseError;
#[cfg(test)]
use crate::simulated::{self, DiskStep};
use crate::snapshot::files::if_exists;
use crate::snapshot::unfinished;
use crate::system::disk;

pub fn create_folders(path: &Path) -> Result<(), ReleaseError> {
    write(path, || fs::create_dir_all(path))
}

/// Returns whether the folder is new.
pub fn create_folder(path: &Path) -> Result<bool, ReleaseError> {
    write(path, || match fs::create_dir(path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        created => created.map(|()| true),
    })
}

/// Makes `link` another name of a file.
pub fn hard_link(file: &Path, link: &Path) -> Result<(), ReleaseError> {
    write(link, || fs::hard_link(file, link))
}

/// Creates a symbolic link to a folder, in place of another one.
pub fn replace_link(target: &Path, link: &Path) -> Result<(), ReleaseError> {
    write(link, || {
        if_exists(fs::remove_file(link))?;
        disk::link_folder(target, link)
    })
}

pub fn rename(from: &Path, to: &Path) -> Result<(), ReleaseError> {
    change(to, || fs::rename(from, to))
}

/// Removes a file if it exists.
pub fn remove_file(path: &Path) -> Result<(), ReleaseError> {
    change(path, || if_exists(fs::remove_file(path)).map(|_removed| ()))
}

pub fn remove_folder(path: &Path) -> Result<(), ReleaseError> {
    change(path, || fs::remove_dir_all(path))
}

/// Writes a file as a whole and durably, in place of another one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ReleaseError> {
    write(path, || {
        unfinished::write_whole(path, |out| out.write_all(bytes))?;
        #[cfg(test)]
        simulated::disk(DiskStep::SyncedFile(path))?;
        #[cfg(test)]
        simulated::disk(DiskStep::SyncedFolder(path.parent().unwrap_or(path)))?;
        Ok(())
    })
}

pub fn append(file: &mut File, path: &Path, bytes: &[u8]) -> Result<(), ReleaseError> {
    write(path, || file.write_all(bytes))
}

/// Writes the content of a file to the disk, so that a power failure does not undo it.
pub fn sync_file(file: &File, path: &Path) -> Result<(), ReleaseError> {
    change(path, || file.sync_all())?;
    #[cfg(test)]
    simulated::disk(DiskStep::SyncedFile(path)).map_err(|cause| ReleaseError::io(path, cause))?;
    Ok(())
}

/// The same for the names in a folder.
pub fn sync_folder(path: &Path) -> Result<(), ReleaseError> {
    change(path, || disk::sync_folder(path))?;
    #[cfg(test)]
    simulated::disk(DiskStep::SyncedFolder(path)).map_err(|cause| ReleaseError::io(path, cause))?;
    Ok(())
}

/// A change that needs no space.
fn change<T>(path: &Path, run: impl FnOnce() -> io::Result<T>) -> Result<T, ReleaseError> {
    #[cfg(test)]
    simulated::disk(DiskStep::Change(path)).map_err(|cause| ReleaseError::io(path, cause))?;
    run().map_err(|cause| ReleaseError::io(path, cause))
}

fn write<T>(path: &Path, run: impl FnOnce() -> io::Result<T>) -> Result<T, ReleaseError> {
    #[cfg(test)]
    simulated::disk(DiskStep::Write(path)).map_err(|cause| ReleaseError::io(path, cause))?;
    run().map_err(|cause| ReleaseError::io(path, cause))
}
