//! The committed bundles are those that the build makes from the modules, and the modules without DOM pass their tests
//! in node. Skipped with a message without node or npm.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::install::Javascript;

const BUILT: [&str; 4] = ["daicho.js", "daicho.js.map", "daicho.mjs", "daicho.mjs.map"];

#[test]
fn committed_bundles_are_those_of_the_modules() {
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
        assert!(anew == kept, "{name} differs from a new build of the modules: run `make js`");
    }
}

#[test]
fn modules_without_dom_pass_their_tests_in_node() {
    let Some(_javascript) = Javascript::find() else { return };
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forms/text.test.mjs");
    let done = Command::new("node").arg("--test").arg(test).output().expect("node runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
