//! Updates of postal codes over several months: editions, town master, redirects, kept versions and coordinates. One
//! test uses official months.

use std::fs;
use std::path::Path;
use std::process::Command;

use daicho::dataset::postal::PostalData;
use daicho::snapshot::Dataset;
use daicho::update::Outcome;

use crate::files::{self, sample_june, sample_may, sample_towns};
use crate::replica::japanpost::{Month, path};
use crate::replica::{Answer, Replica, abr, japanpost};
use crate::{POSTAL, nothing_new, options, published, update, updated};

/// Builds the snapshot that an update should have built with `daicho build`, from the raw files that it kept.
pub fn built_by_hand(out: &Path, version: &str, files: &[(&str, &Path)]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args(["build", "postal", "--version", version, "--out"]).arg(out);
    for (option, path) in files {
        command.arg(option).arg(path);
    }
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(out.join(format!("postal/{version}.daicho"))).expect("built")
}

#[test]
fn updates_of_two_months_equal_builds_by_hand() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let snapshots = folder.path().join("snapshots");
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    assert_eq!(published(&updated(&snapshots, &replica, POSTAL)), "2026-05-29");
    nothing_new(&updated(&snapshots, &replica, POSTAL));
    japanpost::publish(&replica, &sample_june());
    abr::publish(&replica, &sample_towns());
    assert_eq!(published(&updated(&snapshots, &replica, POSTAL)), "2026-06-30");
    replica.forget_requests();
    nothing_new(&updated(&snapshots, &replica, POSTAL));
    let asked: Vec<String> = replica.requests().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked, [path("utf-zip.html")], "nothing is fetched the second time");

    let by_hand = folder.path().join("by-hand");
    let kept =
        |edition: &str, name: &str| snapshots.join("sources/postal").join(edition).join(name);
    let may = built_by_hand(
        &by_hand,
        "2026-05-29",
        &[
            ("--area", &kept("2026-05-29", "utf_ken_all.zip")),
            ("--business", &kept("2026-05-29", "jigyosyo.zip")),
        ],
    );
    let june = built_by_hand(
        &by_hand,
        "2026-06-30",
        &[
            ("--area", &kept("2026-06-30", "utf_ken_all.zip")),
            ("--business", &kept("2026-06-30", "jigyosyo.zip")),
            ("--roman", &kept("2026-06-30", "KEN_ALL_ROME.zip")),
            ("--addressing", &kept("2026-06-30", "mt_town_all.csv.zip")),
            ("--updates", &kept("2026-06-30", "utf_add_2606.zip")),
            ("--updates", &kept("2026-06-30", "utf_del_2606.zip")),
        ],
    );
    for (version, bytes) in [("2026-05-29", may), ("2026-06-30", june)] {
        let snapshot = snapshots.join(format!("postal/{version}.daicho"));
        assert!(fs::read(&snapshot).expect("published") == bytes, "{version}: the same bytes");
        let download = snapshot.with_extension("kenall.json.xz");
        assert!(download.is_file(), "{version}: its download is kept");
    }
}

#[needs::official_data]
#[test]
fn updates_of_official_months_equal_builds_by_hand() {
    let month = |edition: &str, name: &str, date: &str| {
        let file = |name: &str| files::official(&format!("postal/{edition}/{name}"));
        let zipped = |member: &str, bytes: Vec<u8>| files::zipped(&[(member, &bytes)]);
        let (add, del) = (format!("utf_add_{name}.csv"), format!("utf_del_{name}.csv"));
        Month {
            date: date.to_owned(),
            name: name.to_owned(),
            area: zipped("utf_ken_all.csv", file("utf_ken_all.csv.xz")),
            business: zipped("JIGYOSYO.CSV", file("JIGYOSYO.CSV.xz")),
            added: Some(zipped(&add, file(&add))),
            removed: Some(zipped(&del, file(&del))),
            roman: None,
        }
    };
    let months = [("2026-04", "2604", "2026年5月1日"), ("2026-05", "2605", "2026年5月29日")];
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let (snapshots, by_hand) = (folder.path().join("snapshots"), folder.path().join("by-hand"));
    abr::refuse(&replica);
    for ((edition, name, date), version) in months.into_iter().zip(["2026-05-01", "2026-05-29"]) {
        let month = month(edition, name, date);
        japanpost::publish(&replica, &month);
        assert_eq!(published(&updated(&snapshots, &replica, POSTAL)), version);
    }
    // The build compares with the previous month, so the folder has it as it was published.
    fs::create_dir_all(by_hand.join("postal")).expect("a folder");
    let april = Path::new("postal/2026-05-01.daicho");
    fs::copy(snapshots.join(april), by_hand.join(april)).expect("copied");
    let kept = |name: &str| snapshots.join("sources/postal/2026-05-29").join(name);
    let bytes = built_by_hand(
        &by_hand,
        "2026-05-29",
        &[
            ("--area", &kept("utf_ken_all.zip")),
            ("--business", &kept("jigyosyo.zip")),
            ("--updates", &kept("utf_add_2605.zip")),
            ("--updates", &kept("utf_del_2605.zip")),
        ],
    );
    let snapshot = snapshots.join("postal/2026-05-29.daicho");
    assert!(fs::read(&snapshot).expect("published") == bytes, "the same bytes");
}

#[test]
fn an_older_edition_never_replaces_a_newer_one() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_june());
    abr::refuse(&replica);
    updated(folder.path(), &replica, POSTAL);
    japanpost::publish(&replica, &sample_may());
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    options.force = true;
    let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
    let outcome = reports[0].result.as_ref().expect("no failure");
    nothing_new(outcome);
    assert!(
        reports[0].warnings[0].contains("older than the installed 2026-06-30"),
        "{:?}",
        reports[0].warnings
    );
}

