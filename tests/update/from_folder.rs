//! `--from DIR`: an update finds downloaded files by their official names and sends no request to a site.

use std::fs;
use std::io::Write;
use std::path::Path;

use daicho::update::{AlternativeSource, Options, Outcome, Report, Subject};
use flate2::{Compression, write::GzEncoder};

use crate::bank::{BRANCHES, tree};
use crate::files::{sample, sample_text, zipped};
use crate::replica::{Replica, zengin};
use crate::{BANK, CORPORATE, INVOICE, SCHOOL, options, published};

const SUBJECTS: [Subject; 4] = [BANK, CORPORATE, INVOICE, SCHOOL];

fn update(folder: &Path, files: &Path, replica: &Replica, subjects: &[Subject]) -> Vec<Report> {
    let from = Some(AlternativeSource::Folder(files.to_owned()));
    let options = Options { from, ..options(folder, replica, subjects) };
    daicho::dataset::updates::run(&options, &()).expect("no other update runs")
}

/// Puts a ZIP of one CSV into a folder.
fn put(files: &Path, name: &str, text: &str) {
    let member = name.replace("_csv", "").replace(".zip", ".csv");
    fs::write(files.join(name), zipped(&[(&member, text.as_bytes())])).expect("written");
}

/// A difference file of the sample, with its date changed to `day`.
fn difference(name: &str, from: &str, day: &str) -> String {
    sample_text(name).replace(from, day)
}

fn put_sample(files: &Path) {
    let corporate = |day| difference("2026-08-03/diff_20260803.csv", "2026-08-03", day);
    let invoice = |day| difference("2026-08-04/diff_20260804.csv", "2026-08-04", day);
    let sample_of = |name: &str| sample_text(&format!("2026-07-31/{name}"));
    put(files, "00_zenkoku_all_20260731.zip", &sample_of("00_zenkoku_all_20260731.csv"));
    put(files, "diff_20260803.zip", &corporate("2026-08-03"));
    put(files, "diff_20260804.zip", &corporate("2026-08-04"));
    put(files, "h_all_20260731_csv_001.zip", &sample_of("h_all_20260731_001.csv"));
    put(files, "j_all_20260731_csv.zip", &sample_of("j_all_20260731.csv"));
    put(files, "diff_20260803_csv.zip", &invoice("2026-08-03"));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&zengin::packed("2026-05-25", &tree(BRANCHES.len()))).expect("in memory");
    let gzip = gzip.finish().expect("in memory");
    fs::write(files.join("source-data-2026-05-25.tar.gz"), gzip).expect("written");
    for (list, from) in [("2", "2-1"), ("4", "6"), ("6", "6")] {
        let list_of = |list| format!("20260825-mxt_chousa01-000011635_{list}.csv");
        let bytes = sample(&format!("2026-08-25/{}", list_of(from)));
        fs::write(files.join(list_of(list)), bytes).expect("written");
    }
    // A list of one kindergarten: the universities of list 6 a second time would be duplicate codes.
    let none = "学校コード,学校種,都道府県番号,設置区分,本分校,学校名,学校所在地,郵便番号,属性情報設定年月日,\
                属性情報廃止年月日,旧学校調査番号,移行後の学校コード\n\
                A101110000012,A1(幼稚園),01(北海道),1(国),1(本),北海道教育大学附属函館幼稚園,\
                北海道函館市美原３丁目４８番６号,0410806,2020-12-22,,016501,\n";
    fs::write(files.join("20260825-mxt_chousa01-000011635_4.csv"), none).expect("written");
}

#[test]
fn fetched_files_are_taken_by_their_names_without_a_site() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let files = tempfile::tempdir().expect("a folder");
    put_sample(files.path());
    let reports = update(folder.path(), files.path(), &replica, &SUBJECTS);
    let versions: Vec<String> = reports
        .iter()
        .map(|report| match &report.result {
            Ok(outcome) => published(outcome),
            Err(error) => panic!("{}: {error}", report.subject),
        })
        .collect();
    assert_eq!(versions, ["2026-05-25", "2026-08-04", "2026-08-03", "2026-08-25"]);
    assert_eq!(replica.requests().len(), 0, "no request to a site");
    for report in update(folder.path(), files.path(), &replica, &SUBJECTS) {
        assert!(matches!(report.result, Ok(Outcome::Current { .. })), "{report:?}");
    }
}

#[test]
fn missing_files_of_a_folder_are_reported() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let files = tempfile::tempdir().expect("a folder");
    let check = |subject: Subject, expected: &str| {
        let report = update(folder.path(), files.path(), &replica, &[subject]).remove(0);
        let error = report.result.expect_err("no file").to_string();
        assert!(error.starts_with(&files.path().display().to_string()), "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    };
    check(BANK, "expected a file such as source-data-YYYY-MM-DD.tar.gz, found 0 files");
    check(CORPORATE, "expected a file such as 00_zenkoku_all_YYYYMMDD.zip");
    check(INVOICE, "expected a file such as h_all_YYYYMMDD_csv_NNN.zip");
    check(SCHOOL, "expected a file such as 20260825-mxt_chousa01-000011635_2.csv");
    put_sample(files.path());
    fs::remove_file(files.path().join("j_all_20260731_csv.zip")).expect("there");
    check(INVOICE, "expected every part of j_all_20260731_csv once");
    fs::remove_file(files.path().join("20260825-mxt_chousa01-000011635_6.csv")).expect("there");
    check(SCHOOL, "expected the list _6 of 2026-08-25");
    fs::remove_file(files.path().join("diff_20260803.zip")).expect("there");
    check(CORPORATE, "found none for 2026-08-03");
}
