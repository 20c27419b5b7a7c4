//! A run that fails or is ended leaves the output file as it was. If the reader of a pipe stops, the run succeeds.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::{daicho, exports, month, names, place, refuses, text};

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let (folder, out) = place("no/a.csv");
    let message = refuses(&["bank", "--output", text(&out)], 1);
    assert!(message.contains("cannot write") && message.contains("no/a.csv"), "{message}");
    let message = refuses(&["bank", "--format", "csv", "--output", text(folder.path())], 2);
    assert!(message.contains("expected a file; found a folder"), "{message}");
    for format in ["csv", "jsonl", "parquet"] {
        let message = refuses(&["bank", "--format", format, "--output", "/dev/full"], 1);
        assert!(message.contains("cannot write /dev/full"), "{message}");
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_device_is_written_in_place() {
    for format in ["csv", "jsonl", "parquet"] {
        exports(&["bank", "--format", format, "--output", "/dev/null"]);
    }
    assert!(!fs::metadata("/dev/null").expect("there").is_file(), "/dev/null is still a device");
}

#[test]
fn a_damaged_snapshot_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = folder.path().join("snapshots/corporate");
    fs::create_dir_all(&snapshots).expect("made");
    let mut newest = names(&crate::sample::sample().join("corporate")).into_iter();
    let newest = newest.rfind(|name| name.ends_with(".daicho")).expect("a snapshot");
    let mut bytes =
        fs::read(crate::sample::sample().join("corporate").join(&newest)).expect("a file");
    // This text occurs only in records, so the damage is found only when one of them is read.
    let name = "台帳".as_bytes();
    let places = bytes.windows(name.len()).enumerate().filter(|(_, part)| *part == name);
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    places.iter().for_each(|at| bytes[*at] ^= 1);
    fs::write(snapshots.join(&newest), &bytes).expect("written");
    let out = folder.path().join("a.csv");
    fs::write(&out, "before").expect("written");
    let root = folder.path().join("snapshots");
    let message = refuses(&["corporate", "--snapshots", text(&root), "--output", text(&out)], 3);
    assert!(message.contains(&newest), "{message}");
    assert_eq!(fs::read_to_string(&out).expect("still there"), "before");
    assert_eq!(names(folder.path()), ["a.csv", "snapshots"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = daicho(&["export", "postal", "--format", "jsonl", "--output", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut line = String::new();
    let mut stdout = BufReader::with_capacity(64, child.stdout.take().expect("piped"));
    stdout.read_line(&mut line).expect("a first row");
    assert!(line.starts_with("{\"jisx0402\":"), "{line}");
    drop(stdout);
    let status = child.wait().expect("it ends");
    let mut errors = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
    assert!(status.success(), "{status}: {errors}");
}

#[test]
fn a_signal_removes_the_unfinished_file_and_so_does_the_run_after_a_kill() {
    // Postal codes of the whole country, so that the run is long enough to be ended.
    let (folder, out) = place("a.jsonl");
    fs::write(&out, "before").expect("written");
    let ended_by = |signal: Signal| {
        let mut child = daicho(&["export", "postal", "--output", text(&out)])
            .env("DAICHO_SNAPSHOTS", month())
            .spawn()
            .expect("the program runs");
        let begun = std::time::Instant::now();
        while !names(folder.path()).iter().any(|name| name.starts_with(".daicho-unfinished-")) {
            assert!(begun.elapsed().as_secs() < 60, "no unfinished file after a minute");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let id = i32::try_from(child.id()).expect("a process id");
        kill_process(Pid::from_raw(id).expect("not 0"), signal).expect("it runs");
        child.wait().expect("a child").code()
    };
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        assert_eq!(ended_by(signal), Some(code));
        assert_eq!(names(folder.path()), ["a.jsonl"], "no unfinished file is left");
    }
    assert_eq!(ended_by(Signal::KILL), None);
    assert_eq!(names(folder.path()).len(), 2, "a killed process leaves its unfinished file");
    assert_eq!(fs::read_to_string(&out).expect("still there"), "before");
    exports(&["bank", "--output", text(&out)]);
    assert_eq!(names(folder.path()), ["a.jsonl"]);
    assert!(fs::read_to_string(&out).expect("replaced").starts_with("{\"bank_code\""));
}
