//! The committed bundles are those that the build makes from the modules, and the modules without DOM pass their tests
//! in node.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::tools;

const BUILT: [&str; 4] = ["daicho.js", "daicho.js.map", "daicho.mjs", "daicho.mjs.map"];

#[needs::esbuild]
#[test]
fn committed_bundles_are_those_of_the_modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let assets = root.join("src/forms/assets");
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new("node")
        .arg(assets.join("build.mjs"))
        .arg(tools::folder("esbuild"))
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

#[needs::node]
#[test]
fn modules_without_dom_pass_their_tests_in_node() {
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forms/text.test.mjs");
    let done = Command::new("node").arg("--test").arg(test).output().expect("node runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
