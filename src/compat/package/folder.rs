//! The folder into which a package's files are written: under a temporary name beside its place until it is complete.
//!
//! A killed process leaves the temporary folder, whose name begins with `.daicho-unfinished-`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::system::permissions;

const PREFIX: &str = ".daicho-unfinished-";

#[derive(Debug)]
pub struct PackageFolder {
    unfinished: TempDir,
    place: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{path}: expected a new or an empty folder; found {found}; name another, or remove it first", path = .path.display())]
    Taken { path: PathBuf, found: &'static str },
    #[error("{path}: {error}", path = .path.display())]
    Io { path: PathBuf, error: io::Error },
}

impl PackageFolder {
    pub fn create(place: &Path) -> Result<PackageFolder, FolderError> {
        let failed = |error| FolderError::Io { path: place.to_owned(), error };
        let taken = |found| FolderError::Taken { path: place.to_owned(), found };
        match fs::read_dir(place) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(taken("files in it"));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(taken("a file"));
            }
            Err(error) => return Err(failed(error)),
        }
        let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        // As any new folder: according to the umask.
        let unfinished = permissions::temporary(PREFIX, 0o777).tempdir_in(parent);
        Ok(PackageFolder { unfinished: unfinished.map_err(failed)?, place: place.to_owned() })
    }

    /// The path of a file in it, which may lie in a folder of its own.
    pub fn path(&self, name: &str) -> PathBuf {
        self.unfinished.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        fs::write(self.path(name), bytes)
    }

    pub fn create_folder(&self, name: &str) -> io::Result<()> {
        fs::create_dir(self.path(name))
    }

    /// Moves the complete folder to its place.
    pub fn finish(self) -> Result<(), FolderError> {
        let failed = |error| FolderError::Io { path: self.place.clone(), error };
        // Replaces an empty folder.
        fs::rename(self.unfinished.path(), &self.place).map_err(failed)?;
        // Nothing is left to remove.
        let _ = self.unfinished.keep();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_when_it_is_complete() {
        let scratch = tempfile::tempdir().expect("a folder");
        let place = scratch.path().join("data");
        let names = || {
            let entries = fs::read_dir(scratch.path()).expect("read");
            entries.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
        };
        let folder = PackageFolder::create(&place).expect("new");
        folder.write("a", "1").expect("written");
        assert!(!place.exists());
        drop(folder);
        assert!(names().is_empty(), "an abandoned folder is removed");
        fs::create_dir(&place).expect("made");
        let folder = PackageFolder::create(&place).expect("an empty folder");
        folder.create_folder("inside").expect("made");
        folder.write("inside/a", "1").expect("written");
        folder.finish().expect("moved");
        assert_eq!(fs::read(place.join("inside/a")).expect("read"), b"1");
        assert_eq!(names(), ["data"]);
        for (path, expected) in [
            (place.clone(), "found files in it"),
            (place.join("inside/a"), "found a file"),
            (scratch.path().join("none/data"), "none/data: "),
        ] {
            let error = PackageFolder::create(&path).expect_err("taken").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
