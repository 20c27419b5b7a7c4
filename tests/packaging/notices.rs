//! The notices of third parties: they name every package in the program, with its licence and its texts.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use super::{packaging, text};

/// The packages in the program, such as `hyper 1.8.1`, without those of this repository: what cargo prints as a tree.
fn packages_in_the_program() -> BTreeSet<String> {
    let tree = Command::new("cargo")
        .args(["tree", "--locked", "--package", "daicho", "--edges", "normal", "--prefix", "none"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", text(&tree));
    let lines = String::from_utf8(tree.stdout).expect("UTF-8");
    let packages = lines.lines().filter(|line| !line.contains(env!("CARGO_MANIFEST_DIR")));
    let names = packages.filter_map(|line| {
        let mut words = line.split(' ');
        Some(format!("{} {}", words.next()?, words.next()?.strip_prefix('v')?))
    });
    names.collect()
}

#[needs::python]
#[test]
fn the_notices_name_every_package_in_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str| {
        let path = folder.path().join(name);
        let made = Command::new("python3")
            .arg(packaging().join("notices.py"))
            .arg(&path)
            .output()
            .expect("python3 runs");
        assert!(made.status.success(), "{}", text(&made));
        fs::read_to_string(path).expect("notices")
    };
    let notices = write("first");
    let (list, texts) = notices.split_once(&"-".repeat(80)).expect("a list and texts");
    let named: BTreeSet<&str> = list.lines().collect();
    let packages = packages_in_the_program();
    assert!(packages.len() > 200, "{} packages", packages.len());
    let missing: Vec<_> =
        packages.iter().filter(|package| !named.contains(package.as_str())).collect();
    assert!(missing.is_empty(), "packages without notices: {missing:?}");

    // Each package has texts, and the numbers are those of texts.
    let numbers: Vec<_> =
        list.lines().filter_map(|line| line.strip_prefix("    texts: ")).collect();
    assert!(numbers.len() >= packages.len());
    for number in numbers.iter().flat_map(|numbers| numbers.split(", ")) {
        assert!(texts.contains(&format!("\n[{number}]\n")), "no text {number:?}");
    }
    for expected in ["Mozilla Public License", "The Rust Project Developers", "ring", "sqlite"] {
        assert!(notices.contains(expected), "{expected}");
    }
    assert_eq!(write("second"), notices, "the same sources give the same bytes");
}

#[needs::python]
#[test]
fn wrong_arguments_of_the_notices_are_named() {
    let run = Command::new("python3").arg(packaging().join("notices.py")).output().expect("runs");
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run).contains("expected FILE [TARGET]; found 0 arguments"), "{}", text(&run));
}
