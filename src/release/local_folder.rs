//! The local folder of a `file://` store, while an object is written to it.
//!
//! The library that writes creates folders that are missing. If the folder of the store is moved away between the check
//! and the write, the write makes it anew, with nothing but this object, and a server that follows it would find a store
//! without a release. So the folder is compared after the write, and one that the write made is removed.
//!
//! Does not notice a folder that is moved away and back during one write.

use std::fs;
use std::path::Path;

use super::error::ReleaseError;
use crate::system::identity::FileIdentity;

pub struct LocalFolder<'p> {
    path: &'p Path,
    identity: FileIdentity,
}

impl LocalFolder<'_> {
    pub fn open(path: &Path) -> Result<LocalFolder<'_>, ReleaseError> {
        match identity(path) {
            Some(identity) => Ok(LocalFolder { path, identity }),
            None => Err(ReleaseError::NoFolder { path: path.to_owned() }),
        }
    }

    /// Fails if the folder is not the one that was opened, and removes what the write of this object made in its place.
    pub fn check_after_write(&self, key: &str) -> Result<(), ReleaseError> {
        if identity(self.path) == Some(self.identity) {
            return Ok(());
        }
        let mut made = self.path.join(key);
        let mut removed = fs::remove_file(&made);
        // Removes a folder only if it is empty, so never what somebody else put there.
        while removed.is_ok() && made != self.path && made.pop() {
            removed = fs::remove_dir(&made);
        }
        Err(ReleaseError::NoFolder { path: self.path.to_owned() })
    }
}

/// What a folder keeps when it is renamed; `None` if the path is no folder.
fn identity(path: &Path) -> Option<FileIdentity> {
    let found = fs::metadata(path).ok().filter(|found| found.is_dir())?;
    FileIdentity::of(path, &found).ok()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn write(store: &Path, key: &str) -> PathBuf {
        let path = store.join(key);
        fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        fs::write(&path, "{}").expect("written");
        path
    }

    #[test]
    fn an_object_stays_in_the_folder_that_was_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let opened = LocalFolder::open(folder.path()).expect("a folder");
        let object = write(folder.path(), "nodes/a.json");
        opened.check_after_write("nodes/a.json").expect("the same folder");
        assert!(object.exists());
    }

    #[test]
    fn what_was_written_in_place_of_the_folder_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, away) = (folder.path().join("store"), folder.path().join("away"));
        fs::create_dir(&store).expect("created");
        write(&store, "current");
        let opened = LocalFolder::open(&store).expect("a folder");
        fs::rename(&store, &away).expect("renamed");

        write(&store, "nodes/a.json");
        let refused = opened.check_after_write("nodes/a.json").expect_err("another folder");
        assert!(matches!(refused, ReleaseError::NoFolder { .. }), "{refused}");
        assert!(!store.exists(), "the write made it");
        assert!(away.join("current").exists());

        // Another program's file is not removed.
        write(&store, "nodes/a.json");
        let other = write(&store, "nodes/b.json");
        opened.check_after_write("nodes/a.json").expect_err("another folder");
        assert!(other.exists() && !store.join("nodes/a.json").exists());
    }

    #[test]
    fn a_missing_folder_and_a_file_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), "").expect("written");
        for wrong in ["missing", "file"] {
            let refused = LocalFolder::open(&folder.path().join(wrong)).err().expect("refused");
            assert!(matches!(refused, ReleaseError::NoFolder { .. }), "{wrong}: {refused}");
        }
    }
}
