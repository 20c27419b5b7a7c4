//! The data that publishers of a simulation push: versions of the stations, built once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use clap::FromArgMatches;
use tempfile::TempDir;

use crate::cli::{self, Args};
use crate::simulation::scheduler::lock;
use crate::text::codes::DataVersion;

/// How many editions there are.
pub const EDITIONS: usize = 6;

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
    for edition in 0..EDITIONS {
        let list = format!("1,駅{edition},線\n2,終点,線\n");
        let name = format!("stations-{}.csv", version(edition));
        fs::write(lists.join(name), list).expect("written");
        let words = ["daicho", "update", "station", "--from"].map(str::to_owned);
        let last = [lists.display().to_string(), "--snapshots".to_owned()];
        let words = words.into_iter().chain(last).chain([snapshots.display().to_string()]);
        let matches = cli::command().try_get_matches_from(words).expect("an accepted line");
        let args = Args::from_arg_matches(&matches).expect("an accepted line");
        args.run(&mut Vec::new()).expect("built");
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
