//! Files and folders as they are on the disk: whether they exist, their order, the dates in their names, and whether
//! a file is still the one that was read.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::text::codes::DataVersion;

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

/// The date in a file name of the form `YYYY-MM-DD.EXTENSION`; an empty extension stands for a name that is only a date.
pub fn date_of_name(path: &Path, extension: &str) -> Option<DataVersion> {
    let name = path.file_name()?.to_str()?;
    let date = match extension {
        "" => name,
        extension => name.strip_suffix(extension)?.strip_suffix('.')?,
    };
    DataVersion::parse(date).ok()
}

/// The paths in a folder whose names are dates with this extension, oldest first; empty if there is no folder. Other
/// names are skipped.
pub fn dated_entries(folder: &Path, extension: &str) -> io::Result<Vec<(DataVersion, PathBuf)>> {
    let dated = |path: PathBuf| Some((date_of_name(&path, extension)?, path));
    Ok(entries(folder)?.into_iter().filter_map(dated).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_date_with_exactly_the_extension_is_dated() {
        let date = Some(20_260_529);
        for (name, extension, expected) in [
            ("2026-05-29.txt", "txt", date),
            ("2026-05-29", "", date),
            ("2026-05-29.txt", "", None),
            ("2026-05-29", "txt", None),
            ("2026-05-29txt", "txt", None),
            ("2026-05-29.old.txt", "txt", None),
            ("2026-05-29.txt.part", "txt", None),
            ("2026-05-32.txt", "txt", None),
            (".txt", "txt", None),
        ] {
            let found = date_of_name(Path::new(name), extension).map(DataVersion::number);
            assert_eq!(found, expected, "{name} {extension}");
        }
    }
}
