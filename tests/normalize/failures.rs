//! A run that fails or is ended leaves the output file as it was. If the reader of a pipe stops, the run succeeds.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{CHIYODA, CHIYODA_ADDED, command, file, normalize, normalized, path, refuses};

#[test]
fn an_output_file_is_complete_and_may_be_the_input() {
    let (folder, csv) = file("a.csv", format!("住所\n{CHIYODA}\n").as_bytes());
    let out = folder.path().join("out.csv");
    let expected = normalized(&[path(&csv), "--column", "住所"], "");
    let (stdout, _) = normalize(&[path(&csv), "--column", "住所", "--output", path(&out)], b"");
    assert_eq!(stdout, b"");
    assert_eq!(fs::read_to_string(&out).expect("it was written"), expected);
    // The output may replace the input.
    normalize(&[path(&csv), "--column", "住所", "-o", path(&csv)], b"");
    assert_eq!(fs::read_to_string(&csv).expect("it was written"), expected);
    let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(names.len(), 2, "no unfinished file is left: {names:?}");
}

#[test]
fn a_failed_run_leaves_the_output_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out.csv");
    fs::write(&out, "before").expect("the test's own folder");
    // An unclosed quote after valid rows.
    let mut table = format!("住所\n{}\"", format!("{CHIYODA}\n").repeat(20_000)).into_bytes();
    table.resize(table.len() + (66 << 20), b'x');
    let message = refuses(&["--column", "住所", "--output", path(&out)], &table, 1);
    assert!(message.contains("line 20002") && message.contains("quote"), "{message}");
    assert_eq!(fs::read_to_string(&out).expect("still there"), "before");
    let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(names.len(), 1, "no unfinished file is left: {names:?}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = command(&["--no-header"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let line = format!("{CHIYODA}\n");
    // The program answers each line before the next is written.
    for _ in 0..3 {
        stdin.write_all(line.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("it answers");
        assert_eq!(answer, format!("{CHIYODA},{CHIYODA_ADDED}\n"));
    }
    drop(stdout);
    // Writing the next row fails on the closed pipe. The program must end although standard input stays open. A process that
    // another test starts at this moment may have the other end for some time, so one row may not be enough.
    let deadline = Instant::now() + Duration::from_secs(60);
    let status = loop {
        // Fails once the program has ended.
        let _ = stdin.write_all(line.as_bytes());
        match child.try_wait().expect("a child") {
            Some(status) => break status,
            None if Instant::now() > deadline => panic!("it reads on without a reader"),
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut errors = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
    assert!(status.success() && errors.is_empty(), "{status}: {errors}");
    drop(stdin);
}

#[test]
fn errors_name_missing_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.csv");
    let message = refuses(&[path(&missing), "--column", "1"], b"", 1);
    assert!(message.contains("missing.csv"), "{message}");
    let message = refuses(&[path(folder.path()), "--column", "1"], b"", 1);
    assert!(message.contains("cannot read"), "{message}");
    let nowhere = folder.path().join("no/out.csv");
    let message = refuses(&["--output", path(&nowhere)], b"x\n", 1);
    assert!(message.contains("cannot write"), "{message}");
    let message = refuses(&["--output", path(folder.path())], b"x\n", 2);
    assert!(message.contains("found a folder"), "{message}");
    let message = refuses(&["--snapshots", path(folder.path())], b"x\n", 1);
    assert!(message.contains("daicho build"), "{message}");
    let message = refuses(&["--version", "1999-01-01"], b"x\n", 1);
    assert!(message.contains("2026-06-30"), "{message}");
}

#[test]
fn a_device_is_written_in_place() {
    normalize(&["--output", "/dev/null"], format!("{CHIYODA}\n").as_bytes());
    let null = fs::metadata("/dev/null").expect("there");
    assert!(!null.is_file(), "/dev/null is still a device");
}

#[test]
fn invalid_arguments_are_refused() {
    for arguments in [
        ["--column", "0"],
        ["--column", ""],
        ["--delimiter", "ab"],
        ["--delimiter", "、"],
        ["--delimiter", "\""],
        ["--threads", "0"],
        ["--encoding", "utf-32"],
        ["--header-row", "-1"],
        ["--header-row", "2-1"],
        ["--header-row", "a"],
    ] {
        let output = super::run(&arguments, b"x\n");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_signal_removes_the_unfinished_file_and_so_does_the_run_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out.csv");
    let names = || -> Vec<String> {
        let names = fs::read_dir(folder.path()).expect("a folder");
        names.map(|it| it.expect("read").file_name().to_string_lossy().into_owned()).collect()
    };
    // Sends the signal when the unfinished output file exists, and returns the exit code.
    let ended_by = |signal: rustix::process::Signal| {
        let mut child = command(&["--column", "住所", "--quiet", "--output", path(&out)])
            .stdin(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut stdin = child.stdin.take().expect("piped");
        let written = std::thread::spawn(move || {
            // Fails if the program ends first. The pipe stays open, so that the program waits for more.
            let _ = stdin
                .write_all(format!("住所\n{}", format!("{CHIYODA}\n").repeat(400_000)).as_bytes());
            stdin
        });
        let begun = std::time::Instant::now();
        while !names().iter().any(|name| name.starts_with(".daicho-unfinished-")) {
            assert!(
                begun.elapsed().as_secs() < 60,
                "no unfinished file after a minute: {:?}",
                names()
            );
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = i32::try_from(child.id()).expect("a process id");
        let id = rustix::process::Pid::from_raw(id).expect("not 0");
        rustix::process::kill_process(id, signal).expect("it runs");
        let code = child.wait().expect("a child").code();
        drop(written.join());
        code
    };
    for (signal, code) in
        [(rustix::process::Signal::INT, 130), (rustix::process::Signal::TERM, 143)]
    {
        assert_eq!(ended_by(signal), Some(code));
        assert_eq!(names(), Vec::<String>::new(), "no unfinished file is left");
    }
    assert_eq!(ended_by(rustix::process::Signal::KILL), None);
    assert_eq!(names().len(), 1, "a killed process leaves its unfinished file");
    normalize(
        &["--column", "住所", "--output", path(&out)],
        format!("住所\n{CHIYODA}\n").as_bytes(),
    );
    assert_eq!(names(), ["out.csv"]);
}
