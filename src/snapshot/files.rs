//! Files and folders as they are on the disk: whether they exist, their order, and whether a file is still the one
//! that was read.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The result of reading a file or folder; `None` if it does not exist.
pub fn if_exists<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// The paths in a folder, sorted; empty if there is no folder.
pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let listing = if_exists(fs::read_dir(folder))?;
    let paths = listing.into_iter().flatten().map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Distinguishes a file from one that replaced it under the same name, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    device: u64,
    inode: u64,
    length: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
}

impl FileStamp {
    pub fn from_metadata(metadata: &fs::Metadata) -> FileStamp {
        FileStamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}
