//! The bundle is what its modules say, and their pure part does what it should.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::install::Javascript;

const BUILT: [&str; 4] = ["daicho.js", "daicho.js.map", "daicho.mjs", "daicho.mjs.map"];

#[test]
fn built_files_are_those_of_the_modules() {
    let Some(javascript) = Javascript::find() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let assets = root.join("src/forms/assets");
    let package = fs::read_to_string(assets.join("package.json")).expect("there");
    let version = package.split('"').nth_back(1).expect("a version");
    let Some(tools) = javascript.packages(&format!("esbuild-{version}"), &package) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new("node")
        .arg(assets.join("build.mjs"))
        .arg(tools)
        .arg(folder.path())
        .output()
        .expect("node runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for name in BUILT {
        let anew = fs::read(folder.path().join(name)).expect("built");
        let kept = fs::read(assets.join("built").join(name)).expect("committed");
        assert!(anew == kept, "{name} is not what its modules make: run `make js`");
    }
}

#[test]
fn pure_part_of_the_script_passes_its_own_tests() {
    let Some(_javascript) = Javascript::find() else { return };
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forms/text.test.mjs");
    let done = Command::new("node").arg("--test").arg(test).output().expect("node runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
