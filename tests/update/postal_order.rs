//! The order of suggestions in updated postal data: by the corporations of the folder's newest valid corporate snapshot
//! of all prefectures; without one, by the number of records. The data is the sample's.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use daicho::compile::Progress;
use daicho::dataset::postal::PostalData;
use daicho::dataset::postal::suggest::SuggestQuery;
use daicho::snapshot::Dataset;
use daicho::update::{Event, Observer, Outcome, Report, Subject};

use crate::files::{sample_june, sample_may};
use crate::postal::built_by_hand;
use crate::replica::{Replica, abr, japanpost};
use crate::sample::sample;
use crate::{POSTAL, options, published};

/// Records the steps of an update.
#[derive(Default)]
struct Notes(RefCell<Vec<String>>);

impl Progress for Notes {
    fn step(&self, _name: &str) {}
    fn advance(&self, _done: u64, _total: u64) {}
}

impl Observer for Notes {
    fn notify(&self, _subject: Subject, event: Event<'_>) {
        if let Event::Step(text) = event {
            self.0.borrow_mut().push(text.to_owned());
        }
    }
}

struct World {
    replica: Replica,
    folder: tempfile::TempDir,
    notes: Notes,
}

impl World {
    /// The sites with the sample's May; an empty folder of snapshots.
    fn in_may() -> World {
        let replica = Replica::start();
        abr::refuse(&replica);
        japanpost::publish(&replica, &sample_may());
        World { replica, folder: tempfile::tempdir().expect("a folder"), notes: Notes::default() }
    }

    fn snapshots(&self) -> PathBuf {
        self.folder.path().join("snapshots")
    }

    /// The place of a corporate snapshot.
    fn corporate(&self, version: &str) -> PathBuf {
        let folder = self.snapshots().join("corporate");
        fs::create_dir_all(&folder).expect("a folder");
        folder.join(format!("{version}.daicho"))
    }

    /// Copies a corporate snapshot of the sample into the folder.
    fn install(&self, version: &str) -> PathBuf {
        let place = self.corporate(version);
        let from = sample().join(format!("corporate/{version}.daicho"));
        fs::copy(from, &place).expect("copied");
        place
    }

    fn update(&self) -> Report {
        let options = options(&self.snapshots(), &self.replica, &[POSTAL]);
        let mut reports =
            daicho::dataset::updates::run(&options, &self.notes).expect("no other update runs");
        reports.remove(0)
    }

    /// Runs an update, which must publish this version whatever the corporations are. Returns its data, the warnings
    /// about corporations, and the summary of the version.
    #[track_caller]
    fn publishes(&self, version: &str) -> (PostalData, Vec<String>, String) {
        let Report { result, warnings, .. } = self.update();
        let outcome = result.expect("postal data is published in any case");
        assert_eq!(published(&outcome), version);
        let Outcome::Updated { path, summary, .. } = outcome else { unreachable!("published") };
        let file = PostalData::open_in_catalog(&path).expect("a snapshot");
        let about = |warning: &String| warning.contains("corporat");
        (PostalData::from_file(file), warnings.into_iter().filter(about).collect(), summary)
    }
}

/// The corporate snapshot among the sources of a version.
fn source(data: &PostalData) -> Option<String> {
    let provenance = data.provenance().expect("sound");
    let mut roles = provenance.root().sources.iter().map(|source| source.role.to_string());
    roles.find(|role| role.starts_with("corporate"))
}

/// The first suggestion for Iwate after the prefecture itself: a municipality.
fn first_city(data: &PostalData) -> String {
    let found = data.suggest(SuggestQuery { q: "岩手県", limit: 10, near: None }).expect("sound");
    found[1].text.to_string()
}

/// Damages the snapshot at a path.
type Damage = fn(&Path);

fn damage(place: &Path, at: usize) {
    let mut bytes = fs::read(place).expect("a snapshot");
    bytes[at] ^= 1;
    fs::write(place, bytes).expect("written");
}

