//! Which file it is, whatever its name: two names of one file, and a file that replaced another under its name.

use std::fs::{File, Metadata};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
#[cfg(windows)]
use std::os::windows::fs::MetadataExt;
use std::path::Path;

/// Device and inode; on Windows the serial number of the volume and the index of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity(u64, u64);

impl FileIdentity {
    /// Of what is at this path, behind links.
    pub fn at(path: &Path) -> io::Result<FileIdentity> {
        FileIdentity::of(path, &path.metadata()?)
    }

    /// As [`at`](Self::at), but of a link itself.
    pub fn of_name(path: &Path) -> io::Result<FileIdentity> {
        FileIdentity::of(path, &path.symlink_metadata()?)
    }

    /// Of the file at this path, whose metadata these are. Fails on Windows only, which opens the file for it.
    #[cfg(unix)]
    pub fn of(_path: &Path, metadata: &Metadata) -> io::Result<FileIdentity> {
        Ok(FileIdentity(metadata.dev(), metadata.ino()))
    }

    #[cfg(windows)]
    pub fn of(path: &Path, _metadata: &Metadata) -> io::Result<FileIdentity> {
        FileIdentity::of_handle(&winapi_util::Handle::from_path_any(path)?)
    }

    pub fn of_file(file: &File) -> io::Result<FileIdentity> {
        #[cfg(unix)]
        return file.metadata().map(|metadata| FileIdentity(metadata.dev(), metadata.ino()));
        #[cfg(windows)]
        return FileIdentity::of_handle(file);
    }

    #[cfg(windows)]
    fn of_handle(handle: impl winapi_util::AsHandleRef) -> io::Result<FileIdentity> {
        let found = winapi_util::file::information(handle)?;
        Ok(FileIdentity(found.volume_serial_number(), found.file_index()))
    }
}

/// Whether two paths lead to one file. A path that leads to none leads to no other's.
pub fn is_same_file(left: &Path, right: &Path) -> bool {
    let identities = (FileIdentity::at(left), FileIdentity::at(right));
    matches!(identities, (Ok(left), Ok(right)) if left == right)
}

/// What distinguishes a file from one that replaced it: its identity, which Windows does not tell without opening the
/// file; there it is the time of creation.
pub fn origin(metadata: &Metadata) -> (u64, u64) {
    #[cfg(unix)]
    return (metadata.dev(), metadata.ino());
    #[cfg(windows)]
    return (metadata.creation_time(), 0);
}

/// When the file was last changed, only to compare it with another: seconds and nanoseconds, on Windows hundreds of
/// nanoseconds and 0.
pub fn modified(metadata: &Metadata) -> (i64, i64) {
    #[cfg(unix)]
    return (metadata.mtime(), metadata.mtime_nsec());
    #[cfg(windows)]
    return (metadata.last_write_time().cast_signed(), 0);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_of_one_file_have_one_identity_and_a_new_file_has_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let identity = |name: &str| FileIdentity::at(&path(name)).expect("readable");
        fs::write(path("one"), "same").expect("written");
        fs::hard_link(path("one"), path("link")).expect("linked");
        fs::write(path("other"), "same").expect("written");
        assert_eq!(identity("one"), identity("link"));
        for (other, expected) in [("link", true), ("other", false), ("missing", false)] {
            assert_eq!(is_same_file(&path("one"), &path(other)), expected, "{other}");
        }
        assert!(!is_same_file(&path("missing"), &path("missing")));
        assert_ne!(identity("one"), identity("other"));
        let opened = File::open(path("one")).expect("there");
        assert_eq!(FileIdentity::of_file(&opened).expect("readable"), identity("one"));
        let metadata = |name: &str| fs::metadata(path(name)).expect("there");
        assert_eq!(origin(&metadata("one")), origin(&metadata("link")));
        assert_eq!(modified(&metadata("one")), modified(&metadata("link")));
    }
}
