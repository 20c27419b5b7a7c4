//! Updates of banks from the replica: the newest tagged archive is fetched and built; faults of the archive keep the
//! installed version. One test uses official editions.

use std::fs;
use std::path::Path;

use build_tools::{Files, Kind};
use daicho::compile::Target;
use daicho::dataset::bank;
use daicho::snapshot::Dataset;
use daicho::text::codes::DataVersion;
use daicho::update::Options;

use crate::files::{self, sample};
use crate::replica::{Answer, Fault, Replica, zengin};
use crate::{BANK, fails, nothing_new, options, published, updated};

pub const BRANCHES: [&str; 10] =
    ["0001", "0002", "0003", "0901", "1901", "2901", "2991", "3901", "9491", "9991"];

/// The sample's tree, with the branch files of the first institutions only.
pub fn tree(branches: usize) -> Vec<(String, Vec<u8>)> {
    let names = BRANCHES[..branches].iter().map(|code| format!("branches/{code}.json"));
    let names = std::iter::once("banks.json".to_owned()).chain(names);
    names.map(|name| (name.clone(), sample(&format!("2025-06-10/{name}")))).collect()
}

/// Publishes the sample at the replica as the edition of a date.
fn publish(replica: &Replica, date: &str) {
    zengin::publish(replica, date, &zengin::packed(date, &tree(BRANCHES.len())));
}

fn snapshot(folder: &Path, date: &str) -> Vec<u8> {
    fs::read(folder.join(format!("bank/{date}.daicho"))).expect("a snapshot")
}

fn by_hand(folder: &Path, date: &str, files: &Files) -> Vec<u8> {
    let version = DataVersion::parse(date).expect("a date");
    let target = Target::new(version, folder, version);
    let report = bank::compile::build(&target, files, &()).expect("a sound tree");
    fs::read(report.data.file().path()).expect("written")
}

#[test]
fn a_newer_edition_is_fetched_once() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    publish(&replica, "2026-05-24");
    assert_eq!(published(&updated(folder.path(), &replica, BANK)), "2026-05-24");
    nothing_new(&updated(folder.path(), &replica, BANK));
    assert_eq!(replica.count(&zengin::archive("2026-05-24")), 1);
    publish(&replica, "2026-05-25");
    assert_eq!(published(&updated(folder.path(), &replica, BANK)), "2026-05-25");
    publish(&replica, "2026-05-24");
    nothing_new(&updated(folder.path(), &replica, BANK));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let files = tree(BRANCHES.len());
    let members = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let files = Files::from_members("sample", Kind::Bank, members);
    let bytes = by_hand(elsewhere.path(), "2026-05-25", &files);
    assert!(snapshot(folder.path(), "2026-05-25") == bytes, "same bytes as a build by hand");
}

#[needs::official_data]
#[test]
fn updates_of_official_editions_equal_builds_by_hand() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let elsewhere = tempfile::tempdir().expect("a folder");
    for date in ["2026-05-24", "2026-05-25"] {
        let tar = files::official(&format!("bank/{date}/zengin-code-{date}.tar.zst"));
        zengin::publish(&replica, date, &tar);
        assert_eq!(published(&updated(folder.path(), &replica, BANK)), date);
        let files = Files::unpack("tree", tar, Kind::Bank).expect("an official tree");
        let bytes = by_hand(elsewhere.path(), date, &files);
        assert!(snapshot(folder.path(), date) == bytes, "{date}: same bytes as a build by hand");
    }
}

#[test]
fn an_edition_older_than_sixty_days_gives_a_warning() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    publish(&replica, "2026-03-31");
    for (today, warned) in [("2026-05-30", false), ("2026-05-31", true)] {
        let today = Some(today.parse().expect("a date"));
        let options = Options { today, ..options(folder.path(), &replica, &[BANK]) };
        let reports = daicho::dataset::updates::run(&options, &()).expect("the folder is free");
        assert!(reports[0].result.is_ok());
        let warnings = &reports[0].warnings;
        let found = warnings.iter().any(|text| text.contains("of 2026-03-31, 61 days ago"));
        assert_eq!(found, warned, "{warnings:?}");
    }
}

#[test]
fn faults_keep_the_installed_version_and_say_what_to_do() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    publish(&replica, "2026-05-24");
    updated(folder.path(), &replica, BANK);
    let before = snapshot(folder.path(), "2026-05-24");
    let check = |expected: &[&str]| {
        let error = fails(folder.path(), &replica, BANK);
        for expected in expected {
            assert!(error.contains(expected), "{expected}: {error}");
        }
        assert!(!folder.path().join("bank/2026-05-25.daicho").exists());
        assert!(snapshot(folder.path(), "2026-05-24") == before);
    };
    replica.get(zengin::UPDATED_AT, Answer::html("<!DOCTYPE html><title>Unicorn!</title>"));
    check(&["updated_at: expected updated_at, found an HTML page with the title 「Unicorn!」"]);
    replica.get(zengin::UPDATED_AT, Answer::file(b"2026-05-25"));
    check(&["updated_at: expected a date of eight digits", "found \"2026-05-25\"", "--sources"]);
    replica.get(zengin::UPDATED_AT, Answer::status(503));
    check(&["expected status 200, found 503", "try again later"]);

    publish(&replica, "2026-05-25");
    let archive = zengin::archive("2026-05-25");
    replica.get(&archive, Answer::status(404));
    check(&["tags/2026-05-25: expected status 200, found 404"]);
    replica.get(&archive, Answer::file(b"PK\x03\x04").header("content-disposition", NAME));
    check(&["expected a tar.gz, found a file that begins with 50 4b 03 04"]);
    replica
        .get(&archive, Answer::file(b"x").header("content-disposition", &NAME.replace("25", "24")));
    check(&["expected source-data-2026-05-25.tar.gz, found source-data-2026-05-24.tar.gz"]);
    let fewer = zengin::packed("2026-05-25", &tree(BRANCHES.len() - 4));
    zengin::publish(&replica, "2026-05-25", &fewer);
    check(&["since the edition of 2026-05-24 had", "accept it with --force"]);
    let cut = Answer::file(&vec![0x1f; 1_000]).without("etag").fault(Fault::Cut(10));
    replica.get(&archive, cut.header("content-disposition", NAME));
    check(&["tags/2026-05-25: expected a response, found the end after 10 bytes"]);
    publish(&replica, "2026-05-25");
    assert_eq!(published(&updated(folder.path(), &replica, BANK)), "2026-05-25");
}

const NAME: &str = "attachment; filename=source-data-2026-05-25.tar.gz";
