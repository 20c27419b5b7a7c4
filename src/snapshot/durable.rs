//! Files that are in place whole and synced, or not at all: written beside it, then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Prefix of unfinished files. Nobody serves them; `daicho snapshot prune` removes them.
pub const TEMPORARY_PREFIX: &str = ".unfinished-";

/// An empty file, readable by all: builder and server may run as different users.
pub fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let permissions: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    tempfile::Builder::new().prefix(TEMPORARY_PREFIX).permissions(permissions).tempfile_in(folder)
}

/// Puts a file that was written and synced into its place, and syncs the folder.
pub fn rename(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map_err(|refused| refused.error)?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

/// What was read of a file or folder; `None` where it does not exist.
pub fn if_there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// Writes a file in the place of one that may be there, and makes its folder. Gives its length.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = unfinished(folder)?;
    let mut out = BufWriter::with_capacity(1 << 16, file.as_file_mut());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    file.as_file().sync_all()?;
    let length = file.as_file().metadata()?.len();
    rename(file, path)?;
    Ok(length)
}