#[test]
fn suggestions_are_ordered_by_the_newest_corporations_of_the_folder() {
    let world = World::in_may();
    world.install("2026-07-31");
    world.install("2026-08-03");
    let (may, warnings, summary) = world.publishes("2026-05-29");
    assert_eq!(source(&may).as_deref(), Some("corporate 2026-08-03"));
    assert_eq!(warnings, [""; 0]);
    let notes = "; suggestions ordered by the corporations of 2026-08-03";
    assert!(summary.ends_with(notes), "{summary}");

    let kept = |name: &str| world.snapshots().join("sources/postal/2026-05-29").join(name);
    let files = [("--area", &*kept("utf_ken_all.zip")), ("--business", &*kept("jigyosyo.zip"))];
    let corporate = world.corporate("2026-08-03");
    let weighed = [&files[..], &[("--corporate", &*corporate)]].concat();
    let by_hand = tempfile::tempdir().expect("a folder");
    let bytes = built_by_hand(by_hand.path(), "2026-05-29", &weighed);
    assert!(fs::read(may.file().path()).expect("published") == bytes, "the same bytes");

    let by_records = World::in_may();
    let (may_by_records, _, summary) = by_records.publishes("2026-05-29");
    assert_eq!(source(&may_by_records), None);
    assert!(summary.ends_with("abolished"), "{summary}");
    assert_eq!(first_city(&may_by_records), "岩手県和賀郡西和賀町", "by records: it has 15");
    assert_eq!(first_city(&may), "岩手県宮古市", "by corporations");
}

#[test]
fn missing_corporations_give_a_warning() {
    let world = World::in_may();
    world.install("2026-08-03");
    world.publishes("2026-05-29");
    fs::remove_dir_all(world.snapshots().join("corporate")).expect("removed");
    japanpost::publish(&world.replica, &sample_june());
    let (june, warnings, _) = world.publishes("2026-06-30");
    assert_eq!(source(&june), None);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("version 2026-05-29 orders suggestions"), "{warnings:?}");
}

#[test]
fn an_unusable_snapshot_is_reported_and_the_previous_one_is_used() {
    let damages: [(&str, Damage); 6] = [
        ("in its header", |place| damage(place, 9)),
        ("in its data", |place| {
            damage(place, fs::metadata(place).expect("there").len() as usize / 2);
        }),
        ("cut", |place| {
            let bytes = fs::read(place).expect("a snapshot");
            fs::write(place, &bytes[..bytes.len() / 2]).expect("written");
        }),
        ("empty", |place| fs::write(place, "").expect("written")),
        ("of postal data", |place| {
            fs::copy(sample().join("postal/2026-06-30.daicho"), place).expect("copied");
        }),
        ("a folder", |place| {
            fs::remove_file(place).expect("removed");
            fs::create_dir(place).expect("made");
        }),
    ];
    for (how, damage) in damages {
        let world = World::in_may();
        world.install("2026-07-31");
        damage(&world.install("2026-08-03"));
        let (may, warnings, _) = world.publishes("2026-05-29");
        assert_eq!(source(&may).as_deref(), Some("corporate 2026-07-31"), "{how}");
        assert_eq!(warnings.len(), 1, "{how}: {warnings:?}");
        assert!(warnings[0].contains("corporate/2026-08-03.daicho: "), "{how}: {warnings:?}");
    }
}

#[test]
fn without_a_valid_snapshot_suggestions_are_ordered_by_records() {
    let world = World::in_may();
    damage(&world.install("2026-08-03"), 9);
    let (may, warnings, summary) = world.publishes("2026-05-29");
    assert_eq!(source(&may), None);
    assert!(warnings[0].contains("corporate/2026-08-03.daicho: "), "{warnings:?}");
    assert!(!summary.contains("suggestions"), "{summary}");

    let world = World::in_may();
    fs::create_dir_all(world.snapshots()).expect("a folder");
    fs::write(world.snapshots().join("corporate"), "no folder").expect("written");
    let (may, warnings, _) = world.publishes("2026-05-29");
    assert_eq!(source(&may), None);
    assert!(warnings[0].contains("snapshots/corporate: "), "{warnings:?}");
}

#[test]
fn corporations_of_some_prefectures_only_are_not_used() {
    let world = World::in_may();
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    let full = "build-tools/sample/2026-07-31/00_zenkoku_all_20260731.csv";
    command.args(["build", "corporate", "--version", "2026-07-31", "--prefecture", "13"]);
    command.args(["--full", full, "--out"]).arg(world.snapshots());
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (may, warnings, _) = world.publishes("2026-05-29");
    assert_eq!((source(&may), warnings.len()), (None, 0), "{warnings:?}");
    let notes = world.notes.0.borrow().join("\n");
    assert!(notes.contains("2026-07-31.daicho: it has only the corporations of some"), "{notes}");
}
