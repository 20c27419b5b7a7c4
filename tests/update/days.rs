//! Simulated days: one folder is updated from May to August 2026 without manual steps, with official banks, official
//! corporations of Tottori and the sample's postal codes. The result equals builds by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use build_tools::stream::Input;
use build_tools::{Files, Kind};
use daicho::compile::{Target, open_verified};
use daicho::dataset::corporate::compile::{CorporateSources, Prefectures};
use daicho::dataset::postal::PostalData;
use daicho::dataset::{bank, corporate};
use daicho::snapshot::Dataset;
use daicho::text::codes::DataVersion;
use daicho::update::{Options, Outcome, Subject};

use crate::files::{decoded, sample_june, sample_may, unpacked};
use crate::options;
use crate::replica::{Replica, abr, japanpost, nta, zengin};
use crate::shared_data::official;
use crate::{BANK, CORPORATE, INVOICE, POSTAL, SCHOOL};

const AUGUST: [u32; 15] = [
    20_260_731, 20_260_803, 20_260_804, 20_260_805, 20_260_806, 20_260_807, 20_260_810, 20_260_812,
    20_260_813, 20_260_814, 20_260_817, 20_260_818, 20_260_819, 20_260_820, 20_260_821,
];

fn difference(date: u32) -> PathBuf {
    let day = DataVersion::from_number(date).expect("a date");
    official(&format!("corporate/{day}/diff_{date}.csv.zst"))
}

/// Runs the update of a day, which must succeed. Returns the published versions, such as `bank 2026-05-24`.
#[track_caller]
fn run(folder: &Path, replica: &Replica, today: u32, subjects: &[Subject]) -> Vec<String> {
    let today = DataVersion::from_number(today).expect("a date").date();
    let options = Options { today: Some(today), ..options(folder, replica, subjects) };
    let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
    let published = reports.iter().filter_map(|report| match &report.result {
        Ok(Outcome::Updated { edition, .. }) => Some(format!("{} {edition}", report.subject)),
        Ok(_) => None,
        Err(error) => panic!("{today}, {}: {error}", report.subject),
    });
    published.collect()
}

fn corporate_by_hand(
    folder: &Path,
    date: u32,
    full: &Path,
    differences: &[PathBuf],
    postal: Option<PostalData>,
) -> PathBuf {
    let sources = CorporateSources {
        full: vec![Input::Path(full)],
        base: None,
        diff: differences.iter().map(|path| Input::Path(path)).collect(),
        invoice: Vec::new(),
        postal,
        prefectures: Prefectures::Covered,
    };
    let version = DataVersion::from_number(date).expect("a date");
    let report = corporate::compile::build(&Target::new(version, folder, version), sources, &());
    report.expect("official files").data.file().path().to_owned()
}

#[needs::official_data]
#[test]
fn a_folder_is_updated_from_may_to_august_without_manual_steps() {
    let tottori = |date: &str| official(&format!("corporate/{date}"));
    let old = tottori("2017-04-02/31_tottori_all_20170402.zip");
    let full = tottori("2026-07-31/31_tottori_all_20260731.csv.zst");
    let differences: Vec<PathBuf> = AUGUST.into_iter().map(difference).collect();
    let tar = |date: &str| official(&format!("bank/{date}/zengin-code-{date}.tar.zst"));
    let (first, second) = (unpacked(&tar("2026-05-24")), unpacked(&tar("2026-05-25")));

    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    abr::refuse(&replica);
    // The folder starts with an old version of one prefecture.
    corporate_by_hand(folder, 20_170_402, &old, &[], None);

    // May and June: postal codes and banks.
    let few = [POSTAL, BANK];
    japanpost::publish(&replica, &sample_may());
    zengin::publish(&replica, "2026-05-24", &first);
    assert_eq!(run(folder, &replica, 20_260_529, &few), ["postal 2026-05-29", "bank 2026-05-24"]);
    zengin::publish(&replica, "2026-05-25", &second);
    assert_eq!(run(folder, &replica, 20_260_601, &few), ["bank 2026-05-25"]);
    assert_eq!(run(folder, &replica, 20_260_602, &few), [""; 0]);
    japanpost::publish(&replica, &sample_june());
    assert_eq!(run(folder, &replica, 20_260_701, &few), ["postal 2026-06-30"]);

    // August: the full file of July, and then a difference each working day.
    let text = |path: &Path| decoded(&unpacked(path));
    let site = nta::Site {
        full: Some((20_260_731, text(&full))),
        differences: BTreeMap::from([(AUGUST[0], text(&differences[0]))]),
        ..nta::Site::default()
    };
    let site = Arc::new(Mutex::new(site));
    nta::install(&replica, &site);
    assert_eq!(run(folder, &replica, 20_260_801, &[]), ["corporate 2026-07-31"]);
    for (date, path) in AUGUST.iter().zip(&differences).skip(1) {
        site.lock().expect("no panic").differences.insert(*date, text(path));
        let day = DataVersion::from_number(*date).expect("a date");
        assert_eq!(run(folder, &replica, *date, &[]), [format!("corporate {day}")]);
    }
    assert_eq!(run(folder, &replica, 20_260_822, &[]), [""; 0], "a Saturday");
    assert_eq!(replica.count("/download/zenken/index.html"), 1, "one full file");
    assert_eq!(
        replica.count("/download/sabun/index.html"),
        AUGUST.len() - 1,
        "each difference once"
    );

    let by_hand = tempfile::tempdir().expect("a folder");
    let postal =
        open_verified::<PostalData>(&folder.join("postal/2026-06-30.daicho")).expect("a snapshot");
    let built =
        corporate_by_hand(by_hand.path(), 20_260_821, &full, &differences[1..], Some(postal));
    let same = |one: &Path, other: &Path| {
        fs::read(one).expect("a file") == fs::read(other).expect("a file")
    };
    assert!(
        same(&built, &folder.join("corporate/2026-08-21.daicho")),
        "same bytes as a build by hand"
    );
    let data =
        open_verified::<daicho::dataset::corporate::CorporateData>(&built).expect("a snapshot");
    assert_eq!(data.counts().expect("sound").corporations, 20_232, "the count in the derived file");
    let version = DataVersion::from_number(20_260_525).expect("a date");
    let files = Files::unpack("tree", second, Kind::Bank).expect("an official tree");
    let report = bank::compile::build(&Target::new(version, by_hand.path(), version), &files, &());
    let built = report.expect("an official tree").data.file().path().to_owned();
    assert!(same(&built, &folder.join("bank/2026-05-25.daicho")), "same bytes as a build by hand");
}

#[test]
fn failing_sources_do_not_stop_each_other() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    let subjects = [POSTAL, BANK, CORPORATE, INVOICE, SCHOOL];
    let reports = crate::update(folder.path(), &replica, &subjects);
    let failed: Vec<bool> = reports.iter().map(|report| report.result.is_err()).collect();
    assert_eq!(failed, [false, true, true, true, true]);
    for report in &reports[1..] {
        let error = report.result.as_ref().expect_err("no such site").to_string();
        assert!(error.starts_with("http://127.0.0.1:"), "{error}");
        assert!(error.contains(": expected status 200, found 404"), "{error}");
        assert!(error.contains("; the file has moved or is not published yet"), "{error}");
    }
}
