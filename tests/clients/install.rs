//! Client libraries and tools, from their registries into the target folder, each version once.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of a folder that is complete.
const COMPLETE: &str = "complete";

/// Node and npm.
pub struct Javascript;

impl Javascript {
    /// `None`, after saying so, where they are missing.
    pub fn find() -> Option<Javascript> {
        let found = ["node", "npm"].iter().all(|tool| runs(Command::new(tool).arg("--version")));
        found.then_some(Javascript).or_else(|| skipped("JavaScript", "apt-get install nodejs npm"))
    }

    /// The module of `@ken-all/kenall`.
    pub fn client(&self, version: &str) -> Option<PathBuf> {
        let name = "@ken-all/kenall";
        let package = format!("{{\"dependencies\":{{\"{name}\":\"{version}\"}}}}");
        let folder = self.packages(&format!("javascript-{version}"), &package)?;
        Some(folder.join("node_modules").join(name))
    }

    /// A folder with the packages that a `package.json` names.
    pub fn packages(&self, name: &str, package: &str) -> Option<PathBuf> {
        installed(name, |folder| {
            fs::write(folder.join("package.json"), package).expect("written");
            let mut npm = Command::new("npm");
            npm.current_dir(folder).args(["install", "--no-save", "--no-package-lock"]);
            npm.args(["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1"]);
            vec![npm]
        })
    }
}

/// Python with its module `venv`.
pub struct Python;

impl Python {
    /// `None`, after saying so, where it is missing.
    pub fn find() -> Option<Python> {
        let found = runs(Command::new("python3").args(["-c", "import ensurepip, venv"]));
        found.then_some(Python).or_else(|| skipped("Python", "apt-get install python3-venv"))
    }

    /// The interpreter that has `kenallclient`.
    pub fn client(&self, version: &str) -> Option<PathBuf> {
        self.packages(&format!("python-{version}"), &[&format!("kenallclient=={version}")])
    }

    /// The interpreter that has these packages.
    pub fn packages(&self, name: &str, requirements: &[&str]) -> Option<PathBuf> {
        let folder = installed(name, |folder| {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv"]).arg(folder);
            let mut pip = Command::new(folder.join("bin/python"));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            pip.arg("--retries=1").args(requirements);
            vec![venv, pip]
        })?;
        Some(folder.join("bin/python"))
    }
}

/// The folder of a library, after the commands that fill it where it is not complete.
fn installed(name: &str, commands: impl FnOnce(&Path) -> Vec<Command>) -> Option<PathBuf> {
    let clients = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    fs::create_dir_all(&clients).expect("made");
    // Tests that run side by side install the same library; one fills the folder and the others wait.
    let lock = File::create(clients.join(format!("{name}.lock"))).expect("made");
    lock.lock().expect("the file system has locks");
    let folder = clients.join(name);
    if folder.join(COMPLETE).exists() {
        return Some(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("made");
    for mut command in commands(&folder) {
        let done = command.output().expect("the tool runs");
        if !done.status.success() {
            let told = String::from_utf8_lossy(&done.stderr).into_owned();
            return skipped(name, told.trim());
        }
    }
    fs::write(folder.join(COMPLETE), "").expect("written");
    Some(folder)
}

fn runs(command: &mut Command) -> bool {
    command.output().is_ok_and(|done| done.status.success())
}

/// Says past the test harness, which shows nothing of a test that does not fail, what is left untested.
fn skipped<T>(what: &str, reason: &str) -> Option<T> {
    let told = format!("\nSKIPPED: {what} cannot be installed: {reason}\n\n");
    std::io::stderr().write_all(told.as_bytes()).expect("standard error takes it");
    None
}
