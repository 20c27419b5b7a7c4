//! Faults of real sites, simulated by the replica with postal codes of the sample: an update reports what it got and
//! what to do, and keeps the installed version.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use daicho::update::Subject;

use crate::files::{sample_june, sample_may, zipped};
use crate::replica::japanpost::{Month, path};
use crate::replica::{Answer, Fault, Replica, abr, japanpost};
use crate::{HOLIDAYS, POSTAL, fails, nothing_new, options, published, update, updated};

const AREA: &str = "utf/zip/utf_ken_all.zip";

/// A folder with May installed, and June published at the site.
fn may_installed_june_published() -> (Replica, tempfile::TempDir, Month) {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    abr::refuse(&replica);
    japanpost::publish(&replica, &sample_may());
    updated(folder.path(), &replica, POSTAL);
    let june = sample_june();
    japanpost::publish(&replica, &june);
    (replica, folder, june)
}

fn snapshots(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("postal")).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".daicho")).collect();
    names.sort();
    names
}

#[test]
fn each_fault_of_a_file_is_reported_and_keeps_the_installed_version() {
    let (replica, folder, june) = may_installed_june_published();
    let page = Answer::html("<!DOCTYPE html><title>ただいまメンテナンス中です</title>");
    let two = zipped(&[("utf_ken_all.csv", b"1\n"), ("utf_ken_all_old.csv", b"1\n")]);
    let third = {
        let whole = crate::files::sample("2026-06-30/utf_ken_all.csv");
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        lines[..lines.len() / 3].concat()
    };
    let file = |bytes: &[u8]| Answer::file(bytes);
    let cases: [(&str, Answer, &[&str]); 11] = [
        ("an old address", Answer::status(404), &["expected status 200, found 404", "--sources"]),
        (
            "a page with 200",
            page.clone(),
            &["an HTML page with the title 「ただいまメンテナンス中です」"],
        ),
        (
            "a page sent as application/zip",
            page.header("content-type", "application/zip"),
            &["expected a ZIP of utf_ken_all.csv, found an HTML page"],
        ),
        (
            "half a ZIP",
            file(&june.area[..june.area.len() / 2]),
            &["expected a whole ZIP", "try again"],
        ),
        (
            "a ZIP of two files",
            file(&two),
            &["exactly one CSV, found 2 of them: utf_ken_all.csv, utf"],
        ),
        (
            "another file",
            file(&june.business),
            &["expected utf_ken_all.csv in the ZIP, found JIGYOSYO.CSV"],
        ),
        (
            "another name",
            file(&june.area).header("content-disposition", "attachment; filename=ken_all.zip"),
            &["expected utf_ken_all.zip, found ken_all.zip"],
        ),
        (
            "a third of the rows",
            file(&zipped(&[("utf_ken_all.csv", &third)])),
            &["to 102 rows, since the edition of 2026-05-29 had 98; found 34", "--force"],
        ),
        (
            "last month's file",
            file(&sample_may().area),
            &["the identical file of 2026-05-29", "later"],
        ),
        (
            "a busy site",
            Answer::status(503),
            &["found 503 with the title 「503」", "try again later"],
        ),
        ("a refusal", Answer::status(403), &["found 403", "outside Japan", "--from"]),
    ];
    for (name, answer, expected) in cases {
        replica.get(&path(AREA), answer);
        let message = fails(folder.path(), &replica, POSTAL);
        for part in expected {
            assert!(message.contains(part), "{name}: {message}");
        }
        assert!(message.contains(&path(AREA)), "{name}: names the URL: {message}");
        assert_eq!(snapshots(folder.path()), ["2026-05-29.daicho"], "{name}");
    }
    replica.get(&path(AREA), Answer::file(&june.area));
    assert_eq!(published(&updated(folder.path(), &replica, POSTAL)), "2026-06-30");
}

#[test]
fn a_shrunken_file_is_accepted_with_force() {
    let (replica, folder, june) = may_installed_june_published();
    let whole = crate::files::sample("2026-06-30/utf_ken_all.csv");
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let third = zipped(&[("utf_ken_all.csv", &lines[..lines.len() / 3].concat())]);
    let shrunken = Month { area: third, added: None, removed: None, ..june };
    japanpost::publish(&replica, &shrunken);
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    options.force = true;
    let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
    assert_eq!(published(reports[0].result.as_ref().expect("forced")), "2026-06-30");
}

