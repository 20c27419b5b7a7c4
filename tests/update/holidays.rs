//! Updates of the Cabinet Office's list of holidays from the replica.

use std::fs;

use daicho::update::{AlternativeSource, Options};

use crate::replica::{Answer, Replica, cao};
use crate::{HOLIDAYS, fails, nothing_new, options, published, updated};

/// The list of these years, computed from the rules of the law.
fn list(years: std::ops::RangeInclusive<i16>) -> String {
    let mut text = "国民の祝日・休日月日,国民の祝日・休日名称\r\n".to_owned();
    for holiday in years.flat_map(daicho::calendar::holidays) {
        let date = holiday.date.strftime("%Y/%-m/%-d");
        text.push_str(&format!("{date},{}\r\n", holiday.title));
    }
    text
}

const FEBRUARY: &str = "Mon, 02 Feb 2026 01:02:03 GMT";

#[test]
fn a_new_list_is_stored_under_its_modification_date() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    cao::publish(&replica, cao::LIST, &list(1955..=2026), "Sun, 02 Feb 2025 20:00:00 GMT");
    assert_eq!(published(&updated(folder.path(), &replica, HOLIDAYS)), "2025-02-03");
    nothing_new(&updated(folder.path(), &replica, HOLIDAYS));
    cao::publish(&replica, cao::LIST, &list(1955..=2027), FEBRUARY);
    assert_eq!(published(&updated(folder.path(), &replica, HOLIDAYS)), "2026-02-02");
    let kept = fs::read(folder.path().join("holidays/2026-02-02.csv")).expect("published");
    assert!(kept == cao::encoded(&list(1955..=2027)), "the bytes of the site");
    // The same list with a later date is not new.
    cao::publish(&replica, cao::LIST, &list(1955..=2027), "Tue, 03 Mar 2026 01:02:03 GMT");
    nothing_new(&updated(folder.path(), &replica, HOLIDAYS));
}

#[test]
fn a_list_that_changes_twice_on_a_day_is_installed_twice() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let stored = folder.path().join("holidays/2026-02-02.csv");
    for (last_year, time) in [(2026, FEBRUARY), (2027, "Mon, 02 Feb 2026 05:06:07 GMT")] {
        cao::publish(&replica, cao::LIST, &list(1955..=last_year), time);
        assert_eq!(published(&updated(folder.path(), &replica, HOLIDAYS)), "2026-02-02");
        let installed = fs::read(&stored).expect("installed");
        assert!(installed == cao::encoded(&list(1955..=last_year)), "{last_year}");
        nothing_new(&updated(folder.path(), &replica, HOLIDAYS));
    }
}

#[test]
fn a_list_in_a_local_folder_may_change_on_a_day() {
    let (from, folder) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let mut options = Options::new(folder.path());
    options.subjects = vec![HOLIDAYS];
    options.from = Some(AlternativeSource::Folder(from.path().to_owned()));
    options.today = Some("2026-02-05".parse().expect("a date"));
    for last_year in [2026, 2027] {
        let bytes = cao::encoded(&list(1955..=last_year));
        fs::write(from.path().join("syukujitsu.csv"), &bytes).expect("written");
        let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
        assert_eq!(published(reports[0].result.as_ref().expect("published")), "2026-02-05");
        let installed = fs::read(folder.path().join("holidays/2026-02-05.csv"));
        assert!(installed.expect("installed") == bytes, "{last_year}");
        let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
        nothing_new(reports[0].result.as_ref().expect("read"));
    }
}

#[test]
fn a_renamed_list_is_found() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    cao::publish(&replica, cao::RENAMED, &list(1955..=2027), FEBRUARY);
    assert_eq!(published(&updated(folder.path(), &replica, HOLIDAYS)), "2026-02-02");
    let raw = folder.path().join("sources/holidays/2026-02-02/shukujitsu.csv");
    assert!(raw.is_file());
}

#[test]
fn a_list_without_a_date_gets_the_current_date() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    replica.get(cao::LIST, Answer::file(&cao::encoded(&list(1955..=2027))));
    let mut options = options(folder.path(), &replica, &[HOLIDAYS]);
    options.today = Some("2026-02-05".parse().expect("a date"));
    let reports = daicho::dataset::updates::run(&options, &()).expect("no other update runs");
    assert_eq!(published(reports[0].result.as_ref().expect("published")), "2026-02-05");
}

#[test]
fn an_invalid_list_is_refused() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    cao::publish(&replica, cao::LIST, &list(1955..=2027), FEBRUARY);
    updated(folder.path(), &replica, HOLIDAYS);
    let later = "Tue, 03 Mar 2026 01:02:03 GMT";
    for (text, expected) in [
        (list(1955..=2026), "expected at least the"),
        (list(1955..=2027).replace("2027/1/1,", "2027/1/32,"), "expected a day and its title"),
        ("a,b\n".to_owned(), "expected the header"),
        (
            "<html><title>移転しました</title>".to_owned(),
            "an HTML page with the title 「移転しました」",
        ),
    ] {
        cao::publish(&replica, cao::LIST, &text, later);
        let message = fails(folder.path(), &replica, HOLIDAYS);
        assert!(message.contains(expected) && message.contains(cao::LIST), "{message}");
    }
    replica.remove(cao::LIST);
    let message = fails(folder.path(), &replica, HOLIDAYS);
    assert!(message.contains("found 404") && message.contains(cao::LIST), "{message}");
    let older = "Thu, 01 Jan 2026 01:02:03 GMT";
    let moved = list(1955..=2027).replace("2027/8/11,", "2027/8/12,");
    cao::publish(&replica, cao::LIST, &moved, older);
    nothing_new(&updated(folder.path(), &replica, HOLIDAYS));
}
