//! `daicho snapshot install` copies sound snapshots to the folder of a server and refuses others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::sample;

const PLACE: &str = "postal/2026-06-30.daicho";

fn install(files: &[&Path], folder: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["snapshot", "install", "--snapshots"])
        .arg(folder)
        .args(files)
        .output()
        .expect("the binary runs");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(printed).expect("text"))
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("readable").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn a_sound_snapshot_is_installed_once_with_its_download() {
    let work = tempfile::tempdir().expect("a folder");
    let (folder, source) = (work.path().join("snapshots"), work.path().join("any name"));
    let download = work.path().join("any name.kenall.json.xz");
    fs::copy(sample().join(PLACE), &source).expect("copied");
    let content = sample().join(PLACE).with_extension("kenall.json.xz");
    fs::copy(&content, &download).expect("copied");
    // The unfinished file of a killed run is removed.
    fs::create_dir_all(folder.join("postal")).expect("a folder");
    fs::write(folder.join("postal/.unfinished-killed"), b"half").expect("written");
    let place = folder.join(PLACE);
    let (code, output) = install(&[&source], &folder);
    assert_eq!((code, output), (Some(0), format!("installed {}\n", place.display())));
    assert_eq!(fs::read(&place).expect("there"), fs::read(&source).expect("there"));
    let with_download = place.with_extension("kenall.json.xz");
    assert_eq!(files(&folder), [place.clone(), with_download.clone()]);
    assert!(fs::read(with_download).expect("there") == fs::read(content).expect("there"));
    let (code, output) = install(&[&source], &folder);
    assert_eq!(code, Some(1), "{output}");
    assert!(
        output.contains("this version exists already; to replace it, remove that file"),
        "{output}"
    );
    let bank = sample().join("bank/2026-05-25.daicho");
    let school = files(&sample().join("school")).pop().expect("a school snapshot");
    let (code, output) = install(&[&bank, &school], &folder);
    assert_eq!((code, output.lines().count()), (Some(0), 2), "{output}");
}

#[test]
fn a_file_that_is_no_sound_snapshot_is_refused_and_leaves_no_file() {
    let work = tempfile::tempdir().expect("a folder");
    let (folder, source) = (work.path().join("snapshots"), work.path().join("file"));
    let sound = fs::read(sample().join(PLACE)).expect("there");
    let mut flipped = sound.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for (bytes, code, expected) in [
        (&flipped[..], 3, "is damaged: checksum expected"),
        (&sound[..sound.len() - 16], 3, "file: "),
        (b"PK\x03\x04 something else", 3, "file: "),
        (b"", 3, "file: "),
    ] {
        fs::write(&source, bytes).expect("written");
        let (found, output) = install(&[&source], &folder);
        assert_eq!(found, Some(code), "{output}");
        assert!(output.contains(expected) && output.contains("/file: "), "{output}");
        assert!(!output.contains(".unfinished"), "{output}");
        assert!(files(&folder).is_empty(), "{:?}", files(&folder));
    }
    let (code, output) = install(&[&work.path().join("none")], &folder);
    assert_eq!(code, Some(1), "{output}");
    assert!(output.contains("/none: no such file; expected a snapshot file"), "{output}");
    let (code, output) = install(&[], &folder);
    assert_eq!(code, Some(2), "{output}");
}

#[test]
#[cfg(unix)]
fn a_link_or_a_pipe_is_not_installed() {
    use std::os::unix::fs::symlink;
    let work = tempfile::tempdir().expect("a folder");
    let folder = work.path().join("snapshots");
    let (source, other) = (work.path().join("source"), work.path().join("other"));
    fs::copy(sample().join(PLACE), &source).expect("copied");
    let download = work.path().join("source.kenall.json.xz");
    let refused = |file: &Path, expected: &str| {
        let (code, output) = install(&[file], &folder);
        assert!(matches!(code, Some(1 | 3)) && output.contains(expected), "{code:?}: {output}");
        assert!(files(&folder).is_empty(), "{:?}", files(&folder));
    };
    symlink(&source, &other).expect("created");
    refused(&other, "expected a regular file, found a link");
    symlink("private", &download).expect("created");
    refused(&source, "expected a regular file, found a link");
    fs::write(work.path().join("private"), b"secret").expect("written");
    refused(&source, "expected a regular file, found a link");
    fs::remove_file(&download).expect("removed");
    assert!(Command::new("mkfifo").arg(&download).status().expect("mkfifo runs").success());
    refused(&source, "found a pipe");
    fs::remove_file(&download).expect("removed");
    fs::write(&download, b"secret").expect("written");
    refused(&source, "expected a whole .xz");
    fs::remove_file(&download).expect("removed");
    assert_eq!(install(&[&source], &folder).0, Some(0));
}

#[test]
fn snapshots_installed_before_a_refused_one_are_reported() {
    let work = tempfile::tempdir().expect("a folder");
    let folder = work.path().join("snapshots");
    let (code, output) = install(&[&sample().join(PLACE), &work.path().join("none")], &folder);
    assert_eq!(code, Some(1), "{output}");
    let installed = format!("installed {}\n", folder.join(PLACE).display());
    assert!(output.starts_with(&installed) && output.contains("/none: no such file"), "{output}");
}