#[test]
fn a_broken_download_is_resumed() {
    let (replica, folder, june) = may_installed_june_published();
    let whole = Answer::file(&june.area);
    let cut = whole.clone().fault(Fault::Cut(1_000));
    replica.get_in_turn(&path(AREA), vec![cut.clone(), cut, whole]);
    replica.forget_requests();
    assert_eq!(published(&updated(folder.path(), &replica, POSTAL)), "2026-06-30");
    let asked = replica.requests();
    let ranges = asked.iter().filter(|asked| asked.path == path(AREA));
    let ranges: Vec<Option<&str>> = ranges.map(|asked| asked.header("range")).collect();
    assert_eq!(ranges, [None, Some("bytes=1000-"), Some("bytes=2000-")]);
    let kept = folder.path().join("sources/postal/2026-06-30/utf_ken_all.zip");
    assert!(fs::read(kept).expect("kept") == june.area);
}

#[test]
fn a_broken_download_is_resumed_by_the_next_run() {
    let (replica, folder, june) = may_installed_june_published();
    let whole = Answer::file(&june.area);
    replica.get_in_turn(
        &path(AREA),
        vec![whole.clone().fault(Fault::Cut(1_000)), Answer::status(503)],
    );
    let message = fails(folder.path(), &replica, POSTAL);
    assert!(message.contains("503"), "{message}");
    replica.get(&path(AREA), whole);
    replica.forget_requests();
    assert_eq!(published(&updated(folder.path(), &replica, POSTAL)), "2026-06-30");
    let asked = replica.requests();
    let range = asked.iter().find(|asked| asked.path == path(AREA)).expect("asked");
    assert_eq!(range.header("range"), Some("bytes=1000-"));
}

#[test]
fn a_download_is_not_resumed_when_the_file_has_changed() {
    let (replica, folder, june) = may_installed_june_published();
    let first = Answer::file(&sample_may().area).fault(Fault::Cut(1_000));
    replica.get_in_turn(&path(AREA), vec![first, Answer::file(&june.area)]);
    assert_eq!(published(&updated(folder.path(), &replica, POSTAL)), "2026-06-30");
    let kept = folder.path().join("sources/postal/2026-06-30/utf_ken_all.zip");
    assert!(fs::read(kept).expect("kept") == june.area);
}

#[test]
fn a_silent_download_times_out_and_is_retried() {
    let (replica, folder, june) = may_installed_june_published();
    let whole = Answer::file(&june.area);
    let silent = whole.clone().fault(Fault::Silence(500, Duration::from_secs(20)));
    replica.get_in_turn(
        &path(AREA),
        vec![silent, whole.fault(Fault::NoAnswer), Answer::file(&june.area)],
    );
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    options.settings.limits.silence_timeout = Duration::from_millis(200);
    let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
    assert_eq!(published(reports[0].result.as_ref().expect("published")), "2026-06-30");
}

#[test]
fn a_site_that_sends_slowly_uses_up_its_time() {
    let (replica, folder, june) = may_installed_june_published();
    let slow = Fault::Slow(Duration::from_millis(20));
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    let limits = &mut options.settings.limits;
    (limits.page_timeout, limits.download_timeout) =
        (Duration::from_secs(1), Duration::from_secs(1));
    let message = || {
        let started = Instant::now();
        let mut reports = daicho::dataset::updates::run(&options, &()).expect("no other runs");
        assert!(started.elapsed() < Duration::from_secs(20), "one attempt, or a few short ones");
        reports.remove(0).result.expect_err("too slow").to_string()
    };
    replica.get(&path(AREA), Answer::file(&june.area).fault(slow));
    let of_file = message();
    assert!(
        of_file.contains("utf_ken_all.zip: expected a response, found no end of it within 1 sec")
    );
    let part = folder.path().join("sources/postal/2026-06-30/.part-utf_ken_allzip");
    assert!(fs::metadata(part).expect("kept").len() > 0, "the next update continues it");
    let page = Answer::html(&" ".repeat(10_000)).fault(slow);
    replica.get(&path("utf-zip.html"), page);
    replica.forget_requests();
    let of_page = message();
    assert!(of_page.contains("utf-zip.html: expected a response, found no end of it"), "{of_page}");
    assert_eq!(replica.count(&path("utf-zip.html")), 1, "its time is that of all attempts");
}

