//! Folders, free space, and locks on files that are being written.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::Path;

#[cfg(any(test, feature = "test-support"))]
use super::disk_steps::{self, DiskStep};

/// Writes the names of a folder to the disk, so that a power failure does not undo a rename. Windows has no call for it:
/// its file system keeps a journal of names.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(any(test, feature = "test-support"))]
    disk_steps::step(DiskStep::SyncedFolder(folder))?;
    let _ = folder;
    Ok(())
}

/// Creates a folder and those above it that are missing, so that a power failure does not undo that.
pub fn create_folders(folder: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    fs::create_dir_all(folder)?;
    for created in missing.into_iter().rev() {
        let above = created.parent().filter(|above| !above.as_os_str().is_empty());
        sync_folder(above.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// Marks an open file as being written, until it is closed. A file system without locks cannot, which is no error.
/// Windows does not: its lock would keep this process from reading the file through a second handle.
pub fn claim(file: &File) {
    #[cfg(unix)]
    let _ = file.lock();
    #[cfg(windows)]
    let _ = file;
}

/// Opens and locks a file that no process has claimed; `None` if one has, or if the file cannot be opened or locked. On
/// Windows always `None`: nobody knows there whether a file is still being written.
pub fn claim_unclaimed(path: &Path) -> Option<File> {
    #[cfg(unix)]
    {
        let file = File::open(path).ok()?;
        file.try_lock().ok()?;
        Some(file)
    }
    #[cfg(windows)]
    return {
        let _ = path;
        None
    };
}

/// The bytes of an absolute path as a URI has them, before they are escaped: on Windows with `/` between folders and
/// before the letter of the drive.
pub fn uri_path(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(unix) { bytes.into() } else { uri_path_of_drive(bytes).into() }
}

fn uri_path_of_drive(path: &[u8]) -> Vec<u8> {
    let bytes = path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte });
    std::iter::once(b'/').chain(bytes).collect()
}

/// What is left on the disk of a folder for this user.
#[derive(Debug, Clone, Copy)]
pub struct FreeSpace {
    pub bytes: u64,
    /// Whether no further file can be created, whatever its size. Windows has no such limit.
    pub is_out_of_files: bool,
}

#[cfg(unix)]
pub fn free_space(folder: &Path) -> io::Result<FreeSpace> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(FreeSpace {
        bytes: found.f_bavail.saturating_mul(found.f_frsize),
        is_out_of_files: found.f_files > 0 && found.f_favail == 0,
    })
}

#[cfg(windows)]
pub fn free_space(folder: &Path) -> io::Result<FreeSpace> {
    Ok(FreeSpace { bytes: fs4::available_space(folder)?, is_out_of_files: false })
}

/// Whether a link can be replaced by another without a moment in between. Windows cannot, and an ordinary user may not
/// create links there.
pub const HAS_LINKS: bool = cfg!(unix);

/// Creates a symbolic link to a folder. Callers ask [`HAS_LINKS`] before.
pub fn link_folder(target: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(windows)]
    return std::os::windows::fs::symlink_dir(target, link);
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_claimed_file_is_claimed_by_nobody_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "").expect("written");
        let writer = File::options().write(true).open(&path).expect("there");
        claim(&writer);
        assert!(claim_unclaimed(&path).is_none());
        drop(writer);
        assert!(claim_unclaimed(&path).is_some());
        assert!(claim_unclaimed(&folder.path().join("none")).is_none());
    }

    #[test]
    fn folders_are_created_with_those_above_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("one/two");
        for _ in 0..2 {
            create_folders(&path).expect("created, or there");
            assert!(path.is_dir());
        }
        fs::write(folder.path().join("file"), "").expect("written");
        assert!(create_folders(&folder.path().join("file/one")).is_err());
    }

    #[test]
    fn a_uri_has_the_path_with_slashes() {
        assert_eq!(*uri_path(Path::new("/state/daicho.db")), *b"/state/daicho.db");
        assert_eq!(uri_path_of_drive(br"C:\state\daicho.db"), b"/C:/state/daicho.db");
    }

    #[test]
    fn a_folder_has_free_space_and_can_be_synced_and_linked() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(free_space(folder.path()).expect("a folder").bytes > 0);
        sync_folder(folder.path()).expect("a folder");
        let none = folder.path().join("none");
        assert!(free_space(&none).is_err() && sync_folder(&none).is_err());
        let link = folder.path().join("link");
        link_folder(Path::new("target"), &link).expect("created");
        assert_eq!(fs::read_link(&link).expect("a link"), Path::new("target"));
    }
}
