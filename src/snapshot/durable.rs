//! Whole files that are written at once: synced and in place, or not there at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::unfinished::{IN_SNAPSHOTS, Unfinished};

pub use super::presence::if_there;

/// Writes a file beside its place, and makes its folder.
pub fn prepare(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Unfinished> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut file = Unfinished::begin(path, IN_SNAPSHOTS)?;
    let mut out = BufWriter::with_capacity(1 << 16, file.file());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    file.file().sync_all()?;
    Ok(file)
}

/// Writes a file in the place of one that may be there, and makes its folder. Gives its length.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let file = prepare(path, fill)?;
    let length = file.length()?;
    file.finish()?;
    Ok(length)
}
