//! Commands that change files are killed, or have a failing system call, at each step in turn.
//!
//! A step is one system call of a command; strace injects the fault into the Nth call of each kind. After every fault,
//! a question about the data has the answer from before the command or the one from after it. The same command, run
//! again, must succeed and leave the same files as a run without a fault.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::zipped::zipped;

/// The system calls that change files. Each call is a step.
const CALLS: [&str; 10] = [
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "renameat",
    "rename",
    "unlink",
    "mkdir",
    "ftruncate",
    "flock",
];

/// What happens at a step.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Killed,
    /// The call returns ENOSPC, as on a full disk.
    Failed,
}

/// A command that changes files in a folder, and the question that is asked after each fault.
struct Case {
    /// Prepares the folder.
    before: fn(&Path),
    /// The command into which faults are injected.
    command: &'static [&'static str],
    /// The command line that asks about the data. Its answer must be the one from before or from after `command`.
    question: &'static [&'static str],
    /// Part of the error of a second run if the first one had done the work. `None`: the second run must succeed.
    done: Option<&'static str>,
}

/// Replaces `%/` with the path of the sample files.
fn filled(argument: &str) -> String {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/build-tools/sample/");
    argument.replace("%/", sample)
}

fn daicho(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    let arguments = arguments.iter().map(|argument| filled(argument));
    command.args(arguments).current_dir(folder).output().expect("the program runs")
}

/// The exit code and the standard output of the case's question.
fn ask(case: &Case, folder: &Path) -> String {
    let output = daicho(case.question, folder);
    let code = output.status.code();
    format!("{code:?} {}", String::from_utf8_lossy(&output.stdout))
}

fn must(arguments: &[&str], folder: &Path) -> String {
    let output = daicho(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs the command with a fault at call number `step` of a kind. `None` if it makes fewer calls of that kind.
fn faulty(case: &Case, folder: &Path, fault: Fault, call: &str, step: usize) -> Option<Output> {
    let kind = match fault {
        Fault::Killed => "signal=KILL",
        Fault::Failed => "error=ENOSPC",
    };
    let trace = folder.with_extension("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(&trace).args(["-e", &format!("trace={call}")]);
    command.args(["-e", &format!("inject={call}:{kind}:when={step}")]);
    command
        .arg(env!("CARGO_BIN_EXE_daicho"))
        .args(case.command.iter().map(|argument| filled(argument)));
    let output = command.current_dir(folder).output().expect("strace runs");
    let traced = fs::read_to_string(&trace).expect("strace writes its trace");
    let injected = traced.contains("(INJECTED)") || traced.contains("killed by SIGKILL");
    injected.then_some(output)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("copied")),
        }
    }
}

/// The files below a folder with their lengths. Left out are files that may differ: those of SQLite with its journal,
/// `update.json`, which records a failed update, and the lock of updates, which has the id of the process that held it.
fn files(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a folder").flatten() {
            match entry.metadata().expect("metadata") {
                metadata if metadata.is_dir() => open.push(entry.path()),
                _ if entry.file_name().to_string_lossy().starts_with("daicho.db") => {}
                _ if entry.file_name() == "update.json" => {}
                _ if entry.file_name() == ".update.lock" => {}
                metadata => {
                    let path = entry.path().strip_prefix(folder).expect("below it").to_owned();
                    found.insert(path, metadata.len());
                }
            }
        }
    }
    found
}

