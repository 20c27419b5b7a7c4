//! The disk becomes full during an export: the error names the file, the file stays as it was, and no unfinished file
//! is left.
//!
//! The disk is a small tmpfs in a mount namespace that only the tested program sees.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{daicho, month, names, place, text};
use crate::sample::sample;

const FORMATS: [&str; 4] = ["csv", "jsonl", "parquet", "sqlite"];

/// The smallest size of a tmpfs in bytes.
const PAGE: usize = 4096;

/// Exit code of the script if it may not mount.
const NOT_MOUNTED: i32 = 99;

/// Mounts a disk of $1 bytes at $2 with a file $3 and runs the remaining arguments as a command. If $4 is not empty,
/// the command's standard output goes to the file $4 on the disk. Then copies all files of the disk to the folder $5.
const SCRIPT: &str = r#"
size=$1 disk=$2 name=$3 stdout=$4 left=$5; shift 5
mount -t tmpfs -o size="$size" tmpfs "$disk" || exit 99
printf before > "$disk/$name"
if [ -n "$stdout" ]; then "$@" > "$disk/$stdout"; else "$@"; fi
code=$?
for path in "$disk"/* "$disk"/.[!.]*; do [ -e "$path" ] && cp "$path" "$left"; done
exit $code
"#;

/// A disk of `bytes` bytes, with a file `name` that an export may replace.
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

    /// The folder with the files that were on the disk when the program ended.
    fn left(&self) -> PathBuf {
        self.folder.path().join("left")
    }

    /// Runs the program. If `stdout` is not empty, standard output goes to that file on the disk.
    fn run(&self, snapshots: &Path, arguments: &[&str], stdout: &str) -> Output {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"]);
        command.arg(self.bytes.to_string()).arg(self.folder.path().join("disk"));
        command.args([&*self.name, stdout]).arg(self.left());
        command.arg(env!("CARGO_BIN_EXE_daicho")).args(arguments);
        let output = command.env("DAICHO_SNAPSHOTS", snapshots).output().expect("unshare runs");
        let is_mounted = output.status.code() != Some(NOT_MOUNTED);
        assert!(is_mounted, "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Exports to the file and checks the result. Returns whether the export fitted on the disk.
    fn takes(&self, snapshots: &Path, dataset: &str) -> bool {
        let place = self.place();
        let output = self.run(snapshots, &["export", dataset, "--output", text(&place)], "");
        let errors = String::from_utf8_lossy(&output.stderr);
        let at = format!("{} of {} bytes: {errors}", self.name, self.bytes);
        let kept = fs::read(self.left().join(&self.name)).expect("a file");
        assert_eq!(names(&self.left()), [&*self.name], "{at}");
        if output.status.success() {
            assert_ne!(kept, b"before", "{at}");
            return true;
        }
        assert_eq!(kept, b"before", "{at}");
        expect_error(&output, &format!("cannot write {}: ", place.display()), "; free disk space");
        false
    }
}

/// The program must have ended with code 1 and an error that contains `what` and `remedy`.
#[track_caller]
fn expect_error(output: &Output, what: &str, remedy: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let error = errors.lines().last().unwrap_or_default();
    assert!(error.starts_with("daicho: ") && error.contains(what), "{errors}");
    assert!(error.contains(remedy), "{errors}");
}

#[needs::mount]
#[test]
fn a_disk_that_becomes_full_at_any_page_leaves_the_file_as_it_was() {
    for format in FORMATS {
        let mut pages = 2;
        while !Disk::of(pages * PAGE, format).takes(sample(), "corporate") {
            pages += 1;
        }
        assert!(pages > 2, "{format}: the smallest disk was not full");
    }
}

#[needs::mount]
#[test]
fn a_disk_that_becomes_full_in_the_middle_leaves_the_file_as_it_was() {
    for format in FORMATS {
        assert!(!Disk::of(256 << 10, format).takes(month(), "postal"), "{format}");
    }
}

const STDOUT_ERROR: (&str, &str) = ("cannot write standard output: ", "; free disk space");

#[test]
fn standard_output_that_takes_no_byte_is_an_error() {
    for format in ["csv", "jsonl"] {
        let full = File::options().write(true).open("/dev/full").expect("there on Linux");
        let mut command = daicho(&["export", "bank", "--format", format, "--output", "-"]);
        let output = command.stdout(full).stderr(Stdio::piped()).output();
        expect_error(&output.expect("the program runs"), STDOUT_ERROR.0, STDOUT_ERROR.1);
    }
}

#[needs::mount]
#[test]
fn a_full_disk_under_standard_output_is_an_error() {
    for format in ["csv", "jsonl"] {
        let arguments = ["export", "postal", "--format", format, "--output", "-"];
        let output = Disk::of(256 << 10, format).run(month(), &arguments, "out");
        expect_error(&output, STDOUT_ERROR.0, STDOUT_ERROR.1);
    }
}

#[test]
fn an_export_above_the_limit_of_file_sizes_leaves_the_file_as_it_was() {
    for format in FORMATS {
        let (folder, out) = place(&format!("a.{format}"));
        fs::write(&out, "before").expect("written");
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 64 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_daicho")]);
        command.args(["export", "postal", "--output", text(&out)]);
        let output = command.env("DAICHO_SNAPSHOTS", month()).output().expect("a shell");
        expect_error(&output, &format!("cannot write {}: ", out.display()), "ulimit -f");
        assert_eq!(fs::read(&out).expect("still there"), b"before", "{format}");
        assert_eq!(names(folder.path()), [format!("a.{format}")]);
    }
}
