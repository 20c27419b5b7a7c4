//! `daicho build corporate --invoice`: which corporations are qualified invoice issuers, and which
//! registers are refused.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{refuses, sample_file, succeeds, text};

const SHOP: &str = "6010001999901";
const OTHER: &str = "5010001999902";
/// A corporation that took another one over, and is open.
const SUCCESSOR: &str = "1010001999906";

/// A line of the register, of a corporation registered since the register's first day.
fn line(number: &str, process: &str, update: &str, disposed: &str) -> String {
    format!(
        "1,\"T{number}\",{process},0,2,1,1,2023-10-01,{update},{disposed},,\"東京都\",13,101,\"\",,,\
         \"\",\"台帳\",\"\",,,\"\",\"\"\n"
    )
}

fn file(folder: &Path, name: &str, lines: &[String]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, lines.concat()).expect("written");
    path
}

/// Builds and returns the folder of snapshots.
fn build(folder: &Path, name: &str, version: &str, arguments: &[&str]) -> PathBuf {
    let out = folder.join(name);
    let fixed = ["build", "corporate", "--version", version, "--out", text(&out)];
    succeeds(&[&fixed, arguments].concat());
    out
}

/// The issuer's registration number in the record of a corporation.
fn issuer(out: &Path, number: &str) -> Value {
    let arguments = ["lookup", "corporate", number, "--json", "--snapshots", text(out)];
    let answer: Value = serde_json::from_str(&succeeds(&arguments)).expect("JSON");
    answer["data"]["qualified_invoice_issuer_number"].clone()
}

fn snapshot(out: &Path, version: &str) -> PathBuf {
    out.join("corporate").join(format!("{version}.daicho"))
}

#[test]
fn only_registered_corporations_are_issuers() {
    let folder = tempfile::tempdir().expect("a folder");
    let full = sample_file("2026-07-31/00_zenkoku_all_20260731.csv");
    let full = text(&full);
    let unknown = build(folder.path(), "unknown", "2026-07-31", &["--full", full]);
    assert_eq!(issuer(&unknown, SHOP), "T6010001999901", "any may be one without a register");
    let whole = [line(SHOP, "01", "2022-06-13", ""), line(OTHER, "01", "2022-06-13", "")];
    let whole = file(folder.path(), "h_all_20260731_001.csv", &whole);
    let revoked = [line(OTHER, "04", "2026-07-30", "2026-07-29")];
    let revoked = file(folder.path(), "diff_20260730.csv", &revoked);
    let register = ["--full", full, "--invoice", text(&revoked), text(&whole)];
    let known = build(folder.path(), "known", "2026-07-31", &register);
    assert_eq!(issuer(&known, SHOP), "T6010001999901");
    assert_eq!(issuer(&known, OTHER), Value::Null, "revoked two days before");
    let earlier =
        build(folder.path(), "earlier", "2026-07-31", &["--full", full, "--invoice", text(&whole)]);
    assert_eq!(issuer(&earlier, OTHER), "T5010001999902");
    let inspected =
        |out: &Path| succeeds(&["snapshot", "inspect", text(&snapshot(out, "2026-07-31"))]);
    assert!(inspected(&known).contains("from the register of 2026-07-30"), "{}", inspected(&known));
    assert!(inspected(&unknown).contains("--invoice"), "{}", inspected(&unknown));
}

#[test]
fn a_base_keeps_its_issuers_until_a_register_is_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let full = sample_file("2026-07-31/00_zenkoku_all_20260731.csv");
    let difference = sample_file("2026-08-03/diff_20260803.csv");
    let register = file(folder.path(), "h_all_20260731.csv", &[line(SHOP, "01", "2022-06-13", "")]);
    let (full, difference, register) = (text(&full), text(&difference), text(&register));
    let base = build(folder.path(), "base", "2026-07-31", &["--full", full, "--invoice", register]);
    let base = snapshot(&base, "2026-07-31");
    let applied = ["--base", text(&base), "--diff", difference];
    let applied = build(folder.path(), "applied", "2026-08-03", &applied);
    let whole = ["--full", full, "--diff", difference, "--invoice", register];
    let whole = build(folder.path(), "whole", "2026-08-03", &whole);
    let bytes = |out: &Path| fs::read(snapshot(out, "2026-08-03")).expect("built");
    assert!(bytes(&applied) == bytes(&whole), "the same state has the same bytes");
    assert_eq!(
        [issuer(&applied, SHOP), issuer(&applied, OTHER)],
        [Value::from("T6010001999901"), Value::Null]
    );
    let registered = [OTHER, SUCCESSOR].map(|number| line(number, "01", "2026-08-03", ""));
    let later = file(folder.path(), "h_all_20260803.csv", &registered);
    let later = ["--base", text(&base), "--diff", difference, "--invoice", text(&later)];
    let later = build(folder.path(), "later", "2026-08-03", &later);
    assert_eq!(
        [issuer(&later, SHOP), issuer(&later, OTHER), issuer(&later, SUCCESSOR)],
        [Value::Null, Value::Null, Value::from("T1010001999906")],
        "a closed corporation has no number"
    );
}

#[test]
fn a_file_that_is_not_a_register_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let full = sample_file("2026-07-31/00_zenkoku_all_20260731.csv");
    let good = line(SHOP, "01", "2022-06-13", "");
    let refused_file = |invoice: &Path| {
        let fixed = ["build", "corporate", "--version", "2026-07-31", "--out", text(&out)];
        let given = ["--full", text(&full), "--invoice", text(invoice)];
        refuses(&[&fixed[..], &given].concat(), 1)
    };
    let refused = |name: &str, lines: &[String]| refused_file(&file(folder.path(), name, lines));
    let message = refused("empty.csv", &[]);
    assert!(message.contains("expected qualified invoice issuers"), "{message}");
    let message = refused_file(&full);
    assert!(message.contains("a first line with 30"), "{message}");
    let message = refused("late.csv", &[line(SHOP, "01", "2026-08-01", "")]);
    assert!(message.contains("a publication date no later than version 2026-07-31"), "{message}");
    let message = refused("wrong.csv", &[good.clone(), good.replace("T6", "T7")]);
    assert!(message.contains("wrong.csv:2") && message.contains("rows were rejected"), "{message}");
    let cut = good[..40].to_owned();
    let message = refused("cut.csv", &[good, cut]);
    assert!(message.contains("cut short"), "{message}");
    assert!(refused_file(Path::new("nowhere.csv")).contains("nowhere.csv"));
    assert!(!out.join("corporate").exists());
}
