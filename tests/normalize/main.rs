//! Runs `daicho normalize` on the sample data: its output for every kind of file, the arguments and
//! files that it refuses, runs that fail, and readers that close the pipe.

mod additions;
mod columns;
mod encodings;
mod failures;
mod headers;
mod inputs;
mod locations;
mod matching;
mod parquets;
mod quotes;
mod review;
mod sheets;
mod tables;
mod texts;
mod workbooks;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::sample::sample;

/// The columns that the program adds by default.
const ADDED: &str = "match,postal_code,prefecture,county,city,city_ward,town,kyoto_street,\
                     block_lot_num,building,floor_room";
/// An address of the sample data, and the values that the program adds to its row.
const CHIYODA: &str = "東京都千代田区千代田1-1";
const CHIYODA_ADDED: &str = "full,1000001,東京都,,千代田区,,千代田,,1-1,,";
const NOTHING_ADDED: &str = "none,,,,,,,,,,";
const BLANK_ADDED: &str = "blank,,,,,,,,,,";
const UNREADABLE_ADDED: &str = "unreadable,,,,,,,,,,";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.arg("normalize").args(arguments);
    command.env("DAICHO_SNAPSHOTS", sample());
    command
}

/// Runs the program with `input` as standard input.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("piped");
    std::thread::scope(|scope| {
        // Fails if the program ends before it has read everything.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("it ends")
    })
}

/// Runs the program, which must succeed. Returns standard output, and standard error with the summary.
#[track_caller]
fn normalize(arguments: &[&str], input: &[u8]) -> (Vec<u8>, String) {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{arguments:?}: {errors}");
    (output.stdout, errors)
}

/// Runs the program on text in UTF-8, which must succeed. Returns standard output.
#[track_caller]
fn normalized(arguments: &[&str], input: &str) -> String {
    String::from_utf8(normalize(arguments, input.as_bytes()).0).expect("UTF-8")
}

/// Runs the program, which must end with this exit code and print no row. Returns the error message.
#[track_caller]
fn refuses(arguments: &[&str], input: &[u8], code: i32) -> String {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(errors.starts_with("daicho: "), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{errors}");
    errors
}

fn path(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// A folder with one file in it.
fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("the test's own folder");
    (folder, path)
}