#[test]
fn a_page_that_would_fill_the_memory_is_refused() {
    let (replica, folder, _june) = may_installed_june_published();
    let open: String = (0..150).map(|number| format!("<b a{number}>")).collect();
    for (page, expected) in [
        ("x".repeat((1 << 20) + 1), "expected at most 1048576 bytes, found more"),
        (format!("<p>{open}{}", "<p>x".repeat(10_000)), "expected at most 50000 elements on the"),
        ("<div>".repeat(100_000), "expected at most 200 levels of elements on the page"),
    ] {
        replica.get(&path("utf-zip.html"), Answer::html(&page));
        let message = fails(folder.path(), &replica, POSTAL);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn an_edition_of_a_day_to_come_is_refused() {
    let (replica, folder, june) = may_installed_june_published();
    japanpost::publish(&replica, &Month { date: "2999年6月30日".to_owned(), ..june.clone() });
    let message = fails(folder.path(), &replica, POSTAL);
    assert!(message.contains("postal: expected an edition of today, 20"), "{message}");
    assert!(
        message.contains("found one of 2999-06-30") && message.contains("--force"),
        "{message}"
    );
    assert_eq!(snapshots(folder.path()), ["2026-05-29.daicho"]);
    japanpost::publish(&replica, &june);
    let mut options = options(folder.path(), &replica, &[POSTAL]);
    let mut at = |today: &str| {
        options.today = Some(today.parse().expect("a date"));
        let mut reports = daicho::dataset::updates::run(&options, &()).expect("no other runs");
        reports.remove(0).result
    };
    assert!(at("2026-06-29").is_err(), "of tomorrow");
    assert_eq!(published(&at("2026-06-30").expect("of today")), "2026-06-30");
}

#[test]
fn a_busy_site_is_retried_and_a_refusal_is_not() {
    let (replica, folder, june) = may_installed_june_published();
    let page = path("utf-zip.html");
    let shown =
        Answer::shift_jis("<p>2026年5月29日更新</p><a href='utf/zip/utf_ken_all.zip'>a</a>");
    replica.get_in_turn(&page, vec![Answer::status(503), Answer::status(502), shown]);
    replica.forget_requests();
    nothing_new(&updated(folder.path(), &replica, POSTAL));
    assert_eq!(replica.count(&page), 3);
    for (status, times) in [(503, 4), (404, 1), (403, 1)] {
        replica.get(&page, Answer::status(status));
        replica.forget_requests();
        let message = fails(folder.path(), &replica, POSTAL);
        assert!(message.contains(&status.to_string()), "{message}");
        assert_eq!(replica.count(&page), times, "{status}");
    }
    drop(june);
}

#[test]
fn redirects_stay_on_the_host_and_end() {
    let (replica, folder, _june) = may_installed_june_published();
    let page = path("utf-zip.html");
    let to =
        |target: &str| Answer { status: 302, ..Answer::status(302) }.header("location", target);
    replica.get(&page, to("https://elsewhere.example/utf-zip.html"));
    let message = fails(folder.path(), &replica, POSTAL);
    assert!(message.contains("expected a redirect to 127.0.0.1, found one to"), "{message}");
    assert!(message.contains("found one to https://elsewhere.example/"), "{message}");
    replica.get(&page, to(&page));
    replica.forget_requests();
    let message = fails(folder.path(), &replica, POSTAL);
    assert!(message.contains("expected at most 5 redirects, found more; open"), "{message}");
    assert_eq!(replica.count(&page), 6);
}

#[test]
fn a_changed_page_is_reported() {
    let (replica, folder, _june) = may_installed_june_published();
    let page = path("utf-zip.html");
    for (text, expected) in [
        ("<p>更新日のない頁</p>", "expected a date such as 「2026年5月29日更新」"),
        ("<p>2026年6月30日更新</p>", "expected a link to utf_ken_all.zip"),
    ] {
        replica.get(&page, Answer::shift_jis(text));
        let message = fails(folder.path(), &replica, POSTAL);
        let expected = expected.replace("5月29日", "7月31日");
        assert!(message.contains(&expected) && message.contains(&page), "{message}");
    }
    replica.get(&page, Answer::file(b"PK\x03\x04"));
    let message = fails(folder.path(), &replica, POSTAL);
    assert!(message.contains("expected an HTML page, found application/octet-stream"), "{message}");
}

#[test]
fn after_a_failed_build_only_the_bad_file_is_fetched_again() {
    // They pass the checks of a download: the expected name, and about the expected number of rows.
    let rows = |count: usize| "a,b\r\n".repeat(count);
    let bad_area = zipped(&[("utf_ken_all.csv", rows(100).as_bytes())]);
    let business_rows = crate::files::sample("2026-06-30/JIGYOSYO.CSV");
    let business_rows = business_rows.iter().filter(|byte| **byte == b'\n').count();
    let bad_business = zipped(&[("JIGYOSYO.CSV", rows(business_rows).as_bytes())]);
    let (area, business) = (path(AREA), path("office/zip/jigyosyo.zip"));
    let (of_area, of_business) = (sample_june(), sample_june());
    for (published_month, bad, good) in [
        (Month { area: bad_area, ..of_area }, &area, &business),
        (Month { business: bad_business, ..of_business }, &business, &area),
    ] {
        let (replica, folder, june) = may_installed_june_published();
        japanpost::publish(&replica, &published_month);
        let message = fails(folder.path(), &replica, POSTAL);
        let name = bad.rsplit('/').next().expect("a name");
        let expected = format!("sources/postal/2026-06-30/{name}#");
        assert!(message.contains(&expected) && message.contains("expected"), "{message}");
        assert_eq!(snapshots(folder.path()), ["2026-05-29.daicho"]);
        replica.forget_requests();
        assert_eq!(fails(folder.path(), &replica, POSTAL), message);
        assert_eq!((replica.count(bad), replica.count(good)), (1, 0), "{name}");
        japanpost::publish(&replica, &june);
        assert_eq!(published(&updated(folder.path(), &replica, POSTAL)), "2026-06-30");
    }
}

#[test]
fn an_unreadable_roman_file_is_left_out() {
    let (replica, folder, june) = may_installed_june_published();
    let kept = folder.path().join("sources/postal/2026-06-30/KEN_ALL_ROME.zip");
    let whole = crate::files::sample("2026-06-30/KEN_ALL_ROME.CSV");
    // One row of many that cannot be read, and no roman file at all.
    let end = whole.iter().position(|byte| *byte == b'\n').expect("lines") + 1;
    let one_bad_row = [b"\"x\",\"\",\"\",\"\",\"\",\"\",\"\"\r\n", &whole[end..]].concat();
    for (rows, expected) in [
        (one_bad_row, "KEN_ALL_ROME.zip: expected rows that can be read, found 1 of "),
        (b"a,b\r\n".repeat(10), "KEN_ALL_ROME.zip#KEN_ALL_ROME.CSV: expected "),
    ] {
        let roman = Some(zipped(&[("KEN_ALL_ROME.CSV", &rows)]));
        japanpost::publish(&replica, &Month { roman, ..june.clone() });
        let reports = update(folder.path(), &replica, &[POSTAL]);
        assert_eq!(published(reports[0].result.as_ref().expect("published")), "2026-06-30");
        let is_expected = |warning: &String| {
            warning.contains("built without the roman file") && warning.contains(expected)
        };
        assert!(reports[0].warnings.iter().any(is_expected), "{:?}", reports[0].warnings);
        assert!(!kept.exists(), "the next update fetches it again");
        fs::remove_file(folder.path().join("postal/2026-06-30.daicho")).expect("removed");
    }
    japanpost::publish(&replica, &june);
    updated(folder.path(), &replica, POSTAL);
    assert!(kept.is_file());
}

#[test]
fn one_failing_source_does_not_stop_the_others() {
    let (replica, folder, _june) = may_installed_june_published();
    replica.get(&path("utf-zip.html"), Answer::status(404));
    let reports = update(folder.path(), &replica, &[HOLIDAYS, POSTAL]);
    let subjects: Vec<Subject> = reports.iter().map(|report| report.subject).collect();
    assert_eq!(subjects, [POSTAL, HOLIDAYS]);
    assert!(reports[0].result.is_err());
}
