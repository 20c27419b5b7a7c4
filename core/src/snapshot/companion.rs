//! Companion files of a snapshot: its whole data for download, and the rejected rows of its build. And which old files
//! of a folder may go.
//!
//! `2026-06-30.kenall.json.xz` and `2026-06-30.rejects.txt` lie beside `2026-06-30.daicho`. They are never written in
//! place: a new file is renamed over the old one.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::files::{FileStamp, date_of_name, entries, if_exists};
use super::{
    layout::EXTENSION,
    map::OwnMemory,
    unfinished::{self, UnfinishedFile},
};
use crate::system::reading::{Links, open_regular, read_exact_at};

pub const DOWNLOAD_EXTENSION: &str = "kenall.json.xz";

pub const REJECTS_EXTENSION: &str = "rejects.txt";

/// The first and the last bytes of an .xz.
const XZ_START: [u8; 6] = *b"\xfd7zXZ\0";
const XZ_END: [u8; 2] = *b"YZ";

/// The path of this snapshot's download, whether or not it exists.
pub fn download_path(snapshot: &Path) -> PathBuf {
    snapshot.with_extension(DOWNLOAD_EXTENSION)
}

/// The path of the rejects of this snapshot's build. The file exists only if they were too many to list.
pub fn rejects_path(snapshot: &Path) -> PathBuf {
    snapshot.with_extension(REJECTS_EXTENSION)
}

/// The snapshot of a companion file; `None` if the name is not a companion's.
pub fn snapshot_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let without = |extension| name.strip_suffix(extension)?.strip_suffix('.');
    let stem = [DOWNLOAD_EXTENSION, REJECTS_EXTENSION].into_iter().find_map(without)?;
    Some(path.with_file_name(format!("{stem}.{EXTENSION}")))
}

