//! Installs client libraries and tools from their registries into the target folder, each version once.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Marker file, written once a folder is completely installed.
const COMPLETE: &str = "complete";

/// Node.js and npm.
pub struct Javascript;

impl Javascript {
    /// `None`, after a message, if they are missing.
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

    /// A folder with the packages listed in this `package.json`.
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
    /// `None`, after a message, if it is missing.
    pub fn find() -> Option<Python> {
        let found = runs(Command::new("python3").args(["-c", "import ensurepip, venv"]));
        found.then_some(Python).or_else(|| skipped("Python", "apt-get install python3-venv"))
    }

    /// An interpreter with `kenallclient` installed.
    pub fn client(&self, version: &str) -> Option<PathBuf> {
        self.packages(&format!("python-{version}"), &[&format!("kenallclient=={version}")])
    }

    /// An interpreter with these packages installed.
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

/// The folder of a library. Runs the commands that install it if it is not complete.
fn installed(name: &str, commands: impl FnOnce(&Path) -> Vec<Command>) -> Option<PathBuf> {
    let clients = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    fs::create_dir_all(&clients).expect("made");
    // Concurrent tests install the same library: one fills the folder while the others wait for the lock.
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
            let errors = String::from_utf8_lossy(&done.stderr).into_owned();
            return skipped(name, errors.trim());
        }
    }
    fs::write(folder.join(COMPLETE), "").expect("written");
    Some(folder)
}

fn runs(command: &mut Command) -> bool {
    command.output().is_ok_and(|done| done.status.success())
}

/// Writes to standard error what is skipped and why. Writes directly, because the test harness hides the
/// output of tests that pass.
fn skipped<T>(what: &str, reason: &str) -> Option<T> {
    let notice = format!("\nSKIPPED: {what} cannot be installed: {reason}\n\n");
    std::io::stderr().write_all(notice.as_bytes()).expect("standard error is writable");
    None
}
