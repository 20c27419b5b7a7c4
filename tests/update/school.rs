//! Updates of schools from the replica: all lists of the newest edition are built into one version; faults keep the
//! installed version. The data is the sample's.

use std::fs;

use build_tools::{Files, Kind};
use daicho::compile::Target;
use daicho::dataset::school;
use daicho::dataset::school::compile::SchoolSources;
use daicho::snapshot::Dataset;
use daicho::text::codes::DataVersion;

use crate::files::sample;
use crate::replica::{Answer, Replica, mext};
use crate::{SCHOOL, fails, nothing_new, published, updated};

fn schools(list: &str) -> Vec<u8> {
    sample(&format!("2026-08-25/20260825-mxt_chousa01-000011635_{list}.csv"))
}

/// A list with these rows of another, below its header.
fn rows(list: &[u8], rows: std::ops::Range<usize>) -> Vec<u8> {
    let text = String::from_utf8(list.to_vec()).expect("UTF-8");
    let (head, body) = text.split_at(text.find("\nA1").or(text.find("\nF1")).expect("rows") + 1);
    let body: Vec<&str> = body.split_inclusive('\n').collect();
    [head, &body[rows].concat()].concat().into_bytes()
}

#[test]
fn all_lists_of_the_newest_edition_are_built_into_one_version() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let east = schools("2-1");
    let may = [("2", rows(&east, 0..3)), ("4", rows(&east, 3..6)), ("6", schools("6"))];
    let august = [
        ("2-1", rows(&east, 0..2)),
        ("2-2", rows(&east, 2..3)),
        ("4", rows(&east, 3..6)),
        ("6", schools("6")),
    ];
    mext::publish(&replica, &[(20_260_529, &may)]);
    assert_eq!(published(&updated(folder.path(), &replica, SCHOOL)), "2026-05-29");
    nothing_new(&updated(folder.path(), &replica, SCHOOL));
    mext::publish(&replica, &[(20_260_825, &august), (20_260_529, &may)]);
    assert_eq!(published(&updated(folder.path(), &replica, SCHOOL)), "2026-08-25");
    assert_eq!(replica.count(&mext::path(20_260_529, "2")), 1, "each list once");
    mext::publish(&replica, &[(20_260_529, &may)]);
    nothing_new(&updated(folder.path(), &replica, SCHOOL));

    let by_hand = tempfile::tempdir().expect("a folder");
    let list = |(list, bytes): &(&str, Vec<u8>)| {
        let name = format!("20260825-mxt_chousa01-000011635_{list}.csv");
        Files::unpack(name, bytes.clone(), Kind::School).expect("a list")
    };
    let sources = SchoolSources { lists: august.iter().map(list).collect(), postal: None };
    let version = DataVersion::from_number(20_260_825).expect("a date");
    let target = Target::new(version, by_hand.path(), version);
    let report = school::compile::build(&target, &sources, &()).expect("sound lists");
    let bytes = fs::read(report.data.file().path()).expect("written");
    let snapshot = fs::read(folder.path().join("school/2026-08-25.daicho")).expect("published");
    assert!(snapshot == bytes, "same bytes as a build by hand");
}

#[test]
fn faults_keep_the_installed_version_and_say_what_to_do() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let east = schools("2-1");
    let lists = [("2", rows(&east, 0..3)), ("4", rows(&east, 3..6)), ("6", schools("6"))];
    mext::publish(&replica, &[(20_260_529, &lists)]);
    updated(folder.path(), &replica, SCHOOL);
    let check = |expected: &[&str]| {
        let error = fails(folder.path(), &replica, SCHOOL);
        for expected in expected {
            assert!(error.contains(expected), "{expected}: {error}");
        }
        let names = fs::read_dir(folder.path().join("school")).expect("published").flatten();
        let names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["2026-05-29.daicho"]);
    };
    let past = (20_260_529, &lists[..]);
    mext::publish(&replica, &[(20_260_825, &lists[..2]), past]);
    check(&["mext_01087.html: expected the list _6 of 2026-08-25", "check it in a browser"]);
    mext::publish(&replica, &[past, (20_260_825, &lists)]);
    check(&["no list newer than 2026-05-29 among the past lists", "found one of 2026-08-25"]);
    replica.get(mext::PAGE, Answer::html("<!DOCTYPE html><title>404</title>"));
    check(&["mext_01087.html: expected links such as"]);

    mext::publish(&replica, &[(20_260_825, &lists), past]);
    let list = mext::path(20_260_825, "4");
    replica.get(&list, Answer::status(404));
    check(&["_4.csv: expected status 200, found 404"]);
    replica.get(&list, Answer::html("<!DOCTYPE html><title>文部科学省</title>"));
    check(&["_4.csv: expected ", "found an HTML page with the title 「文部科学省」"]);
    replica.get(&list, Answer::file(&rows(&east, 3..4)));
    check(&["_4.csv: expected ", "found ", "accept it with --force"]);
    replica.get(&list, Answer::file(&lists[1].1[..lists[1].1.len() - 30]));
    check(&["_4.csv"]);
    mext::publish(&replica, &[(20_260_825, &lists), past]);
    assert_eq!(published(&updated(folder.path(), &replica, SCHOOL)), "2026-08-25");
}