#[test]
fn after_a_gap_of_months_versions_are_compared_instead_of_differences() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    abr::refuse(&replica);
    let april =
        Month { date: "2026年4月30日".to_owned(), name: "2604".to_owned(), ..sample_may() };
    japanpost::publish(&replica, &april);
    updated(folder.path(), &replica, POSTAL);
    japanpost::publish(&replica, &sample_june());
    replica.forget_requests();
    assert_eq!(published(&updated(folder.path(), &replica, POSTAL)), "2026-06-30");
    assert_eq!(
        replica.count(&path("utf/zip/utf_add_2606.zip")),
        0,
        "June's differences lack May's changes"
    );
}

#[test]
fn a_refused_town_master_is_replaced_by_the_last_one() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    let reports = update(folder.path(), &replica, &[POSTAL]);
    assert!(matches!(reports[0].result, Ok(Outcome::Updated { .. })));
    let warning = reports[0].warnings.iter().find(|text| text.contains("mt_town_all"));
    let warning = warning.expect("a warning");
    assert!(warning.contains("town_jukyohyoji is false in all records"), "{warning}");
    assert!(warning.contains("reject addresses outside Japan"), "{warning}");
    assert_eq!(replica.count(abr::TOWN), 1, "a refusal is not retried");

    abr::publish(&replica, &sample_towns());
    japanpost::publish(&replica, &sample_june());
    updated(folder.path(), &replica, POSTAL);
    abr::refuse(&replica);
    let july =
        Month { date: "2026年7月31日".to_owned(), name: "2607".to_owned(), ..sample_june() };
    let area = files::sample("2026-06-30/utf_ken_all.csv");
    let end = area.len() - 2;
    let shorter = area[..end].iter().rposition(|byte| *byte == b'\n').expect("lines") + 1;
    let area = files::zipped(&[("utf_ken_all.csv", &area[..shorter])]);
    japanpost::publish(&replica, &Month { area, added: None, removed: None, ..july });
    let reports = update(folder.path(), &replica, &[POSTAL]);
    let outcome = reports[0].result.as_ref().expect("published");
    assert_eq!(published(outcome), "2026-07-31");
    assert!(
        reports[0].warnings.iter().any(|text| text.contains("using the town master downloaded"))
    );
    let kept = folder.path().join("sources/postal/2026-07-31/mt_town_all.csv.zip");
    assert!(fs::read(kept).expect("kept") == sample_towns());
}

#[test]
fn redirects_on_the_same_host_are_followed() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    let moved = "[japanpost]\narea-page = \"/zipcode/dl/utf-zip.html\"\n";
    options.settings.override_with("test", moved).expect("known names");
    let to =
        Answer { status: 301, ..Answer::status(301) }.header("location", &path("utf-zip.html"));
    replica.get("/zipcode/dl/utf-zip.html", to);
    let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
    assert_eq!(published(reports[0].result.as_ref().expect("published")), "2026-05-29");
}

#[test]
fn keep_options_limit_old_versions_and_raw_files() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    abr::refuse(&replica);
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    (options.keep, options.keep_sources) = (Some(2), 1);
    let april =
        Month { date: "2026年4月30日".to_owned(), name: "2604".to_owned(), ..sample_may() };
    // The same rows with one digit of an old code changed: a different file of the same size.
    let changed = |month: Month, old: &[u8], new: &[u8]| {
        let mut area = files::sample("2026-05-29/utf_ken_all.csv");
        let at = area.windows(old.len()).position(|found| found == old).expect("it is there");
        area.splice(at..at + old.len(), new.iter().copied());
        Month { area: files::zipped(&[("utf_ken_all.csv", &area)]), ..month }
    };
    for month in [changed(april, b"\"100  \"", b"\"101  \""), sample_may(), sample_june()] {
        japanpost::publish(&replica, &month);
        let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
        published(reports[0].result.as_ref().expect("published"));
    }
    let names = |path: &str| {
        let entries = fs::read_dir(folder.path().join(path)).expect("a folder").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let expected = [
        "2026-05-29.daicho",
        "2026-05-29.kenall.json.xz",
        "2026-06-30.daicho",
        "2026-06-30.kenall.json.xz",
    ];
    assert_eq!(names("postal"), expected);
    assert_eq!(names("sources/postal"), ["2026-06-30"]);
}

#[test]
fn coordinates_of_a_file_are_built_into_every_version() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let snapshots = folder.path().join("snapshots");
    abr::refuse(&replica);
    let mut with_towns = options(&snapshots, &replica, &[POSTAL]);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-tools/sample");
    let mut run = |month: &Month, towns: Option<&str>| {
        japanpost::publish(&replica, month);
        with_towns.towns = towns.map(|name| sample.join(name));
        let mut reports =
            daicho::dataset::updates::run(&with_towns, &()).expect("no other update runs");
        reports.remove(0)
    };
    let missing = run(&sample_may(), Some("nowhere.csv"));
    let message = missing.result.expect_err("there is no such file").to_string();
    assert!(message.contains("nowhere.csv"), "{message}");
    let may = run(&sample_may(), Some("2026-06-30/towns.csv"));
    let built = published(&may.result.expect("built"));
    let path = snapshots.join(format!("postal/{built}.daicho"));
    let file = PostalData::open_in_catalog(&path).expect("a snapshot");
    assert!(PostalData::from_file(file).has_points());
    let june = run(&sample_june(), None);
    assert_eq!(published(&june.result.expect("built")), "2026-06-30");
    let told = june.warnings.join("\n");
    assert!(told.contains("version 2026-05-29 has coordinates"), "{told}");
}
