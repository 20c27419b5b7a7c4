//! Finds the official files: in `../shared/data` beside the repository, or in `data` below the folder that
//! `DAICHO_SHARED` names. They are too large for the repository; tests that need them are marked with
//! `#[needs::official_data]`.

use std::path::{Path, PathBuf};

/// Where a file or folder of the official data is, if this machine has it.
pub fn place(name: &str) -> PathBuf {
    // The packages of the repository share the Cargo.lock at its root.
    let is_root = |folder: &&Path| folder.join("Cargo.lock").exists();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = package.ancestors().find(is_root).unwrap_or(package).join("../shared");
    let shared = std::env::var_os("DAICHO_SHARED").map_or(beside, PathBuf::from);
    shared.join("data").join(name)
}

/// A file or folder of the official data. Panics if it is missing.
#[allow(dead_code, reason = "benches do without the files")]
pub fn official(name: &str) -> PathBuf {
    let path = place(name);
    assert!(
        path.exists(),
        "expected an official file at {}, found none; complete the data, or set DAICHO_SHARED to the folder that has \
         data/",
        path.display()
    );
    path
}
