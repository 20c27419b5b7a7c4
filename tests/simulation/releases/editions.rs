//! The data that publishers of a simulation push: versions of the stations, built once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use tempfile::TempDir;

use crate::dataset::updates;
use crate::simulation::scheduler::lock;
use crate::text::codes::DataVersion;
use crate::update::{AlternativeSource, Options};

/// How many editions publishers push.
pub const EDITIONS: usize = 6;

/// An edition that only a stranger pushes.
pub const FORGED: usize = EDITIONS;

pub fn version(edition: usize) -> DataVersion {
    let day = edition + 1;
    DataVersion::parse(&format!("2026-01-{day:02}")).expect("a date")
}

/// A folder in memory if there is one: nothing here needs to survive.
pub fn temporary_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let builder = &mut tempfile::Builder::new();
    let folder = builder.prefix("daicho-simulation-").tempdir_in(memory);
    folder.or_else(|_none| builder.tempdir()).expect("a folder")
}

/// The folder with the snapshots of all editions, which is removed with its last owner. The first call is outside of a
/// simulation.
pub fn folder() -> Arc<TempDir> {
    static FOLDER: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut shared = lock(&FOLDER);
    shared.upgrade().unwrap_or_else(|| {
        let built = Arc::new(build());
        *shared = Arc::downgrade(&built);
        built
    })
}

fn build() -> TempDir {
    let folder = temporary_folder();
    let (lists, snapshots) = (folder.path().join("lists"), folder.path().join("snapshots"));
    fs::create_dir(&lists).expect("a folder");
    super::signing::write_keys(folder.path());
    for edition in 0..=FORGED {
        let list = format!("1,駅{edition},線\n2,終点,線\n");
        let name = format!("stations-{}.csv", version(edition));
        fs::write(lists.join(name), list).expect("written");
        let options = Options {
            subjects: updates::named("station").into_iter().collect(),
            from: Some(AlternativeSource::Folder(lists.clone())),
            ..Options::new(&snapshots)
        };
        let reports = updates::run(&options, &()).expect("a folder");
        reports.into_iter().for_each(|report| drop(report.result.expect("built")));
    }
    folder
}

/// Puts these editions into a snapshot folder, in place of others.
pub fn put(first: usize, last: usize, snapshots: &Path) {
    let target = snapshots.join("station");
    if target.exists() {
        fs::remove_dir_all(&target).expect("a folder");
    }
    fs::create_dir_all(&target).expect("a folder");
    let built = folder();
    for edition in first..=last {
        let name = format!("{}.daicho", version(edition));
        let source: PathBuf = built.path().join("snapshots/station").join(&name);
        fs::hard_link(&source, target.join(name)).expect("a snapshot");
    }
}
