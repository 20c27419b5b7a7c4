//! The identity of a file, which shows whether it is still the one that was read.

use std::{fs::Metadata, os::unix::fs::MetadataExt};

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
    pub fn from_metadata(metadata: &Metadata) -> FileStamp {
        FileStamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}
