//! Snapshots in files: the present format is read, every other one is refused with the remedy.
//!
//! `formats/` has a bank directory that a program of version 0.3 wrote in format 16, and its header with the number of
//! each other format. If the format rises: cut the bank directory to its header (64 bytes), and add a bank directory of
//! the new format and a header of the format after it.

use std::fs;
use std::path::{Path, PathBuf};

use super::{daicho, succeeds, text};

/// The format that this program reads and writes.
const PRESENT: u32 = 16;

/// A folder with the fixture of a format as its only snapshot.
fn folder_with(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("bank")).expect("a folder");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/build/formats").join(name);
    fs::copy(fixture, snapshot(folder.path())).expect("a fixture");
    folder
}

fn snapshot(folder: &Path) -> PathBuf {
    folder.join("bank/2025-06-10.daicho")
}

#[test]
fn a_snapshot_of_the_present_format_from_an_earlier_program_answers() {
    let folder = folder_with(&format!("bank-{PRESENT}.daicho"));
    let out = text(folder.path());
    succeeds(&["snapshot", "verify", "--snapshots", out]);
    let bank = succeeds(&["lookup", "bank", "0001", "--snapshots", out]);
    let expected =
        "0001  (data version 2025-06-10)\n  台帳\n      ダイチヨウ  だいちよう  daichiyou\n";
    assert!(bank.starts_with(expected), "{bank}");
    let branch = succeeds(&["lookup", "bank", "0001", "010", "--snapshots", out]);
    assert!(branch.contains("見本\n      ミホン  みほん  mihon\n"), "{branch}");
}

#[test]
fn snapshots_of_other_formats_are_refused_with_the_remedy() {
    for format in (1..=PRESENT + 1).filter(|format| *format != PRESENT) {
        let folder = folder_with(&format!("header-{format}.daicho"));
        let out = text(folder.path());
        let expected = format!(
            "format {format}, this program reads format {PRESENT}; rebuild it with this program"
        );
        for command in [&["snapshot", "verify"][..], &["lookup", "bank", "0001"]] {
            let output = daicho(&[command, &["--snapshots", out]].concat());
            let message = [output.stdout, output.stderr].concat();
            let message = String::from_utf8(message).expect("text");
            assert_eq!(output.status.code(), Some(3), "{command:?}: {message}");
            assert!(message.contains(&expected), "{command:?}: {message}");
        }
    }
}
