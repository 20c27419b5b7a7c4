//! Railway stations, a dataset for tests: its folder and its lines in the list are all that the catalog and the commands
//! need to handle it.

use std::fs;
use std::path::PathBuf;

use clap::FromArgMatches;
use serde_json::Value;

use super::Args;
use super::error::CommandError;
use crate::api::age::days_if_old;
use crate::dataset::{Catalog, facts_named};
use crate::text::codes::DataVersion;

const ROWS: u32 = 200;
const DAYS: [&str; 3] = ["2026-04-01", "2026-07-01", "2026-10-01"];

/// A snapshot folder, and a folder with lists of stations.
struct Folders {
    folder: tempfile::TempDir,
}

impl Folders {
    /// The versions of all days, each from an update. Each list renames one station of the list before, and adds one.
    fn updated() -> Folders {
        let folders = Folders { folder: tempfile::tempdir().expect("a folder") };
        fs::create_dir(folders.lists()).expect("a folder");
        for (change, day) in (0..).zip(DAYS) {
            let name = |code| match code <= change {
                true => format!("新{code}駅"),
                false => format!("{code}駅"),
            };
            let row = |code| format!("{code},{},路線{}\n", name(code), code % 10);
            let list: String = (1..=ROWS + change).map(row).collect();
            fs::write(folders.lists().join(format!("stations-{day}.csv")), list).expect("written");
            let printed = folders.text(&format!("update station {}", folders.from()));
            assert!(printed.contains(&format!("{} stations", ROWS + change)), "{printed}");
        }
        folders
    }

    fn lists(&self) -> PathBuf {
        self.folder.path().join("lists")
    }

    fn from(&self) -> String {
        format!("--from {}", self.lists().display())
    }

    fn snapshots(&self) -> PathBuf {
        self.folder.path().join("snapshots")
    }

    fn run(&self, line: &str) -> Result<String, CommandError> {
        let snapshots = self.snapshots();
        let words = ["daicho"].into_iter().chain(line.split_whitespace());
        let words = words.chain(["--snapshots", snapshots.to_str().expect("text")]);
        let matches = super::command().try_get_matches_from(words);
        let matches = matches.map_err(|error| CommandError::Usage(error.to_string()))?;
        let args = Args::from_arg_matches(&matches).expect("an accepted line");
        let mut out = Vec::new();
        args.run(&mut out)?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[track_caller]
    fn text(&self, line: &str) -> String {
        self.run(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// The file that an export with these options writes.
    #[track_caller]
    fn exported(&self, options: &str) -> String {
        let output = self.folder.path().join("out.csv");
        self.text(&format!("export station --quiet --output {} {options}", output.display()));
        fs::read_to_string(output).expect("written")
    }
}

#[test]
fn an_update_without_a_newer_list_changes_nothing() {
    let folders = Folders::updated();
    let printed = folders.text(&format!("update station --json {}", folders.from()));
    let printed: Value = serde_json::from_str(&printed).expect("JSON");
    let text = printed.to_string();
    assert!(text.contains("2026-10-01") && !text.contains("201 stations"), "{text}");
}

#[test]
fn the_catalog_has_every_version() {
    let folders = Folders::updated();
    let catalog = Catalog::scan(&folders.snapshots(), None).expect("a folder");
    assert!(!catalog.is_empty());
    let newest = catalog.station().latest().expect("a version");
    let station = newest.lookup(2).expect("sound").expect("it exists");
    assert_eq!((station.name.as_str(), station.line.as_str()), ("新2駅", "路線2"));
    let datasets = catalog.datasets();
    let stations = datasets.iter().find(|it| it.facts().kind.name() == "station");
    let stations = stations.expect("it is listed");
    let files = stations.files().into_iter();
    assert_eq!(files.map(|file| file.version().to_string()).collect::<Vec<_>>(), DAYS);
    let newest = DataVersion::parse(DAYS[2]).expect("a date");
    assert_eq!(stations.count_records(newest).expect("open").expect("sound"), 202);
}

#[test]
fn the_commands_handle_its_snapshots() {
    let folders = Folders::updated();
    let listed = folders.text("snapshot list");
    assert_eq!(listed.lines().filter(|line| line.starts_with("station ")).count(), 3, "{listed}");
    let inspected = folders.text("snapshot inspect station/2026-07-01");
    assert!(inspected.contains("station:\n  stations: 201\n"), "{inspected}");
    assert_eq!(folders.text("snapshot verify").matches("sound").count(), 3);
    let removed = folders.text("snapshot prune --keep 1");
    assert_eq!(removed.matches("removed").count(), 2, "{removed}");
    let path = folders.snapshots().join("station/2026-10-01.daicho");
    let mut bytes = fs::read(&path).expect("a file");
    *bytes.last_mut().expect("not empty") ^= 1;
    fs::write(&path, bytes).expect("written");
    let error = folders.run("snapshot verify").expect_err("damaged").to_string();
    assert_eq!(error, "1 of 1 snapshot is damaged");
}

#[test]
fn records_and_changes_are_exported() {
    let folders = Folders::updated();
    let records = folders.exported("");
    assert!(records.starts_with("code,name,line\r\n1,新1駅,路線1\r\n"), "{records}");
    assert_eq!(records.lines().count(), 1 + 202);
    assert_eq!(
        folders.exported("--changes"),
        "change,code,name,line\r\nchanged,2,新2駅,路線2\r\nadded,202,202駅,路線2\r\n"
    );
    let error = folders.run("export station --output out.csv --where q").expect_err("no language");
    assert!(error.to_string().starts_with("--where: station has no query language; "), "{error}");
}

#[test]
fn data_become_old_after_the_pause_of_their_source() {
    let day = |text: &str| DataVersion::parse(text).expect("a date");
    let facts = facts_named("station").expect("it is listed");
    assert_eq!(days_if_old(facts, day("2026-04-01"), day("2026-10-18")), None);
    assert_eq!(days_if_old(facts, day("2026-04-01"), day("2026-10-19")), Some(201));
}
