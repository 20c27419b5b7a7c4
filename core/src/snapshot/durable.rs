//! Durable writes: a file is complete and synced, or does not exist.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::unfinished::{IN_SNAPSHOTS, UnfinishedFile};

/// Writes and syncs an unfinished file beside this path, and creates the folder.
pub fn prepare(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<UnfinishedFile> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut file = UnfinishedFile::create(path, IN_SNAPSHOTS)?;
    let mut out = BufWriter::with_capacity(1 << 16, file.file());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    file.file().sync_all()?;
    Ok(file)
}

/// Writes a file, replacing an existing one, and creates the folder. Returns its length.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let file = prepare(path, fill)?;
    let length = file.length()?;
    file.finish()?;
    Ok(length)
}
