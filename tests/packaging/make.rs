//! The Makefile, with scripts in place of cargo and its tools: a skipped check is in the last lines of `make check`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::text;

/// A copy of the Makefile, in a folder whose name has a space, beside programs that only pretend.
struct Stubs(tempfile::TempDir);

impl Stubs {
    fn new(cargo: &str) -> Stubs {
        let stubs = Stubs(tempfile::tempdir().expect("a folder"));
        let (root, bin) = (stubs.root(), stubs.0.path().join("bin"));
        fs::create_dir_all(root.join("packaging")).expect("created");
        fs::create_dir(&bin).expect("created");
        for file in ["Makefile", "Cargo.toml"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            fs::copy(from, root.join(file)).expect("copied");
        }
        let rustc = "case $1 in -vV) echo 'host: test-host' ;; --print) echo /sysroot ;; *) echo 'rustc 1.0.0 (x)' ;; esac";
        for (name, script) in [("cargo", cargo), ("rustc", rustc), ("rustup", "exit 1")] {
            let path = bin.join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("changed");
        }
        stubs
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("a folder")
    }

    fn make(&self, target: &str) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.0.path().join("bin").display());
        Command::new("make")
            .arg(target)
            .current_dir(self.root())
            .env("PATH", path)
            .env("CARGO_HOME", "/builder/.cargo")
            .env_remove("MAKEFLAGS")
            .output()
            .expect("make runs")
    }
}

#[test]
fn a_skipped_check_is_named_in_the_last_line_of_make_check() {
    let advisories = "known vulnerabilities are not checked";
    let every = "licences and known vulnerabilities of dependencies are not checked";
    for (cargo, expected) in [
        ("exit 0", None),
        (r#"[ "$1 $2" != 'deny fetch' ]"#, Some(advisories)),
        (r#"[ "$1" != deny ] && [ "$1" != install ]"#, Some(every)),
    ] {
        let stubs = Stubs::new(cargo);
        let made = stubs.make("check");
        assert!(made.status.success(), "{cargo}: {}", text(&made));
        let errors = String::from_utf8_lossy(&made.stderr);
        let last = errors.lines().next_back().unwrap_or_default();
        match expected {
            Some(expected) => {
                assert!(last.starts_with("SKIPPED: ") && last.ends_with(expected), "{errors}");
                assert_eq!(errors.matches(expected).count(), 2, "when it happens, and at the end");
            }
            None => assert!(!errors.contains("vulnerabilities"), "{errors}"),
        }
    }
}
