//! The snapshot of all corporations that the bench `corporate` keeps for other benches.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use daicho::dataset::corporate::CorporateData;
use daicho::snapshot::{Dataset, SnapshotFile};

use super::source::SeededRandom;

/// The path of the snapshot. Without the snapshot, prints that the bench skips and returns `None`.
pub fn path() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("bench/corporate/snapshots/corporate/2026-07-31.daicho");
    if !path.exists() {
        let path = path.display();
        println!("skipped: {path} is missing; `cargo bench --bench corporate` builds it");
        return None;
    }
    Some(path)
}

pub fn open(path: &Path) -> CorporateData {
    CorporateData::from_file(SnapshotFile::open(path).expect("built by the other bench"))
}

/// Links the snapshot into `folder/snapshots`, and reads it once, so that the disk is not measured.
pub fn link(path: &Path, folder: &Path) {
    let snapshots = folder.join("snapshots/corporate");
    fs::create_dir_all(&snapshots).expect("below the target folder");
    let link = snapshots.join(path.file_name().expect("a snapshot has a name"));
    fs::hard_link(path, link).expect("on the same disk");
    let mut file = File::open(path).expect("built by the other bench");
    io::copy(&mut file, &mut io::sink()).expect("it reads");
}

/// Paths of requests for random existing numbers.
pub fn look_ups(data: &CorporateData, count: usize) -> Vec<String> {
    let mut random = SeededRandom::new(13);
    let rows = data.counts().expect("sound").corporations;
    let path = |_| {
        let view = data.row(random.below(rows) as u32).expect("sound").expect("a row");
        format!("/v1/houjinbangou/{}", view.number())
    };
    (0..count).map(path).collect()
}
