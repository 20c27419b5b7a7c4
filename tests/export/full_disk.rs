//! A disk that is full while an export writes: the file is named, what was there stays, and nothing else is left.
//!
//! The disk is a small file system of its own, mounted where only the tested program sees it. Where nobody may mount
//! one, the tests say so; the limit of file sizes, which ends a write in the same place, is tested everywhere.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::sample::sample;
use super::{daicho, month, names, place, text};

const FORMATS: [&str; 4] = ["csv", "jsonl", "parquet", "sqlite"];

/// The smallest size that a file system of memory can have.
const PAGE: usize = 4096;

/// Exit code of the script where it may not mount.
const NOT_MOUNTED: i32 = 99;

/// Mounts a disk of $1 bytes at $2 with a file $3, runs the rest there with standard output at $4 if it is not empty, and
/// leaves what the disk has then in the folder $5.
const SCRIPT: &str = r#"
size=$1 disk=$2 name=$3 stdout=$4 left=$5; shift 5
mount -t tmpfs -o size="$size" tmpfs "$disk" 2>/dev/null || exit 99
printf before > "$disk/$name"
if [ -n "$stdout" ]; then "$@" > "$disk/$stdout"; else "$@"; fi
code=$?
for path in "$disk"/* "$disk"/.[!.]*; do [ -e "$path" ] && cp "$path" "$left"; done
exit $code
"#;

/// A disk of so many bytes, with a file that an export may replace.
struct Disk {
    folder: tempfile::TempDir,
    bytes: usize,
    name: String,
}

impl Disk {
    fn of(bytes: usize, format: &str) -> Disk {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["disk", "left"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Disk { folder, bytes, name: format!("a.{format}") }
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("disk").join(&self.name)
    }

    /// What is on the disk when the program has ended.
    fn left(&self) -> PathBuf {
        self.folder.path().join("left")
    }

    /// Runs the program, with its standard output in this file of the disk. `None` where nobody may mount a disk.
    fn run(&self, snapshots: &Path, arguments: &[&str], stdout: &str) -> Option<Output> {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"]);
        command.arg(self.bytes.to_string()).arg(self.folder.path().join("disk"));
        command.args([&*self.name, stdout]).arg(self.left());
        command.arg(env!("CARGO_BIN_EXE_daicho")).args(arguments);
        let output = command.env("DAICHO_SNAPSHOTS", snapshots).output().ok()?;
        // `unshare` itself ends with 1 and its own name where it may not.
        let refused = String::from_utf8_lossy(&output.stderr).starts_with("unshare: ");
        if refused || output.status.code() == Some(NOT_MOUNTED) {
            eprintln!("SKIPPED: no right to mount a file system: full disks are not tested");
            return None;
        }
        Some(output)
    }

    /// Exports into the file. Gives whether it fitted; if not, all that must hold is checked.
    fn takes(&self, snapshots: &Path, dataset: &str) -> Option<bool> {
        let place = self.place();
        let output = self.run(snapshots, &["export", dataset, "--output", text(&place)], "")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        let at = format!("{} of {} bytes: {errors}", self.name, self.bytes);
        let kept = fs::read(self.left().join(&self.name)).expect("a file");
        assert_eq!(names(&self.left()), [&*self.name], "{at}");
        if output.status.success() {
            assert_ne!(kept, b"before", "{at}");
            return Some(true);
        }
        assert_eq!(kept, b"before", "{at}");
        tells(&output, &format!("cannot write {}: ", place.display()), "; free disk space");
        Some(false)
    }
}

/// The program must have ended with 1 and one error, which says these.
#[track_caller]
fn tells(output: &Output, what: &str, remedy: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let error = errors.lines().last().unwrap_or_default();
    assert!(error.starts_with("daicho: ") && error.contains(what), "{errors}");
    assert!(error.contains(remedy), "{errors}");
}

#[test]
fn a_disk_that_is_full_at_any_page_leaves_the_file_as_it_was() {
    for format in FORMATS {
        let mut pages = 2;
        loop {
            match Disk::of(pages * PAGE, format).takes(sample(), "corporate") {
                None => return,
                Some(true) => break,
                Some(false) => pages += 1,
            }
        }
        assert!(pages > 2, "{format}: no disk was too small");
    }
}

#[test]
fn a_disk_that_fills_in_the_middle_leaves_the_file_as_it_was() {
    for format in FORMATS {
        match Disk::of(256 << 10, format).takes(month(), "postal") {
            None => return,
            Some(fitted) => assert!(!fitted, "{format}"),
        }
    }
}

#[test]
fn a_full_disk_behind_standard_output_is_told() {
    let (what, remedy) = ("cannot write standard output: ", "; free disk space");
    for format in ["csv", "jsonl"] {
        let full = File::options().write(true).open("/dev/full").expect("there on Linux");
        let mut command = daicho(&["export", "bank", "--format", format, "--output", "-"]);
        let output = command.stdout(full).stderr(Stdio::piped()).output();
        tells(&output.expect("the program runs"), what, remedy);
        let arguments = ["export", "postal", "--format", format, "--output", "-"];
        match Disk::of(256 << 10, format).run(month(), &arguments, "out") {
            None => return,
            Some(output) => tells(&output, what, remedy),
        }
    }
}

#[test]
fn a_file_past_the_limit_of_file_sizes_leaves_the_file_as_it_was() {
    for format in FORMATS {
        let (folder, out) = place(&format!("a.{format}"));
        fs::write(&out, "before").expect("written");
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 64 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_daicho")]);
        command.args(["export", "postal", "--output", text(&out)]);
        let output = command.env("DAICHO_SNAPSHOTS", month()).output().expect("a shell");
        tells(&output, &format!("cannot write {}: ", out.display()), "ulimit -f");
        assert_eq!(fs::read(&out).expect("still there"), b"before", "{format}");
        assert_eq!(names(folder.path()), [format!("a.{format}")]);
    }
}
