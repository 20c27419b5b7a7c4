//! What a newcomer does in the first hour, in over sixty steps: opens pages, mistypes commands, sets the server up with a file, puts
//! it behind a proxy, corrects data, makes a backup. Each step is what a person would do, and what the person must see.
//!
//! Other tests look at each feature closely; these say that it is there, and fail with all steps that failed at once.

mod command_line;
mod data;
mod keeping;
mod pages;
mod proxy;

use std::path::Path;
use std::process::{Command, Output};

/// What was done, and whether the newcomer saw what was expected.
pub struct Step {
    what: &'static str,
    seen: Result<(), String>,
}

/// A step that expects a text in what was seen.
pub fn shows(what: &'static str, seen: impl AsRef<str>, expected: &str) -> Step {
    let seen = seen.as_ref();
    let is_there = seen.contains(expected);
    let shown: String = seen.chars().take(600).collect();
    let seen =
        is_there.then_some(()).ok_or_else(|| format!("expected {expected:?}; found {shown}"));
    Step { what, seen }
}

/// A step that expects a fact.
pub fn holds(what: &'static str, is_so: bool) -> Step {
    Step { what, seen: is_so.then_some(()).ok_or_else(|| "it is not so".to_owned()) }
}

/// Asserts that there are this many steps and that none failed.
#[track_caller]
pub fn walk(count: usize, steps: impl IntoIterator<Item = Step>) {
    let steps: Vec<Step> = steps.into_iter().collect();
    let failed: Vec<String> = steps
        .iter()
        .filter_map(|step| Some(format!("{}: {}", step.what, step.seen.as_ref().err()?)))
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} steps failed:\n{}",
        failed.len(),
        steps.len(),
        failed.join("\n")
    );
    assert_eq!(steps.len(), count);
}

/// Runs the program in a folder, without the variables of the person who runs the tests.
pub fn daicho(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("DAICHO_")) {
        command.env_remove(name);
    }
    command.env_remove("LANG").env_remove("LC_ALL").env_remove("LC_MESSAGES");
    command.args(arguments).envs(variables.iter().copied()).current_dir(folder);
    command.output().expect("the program runs")
}

/// Standard output of a command that succeeds, else what went wrong.
pub fn printed(output: &Output) -> String {
    match output.status.success() {
        true => String::from_utf8_lossy(&output.stdout).into_owned(),
        false => format!("exit {:?}: {}", output.status.code(), complaint(output)),
    }
}

/// Standard error of a command.
pub fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
