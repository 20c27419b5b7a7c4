//! The commands `daicho build`, `snapshot`, `get`, `lookup` and `search`, run as a process: on the sample, on
//! damaged copies of it, and on the official files.

mod bank;
mod corporate;
mod formats;
mod former_names;
mod get;
mod included;
mod invoice;
mod official;
mod refusals;
mod register;
mod renewed;
mod sample;
mod school;
mod search;
mod towns;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use daicho::dataset::postal::PostalData;
use daicho::record::postal::PostalView;
use daicho::snapshot::Dataset;

/// Runs the program.
fn daicho(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(arguments)
        .env_remove("DAICHO_SNAPSHOTS")
        .output()
        .expect("the program runs")
}

/// Runs the program, which must succeed, and returns its standard output.
#[track_caller]
fn succeeds(arguments: &[&str]) -> String {
    let output = daicho(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// Runs the program, which must fail with this exit code, and returns its standard error.
#[track_caller]
fn refuses(arguments: &[&str], code: i32) -> String {
    let output = daicho(arguments);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    errors
}

fn text(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// A file of the sample.
fn sample_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("build-tools/sample").join(name)
}

/// Opens the postal snapshot of a version.
fn open(snapshots: &Path, version: &str) -> PostalData {
    let path = snapshots.join("postal").join(format!("{version}.daicho"));
    let file = PostalData::open_in_catalog(&path);
    PostalData::from_file(file.expect("a snapshot that was built"))
}

/// The texts of a record that are taken from the source's town columns.
fn town_texts(record: PostalView<'_>) -> [&str; 6] {
    [
        record.town().name.text,
        record.town().kana.text,
        record.koaza().text,
        record.kyoto_street().text,
        record.building().text,
        record.floor().text,
    ]
}

/// Copies a file with its bytes changed.
fn changed_copy(from: &Path, to: &Path, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let bytes = fs::read(from).expect("a file of the sample");
    fs::write(to, change(bytes)).expect("written");
}
