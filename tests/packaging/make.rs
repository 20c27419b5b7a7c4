//! The Makefile, with scripts in place of cargo and its tools: a skipped check is in the last lines of `make check`, and the
//! static binary names no folder of this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{packaging, text};

/// A copy of the Makefile, in a folder whose name has a space, beside programs that only pretend.
struct Stubs(tempfile::TempDir);

impl Stubs {
    fn new(cargo: &str) -> Stubs {
        let stubs = Stubs(tempfile::tempdir().expect("a folder"));
        let (root, bin) = (stubs.root(), stubs.0.path().join("bin"));
        fs::create_dir_all(root.join("packaging")).expect("created");
        fs::create_dir(&bin).expect("created");
        for file in ["Makefile", "Cargo.toml", "packaging/paths.sh"] {
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

#[test]
fn the_static_binary_is_built_with_short_paths() {
    // The program is the flags of the compiler, one a line.
    let cargo = r#"folder=target/test-host/release
        mkdir -p $folder && printf %s "$CARGO_ENCODED_RUSTFLAGS" | tr '\037' '\n' >$folder/daicho"#;
    let stubs = Stubs::new(cargo);
    let made = stubs.make("static");
    assert!(made.status.success(), "{}", text(&made));
    let flags = fs::read_to_string(stubs.root().join("target/static/daicho")).expect("flags");
    let root = stubs.root().canonicalize().expect("a path");
    let expected = format!(
        "-C\ntarget-feature=+crt-static\n--cfg\ngetrandom_backend=\"linux_getrandom\"\n\
         --remap-path-prefix=/builder/.cargo=cargo\n--remap-path-prefix={}=daicho\n\
         --remap-path-prefix=/sysroot=rust",
        root.display()
    );
    assert_eq!(flags, expected);
}

#[test]
fn a_static_binary_that_names_folders_of_this_machine_is_refused() {
    let cargo = "folder=target/test-host/release
        mkdir -p $folder && echo 'x/builder/.cargo/registry/src/y' >$folder/daicho";
    let made = Stubs::new(cargo).make("static");
    assert!(!made.status.success());
    assert!(text(&made).contains("found /builder/.cargo/; build it with"), "{}", text(&made));
}

#[test]
fn folders_of_the_machine_that_built_a_program_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("daicho");
    let root = packaging().parent().expect("a folder").to_owned();
    let check = |program: &Path| {
        Command::new("sh")
            .arg(packaging().join("paths.sh"))
            .arg(program)
            .env("CARGO_HOME", "/builder/.cargo")
            .env("RUSTUP_HOME", "/builder/.rustup")
            .output()
            .expect("sh runs")
    };
    for (bytes, code) in [
        ("\0cargo/registry/src/x/lib.rs\0src/main.rs\0".to_owned(), 0),
        ("\0/builder/.cargo/registry/src/x/lib.rs\0".to_owned(), 1),
        ("\0/builder/.rustup/toolchains/x\0".to_owned(), 1),
        (format!("\0{}/src/main.rs\0", root.display()), 1),
        (format!("\0{}/target/release/build/x/out\0", root.display()), 1),
    ] {
        fs::write(&program, &bytes).expect("written");
        let checked = check(&program);
        assert_eq!(checked.status.code(), Some(code), "{bytes:?}: {}", text(&checked));
    }
    let refused = check(Path::new("/nowhere"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("expected PROGRAM"), "{}", text(&refused));
}