/// Injects a fault at every step of the command in turn.
fn check(case: &Case, fault: Fault) {
    let work = tempfile::tempdir().expect("a folder");
    let [sound, done, tried] = ["sound", "done", "tried"].map(|name| work.path().join(name));
    fs::create_dir(&sound).expect("a folder");
    (case.before)(&sound);
    copy(&sound, &done);
    let before = ask(case, &sound);
    must(case.command, &done);
    let after = ask(case, &done);
    let expected = files(&done);
    let mut steps = 0;
    for call in CALLS {
        for step in 1.. {
            fs::remove_dir_all(&tried).or_else(|_absent| fs::create_dir(&tried)).expect("removed");
            copy(&sound, &tried);
            let Some(output) = faulty(case, &tried, fault, call, step) else { break };
            steps += 1;
            let at =
                format!("{fault:?} at {call} {step}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(!at.contains("panicked"), "{at}");
            let found = ask(case, &tried);
            assert!(found == before || found == after, "{at}\n{found}");
            if output.status.success() {
                assert_eq!(found, after, "{at}: the command reported success");
            }
            let again = daicho(case.command, &tried);
            let errors = String::from_utf8_lossy(&again.stderr);
            // If the fault came after the work was done, some commands refuse to do it twice.
            assert!(
                again.status.success()
                    || found == after && case.done.is_some_and(|done| errors.contains(done)),
                "{at}\nagain: {errors}"
            );
            assert_eq!(ask(case, &tried), after, "{at}");
            assert_eq!(files(&tried), expected, "{at}");
        }
    }
    println!("{steps} steps");
    assert!(steps > 4, "only {steps} steps");
}

const POSTAL: Case = Case {
    before: |folder| {
        let files =
            ["--area", "%/2026-06-30/utf_ken_all.csv", "--business", "%/2026-06-30/JIGYOSYO.CSV"];
        let version = ["--version", "2026-06-30", "--out", "."];
        must(&[&["build", "postal"], &files[..], &version[..]].concat(), folder);
    },
    command: &[
        "build",
        "postal",
        "--area",
        "%/2026-06-30/utf_ken_all.csv",
        "--version",
        "2026-06-30",
        "--out",
        ".",
    ],
    question: &["lookup", "postal", "1008798", "--snapshots", "."],
    done: None,
};

const CORPORATE: Case = Case {
    before: |folder| {
        let full = ["--full", "%/2026-07-31/00_zenkoku_all_20260731.csv"];
        let version = ["--version", "2026-07-31", "--out", "."];
        must(&[&["build", "corporate"], &full[..], &version[..]].concat(), folder);
    },
    command: &[
        "build",
        "corporate",
        "--base",
        "corporate/2026-07-31.daicho",
        "--diff",
        "%/2026-08-03/diff_20260803.csv",
        "--version",
        "2026-08-03",
        "--out",
        ".",
    ],
    question: &["snapshot", "list", "--snapshots", "."],
    done: None,
};

const BANK: Case = Case {
    before: |folder| drop(must(&["build", "sample", "--out", "."], folder)),
    command: &[
        "build",
        "bank",
        "--source",
        "%/2026-05-25/ginkositen1.txt",
        "--version",
        "2026-05-25",
        "--out",
        ".",
    ],
    question: &["lookup", "bank", "0001", "--snapshots", "."],
    done: None,
};

/// Writes files of the sample to the folder `official`, each as a ZIP file with the given name.
fn put_official(folder: &Path, names: &[(&str, &str)]) {
    let official = folder.join("official");
    fs::create_dir_all(&official).expect("a folder");
    for (zip, name) in names {
        let bytes = fs::read(filled(&format!("%/{name}"))).expect("a file of the sample");
        let member = Path::new(name).file_name().and_then(|name| name.to_str()).expect("a name");
        fs::write(official.join(zip), zipped(&[(member, &bytes)])).expect("written");
    }
}

const FULL: (&str, &str) =
    ("00_zenkoku_all_20260731.zip", "2026-07-31/00_zenkoku_all_20260731.csv");
const DIFFERENCE: (&str, &str) = ("diff_20260803.zip", "2026-08-03/diff_20260803.csv");

const UPDATE: Case = Case {
    before: |folder| put_official(folder, &[FULL, DIFFERENCE]),
    command: &["update", "corporate", "--from", "official", "--snapshots", "."],
    question: &["snapshot", "list", "--snapshots", "."],
    done: None,
};

/// An update by the difference of one day, after an update by the full file.
const UPDATE_OF_A_DAY: Case = Case {
    before: |folder| {
        put_official(folder, &[FULL]);
        must(UPDATE.command, folder);
        put_official(folder, &[DIFFERENCE]);
    },
    ..UPDATE
};

/// The first postal data of a folder that has corporations, which the build uses to order suggestions.
const UPDATE_OF_POSTAL: Case = Case {
    before: |folder| {
        put_official(folder, &[FULL]);
        must(UPDATE.command, folder);
        let area = ("utf_ken_all.zip", "2026-05-29/utf_ken_all.csv");
        let business = ("jigyosyo.zip", "2026-05-29/JIGYOSYO.CSV");
        put_official(folder, &[area, business]);
        let page = folder.join("official/utf-zip.html");
        fs::write(page, "<p>2026年5月29日更新</p>").expect("written");
    },
    command: &["update", "postal", "--from", "official", "--snapshots", "."],
    question: &["snapshot", "inspect", "postal/2026-05-29.daicho"],
    done: None,
};

/// A build of invoice issuers from a difference and a snapshot of their full files.
const ISSUERS: Case = Case {
    before: |folder| {
        let full = ["%/2026-07-31/h_all_20260731_001.csv", "%/2026-07-31/j_all_20260731.csv"];
        let full = ["--full", full[0], "--full", full[1]];
        must(
            &[&["build", "invoice"], &full[..], &["--version", "2026-07-31", "--out", "."]]
                .concat(),
            folder,
        );
    },
    command: &[
        "build",
        "invoice",
        "--base",
        "invoice/2026-07-31.daicho",
        "--diff",
        "%/2026-08-04/diff_20260804.csv",
        "--version",
        "2026-08-04",
        "--out",
        ".",
    ],
    question: &["snapshot", "list", "--snapshots", "."],
    done: None,
};

const PRUNE: Case = Case {
    before: |folder| drop(must(&["build", "sample", "--out", "."], folder)),
    command: &["snapshot", "prune", "--keep", "1", "--snapshots", "."],
    question: &["lookup", "postal", "1000001", "--snapshots", "."],
    done: None,
};

const ACCOUNT: Case = Case {
    before: |folder| {
        let account = ["account", "create", "first", "--plan", "standard", "--state", "daicho.db"];
        must(&account, folder);
    },
    command: &["account", "create", "second", "--plan", "standard", "--state", "daicho.db"],
    question: &["account", "list", "--state", "daicho.db"],
    done: Some("second"),
};

/// A state file of the first release. The next command that writes to it migrates it.
const MIGRATION: Case = Case {
    before: |folder| {
        let store = rusqlite::Connection::open(folder.join("daicho.db")).expect("a file");
        let first = include_str!("../../src/account/store/migrations/0001_accounts_and_keys.sql");
        store
            .execute_batch(&format!(
                "{first}; PRAGMA application_id = 0x6463686f; PRAGMA user_version = 1;"
            ))
            .expect("SQL");
    },
    ..ACCOUNT
};

/// Defines a test for each command and fault.
macro_rules! faults {
    ($($name:ident: $case:ident $fault:ident;)*) => {
        $(
            #[needs::strace]
            #[test]
            fn $name() {
                check(&$case, Fault::$fault);
            }
        )*
    };
}

faults! {
    a_killed_rebuild_leaves_the_old_version_or_the_new_one: POSTAL Killed;
    a_rebuild_whose_writes_fail_leaves_the_old_version_or_the_new_one: POSTAL Failed;
    a_killed_build_from_a_difference_leaves_its_base_and_no_half_version: CORPORATE Killed;
    a_build_from_a_difference_whose_writes_fail_leaves_its_base_and_no_half_version: CORPORATE Failed;
    a_killed_build_of_banks_leaves_the_old_version_or_the_new_one: BANK Killed;
    a_build_of_banks_whose_writes_fail_leaves_the_old_version_or_the_new_one: BANK Failed;
    a_killed_update_is_completed_by_the_next_one: UPDATE Killed;
    an_update_whose_writes_fail_is_completed_by_the_next_one: UPDATE Failed;
    a_killed_update_of_a_day_leaves_the_version_before: UPDATE_OF_A_DAY Killed;
    an_update_of_a_day_whose_writes_fail_leaves_the_version_before: UPDATE_OF_A_DAY Failed;
    a_killed_update_of_postal_data_is_completed_by_the_next_one: UPDATE_OF_POSTAL Killed;
    an_update_of_postal_data_whose_writes_fail_is_completed_by_the_next_one: UPDATE_OF_POSTAL Failed;
    a_killed_build_of_issuers_from_a_difference_leaves_its_base: ISSUERS Killed;
    a_build_of_issuers_from_a_difference_whose_writes_fail_leaves_its_base: ISSUERS Failed;
    a_killed_prune_leaves_versions_that_answer: PRUNE Killed;
    a_prune_whose_calls_fail_leaves_versions_that_answer: PRUNE Failed;
    a_killed_creation_of_an_account_leaves_a_whole_account_or_none: ACCOUNT Killed;
    a_creation_of_an_account_whose_writes_fail_leaves_a_whole_account_or_none: ACCOUNT Failed;
    a_killed_migration_loses_no_account: MIGRATION Killed;
    a_migration_whose_writes_fail_loses_no_account: MIGRATION Failed;
}
