//! Runs `daicho export` on the sample data: its columns are those of the documentation, its values are those of the
//! look-ups, wrong options are refused, and a failed run leaves files as they were.

mod changes;
#[path = "../account_store/cluster.rs"]
#[allow(dead_code, reason = "made for the tests of the store, which use all of it")]
mod cluster;
mod columns;
mod failures;
mod formats;
mod full_disk;
mod layouts;
mod options;
mod recipes;
mod table;
mod typed;
mod values;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::sample::sample;

const DATASETS: [&str; 5] = ["postal", "bank", "corporate", "invoice", "school"];

/// The included snapshots, with the postal codes of the whole country: so many rows that every format writes them in
/// several parts. Built once.
fn month() -> &'static Path {
    static MONTH: OnceLock<PathBuf> = OnceLock::new();
    MONTH.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("included");
        let built = daicho(&["build", "included", "--out", text(&folder)]).output();
        assert!(built.is_ok_and(|output| output.status.success()), "the included data are built");
        folder
    })
}

fn daicho(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args(arguments).env("DAICHO_SNAPSHOTS", sample());
    command
}

fn run(arguments: &[&str]) -> Output {
    daicho(&[&["export"], arguments].concat()).output().expect("the program runs")
}

/// Exports, which must succeed. Returns standard output, and standard error with the summary.
#[track_caller]
fn exports(arguments: &[&str]) -> (Vec<u8>, String) {
    let output = run(arguments);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{arguments:?}: {errors}");
    (output.stdout, errors)
}

/// Exports to standard output and returns it.
#[track_caller]
fn exported(dataset: &str, format: &str, options: &[&str]) -> String {
    let fixed = [dataset, "--format", format, "--output", "-", "--quiet"];
    let (stdout, errors) = exports(&[&fixed, options].concat());
    assert_eq!(errors, "", "--quiet prints no summary");
    String::from_utf8(stdout).expect("UTF-8")
}

/// Exports, which must end with this exit code and print no row. Returns the error message.
#[track_caller]
fn refuses(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{errors}");
    errors
}

/// A new folder, and a path in it.
fn place(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    (folder, path)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}