pub fn prepare_download(
    snapshot: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<UnfinishedFile> {
    unfinished::prepare_whole(&download_path(snapshot), fill)
}

/// Removes the download, if any, of a snapshot that was replaced.
pub fn remove_download(snapshot: &Path) -> io::Result<()> {
    if_exists(fs::remove_file(download_path(snapshot))).map(|_removed| ())
}

/// The download of a snapshot, in memory: some megabytes.
#[derive(Debug, Clone)]
pub struct Download {
    pub bytes: Bytes,
    pub checksum: u32,
    path: PathBuf,
    stamp: FileStamp,
}

impl Download {
    /// Opens the download of a snapshot; `None` if there is none. `known` is reused if it is the same file, which saves
    /// computing the checksum. A link, or a file that is no .xz, is refused: everybody may read a download.
    pub fn open(snapshot: &Path, known: Option<Download>) -> io::Result<Option<Download>> {
        let path = download_path(snapshot);
        let opened = open_regular(&path, Links::Refused);
        let Some(file) = if_exists(opened)? else { return Ok(None) };
        let metadata = file.metadata()?;
        let stamp = FileStamp::from_metadata(&metadata);
        if let Some(known) = known.filter(|known| known.path == path && known.stamp == stamp) {
            return Ok(Some(known));
        }
        let length = usize::try_from(metadata.len()).map_err(io::Error::other)?;
        let bytes = OwnMemory::filled(length, |memory| read_exact_at(&file, memory, 0))?;
        let bytes = bytes.into_bytes();
        if !(bytes.starts_with(&XZ_START) && bytes.ends_with(&XZ_END)) {
            let message = "expected an .xz from its beginning to its end, found another file or a part; build the \
                           data again, or remove the file";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let checksum = crc32fast::hash(&bytes);
        Ok(Some(Download { bytes, checksum, path, stamp }))
    }
}

/// The files to remove if the newest `keep` versions stay. Files with other names are never removed.
pub fn old_files(snapshots: &Path, dataset: &str, keep: usize) -> io::Result<Vec<PathBuf>> {
    let entries = entries(&snapshots.join(dataset))?;
    let is_snapshot = |path: &&PathBuf| date_of_name(path, EXTENSION).is_some();
    let versions: Vec<&PathBuf> = entries.iter().filter(is_snapshot).collect();
    let old = versions.len().saturating_sub(keep);
    let mut files: Vec<PathBuf> = versions.into_iter().take(old).cloned().collect();
    let is_without_snapshot = |path: &&PathBuf| {
        let snapshot = snapshot_of(path);
        snapshot.is_some_and(|snapshot| files.contains(&snapshot) || !snapshot.exists())
    };
    let companions: Vec<PathBuf> = entries.iter().filter(is_without_snapshot).cloned().collect();
    files.extend(companions);
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &[u8] = b"\xfd7zXZ\0wholeYZ";
    const OTHER: &[u8] = b"\xfd7zXZ\0otherYZ";

    #[test]
    fn a_download_that_is_no_xz_or_a_link_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let snapshot = folder.path().join("2026-06-30.daicho");
        let opened = || {
            let opened = Download::open(&snapshot, None);
            opened.map(|download| download.is_some()).map_err(|error| error.to_string())
        };
        for bytes in [&b""[..], b"secret = 1\n", &WHOLE[..WHOLE.len() - 1], &WHOLE[1..]] {
            fs::write(download_path(&snapshot), bytes).expect("written");
            let message = opened().expect_err("no .xz");
            assert!(message.contains("expected an .xz") && message.contains("remove the file"));
        }
        fs::write(download_path(&snapshot), WHOLE).expect("written");
        assert_eq!(opened(), Ok(true));
        #[cfg(unix)]
        {
            fs::rename(download_path(&snapshot), folder.path().join("private")).expect("renamed");
            std::os::unix::fs::symlink("private", download_path(&snapshot)).expect("created");
            let message = opened().expect_err("a link");
            assert!(message.contains("expected a regular file, found a link"), "{message}");
        }
    }

    #[test]
    fn a_download_exists_complete_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let snapshot = folder.path().join("2026-06-30.daicho");
        let open = |known| Download::open(&snapshot, known).expect("readable");
        assert!(open(None).is_none());
        let write = |bytes: &[u8]| {
            let written = prepare_download(&snapshot, |out| out.write_all(bytes)).expect("written");
            let length = written.length().expect("known");
            written.finish().expect("renamed");
            length
        };
        let broken = prepare_download(&snapshot, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("a full disk"))
        });
        assert!(broken.is_err() && open(None).is_none());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left");
        let length = write(WHOLE);
        let first = open(None).expect("there");
        assert_eq!((length, &first.bytes[..]), (13, WHOLE));
        let again = open(Some(first.clone())).expect("there");
        assert_eq!(first.bytes.as_ptr(), again.bytes.as_ptr(), "mapped once");
        write(OTHER);
        let other = open(Some(first.clone())).expect("there");
        assert_eq!((&first.bytes[..], &other.bytes[..]), (WHOLE, OTHER));
        assert_ne!(first.checksum, other.checksum);
        remove_download(&snapshot).expect("removed");
        remove_download(&snapshot).expect("removing a missing file is not an error");
        assert!(open(None).is_none());
    }

    #[test]
    fn a_download_is_named_after_its_snapshot() {
        let snapshot = Path::new("s/postal/2026-06-30.daicho");
        let download = download_path(snapshot);
        assert_eq!(download, Path::new("s/postal/2026-06-30.kenall.json.xz"));
        assert_eq!(snapshot_of(&download).as_deref(), Some(snapshot));
        assert_eq!(snapshot_of(&rejects_path(snapshot)).as_deref(), Some(snapshot));
        for other in ["s/postal/2026-06-30.daicho", "kenall.json.xz", "s/x.json.xz", ""] {
            assert_eq!(snapshot_of(Path::new(other)), None, "{other}");
        }
    }
}

#[cfg(test)]
mod prune_tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_newest_versions_and_their_downloads_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let postal = folder.path().join("postal");
        let old = |keep| -> Vec<String> {
            let files = old_files(folder.path(), "postal", keep).expect("readable");
            let name =
                |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
            files.into_iter().filter_map(name).collect()
        };
        assert!(old(1).is_empty(), "no folder");
        fs::create_dir(&postal).expect("a folder");
        for name in [
            "2026-04-30.daicho",
            "2026-04-30.kenall.json.xz",
            "2026-05-29.daicho",
            "2026-06-30.daicho",
            "2026-06-30.kenall.json.xz",
            "2020-01-31.kenall.json.xz",
            "notes.daicho",
            "notes.txt",
        ] {
            fs::write(postal.join(name), "").expect("written");
        }
        let orphan = "2020-01-31.kenall.json.xz";
        assert_eq!(old(3), [orphan]);
        assert_eq!(old(2), ["2026-04-30.daicho", orphan, "2026-04-30.kenall.json.xz"]);
        assert_eq!(old(1).len(), 4);
    }
}
