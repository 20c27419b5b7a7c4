//! Snapshots of the sample data that are part of the program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the sample's snapshots. The first call of a process builds it with `daicho build sample`.
pub fn sample() -> &'static Path {
    static SAMPLE: OnceLock<PathBuf> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample");
        let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["build", "sample", "--out"])
            .arg(&folder)
            .output()
            .expect("the program runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        folder
    })
}
