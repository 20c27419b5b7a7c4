//! Where the official files are: `../shared/data` beside the repository, or `data` in the folder that
//! `DAICHO_SHARED` names. They are too large for the repository, so tests over them may have to skip.

use std::path::{Path, PathBuf};

/// A file or folder of the official data; `None`, said aloud, where it is not there.
pub fn official(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("DAICHO_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data").join(name);
    if !path.exists() {
        eprintln!("skipped: the official files are not here ({})", path.display());
        return None;
    }
    Some(path)
}
