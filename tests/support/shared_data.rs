//! Finds the official files: in `../shared/data` beside the repository, or in `data` below the
//! folder that `DAICHO_SHARED` names. They are too large for the repository; tests that need them
//! skip if they are missing.

use std::path::{Path, PathBuf};

/// A file or folder of the official data. If it is missing, prints that the test skips and returns
/// `None`.
pub fn official(name: &str) -> Option<PathBuf> {
    // The packages of the repository share the Cargo.lock at its root.
    let is_root = |folder: &&Path| folder.join("Cargo.lock").exists();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = package.ancestors().find(is_root).unwrap_or(package).join("../shared");
    let shared = std::env::var_os("DAICHO_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data").join(name);
    if !path.exists() {
        eprintln!(
            "skipped: no official file at {}; set DAICHO_SHARED to the folder that has data/",
            path.display()
        );
        return None;
    }
    Some(path)
}
