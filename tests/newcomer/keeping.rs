//! Backups, the doctor, and keys that end.

use std::fs;

use super::{complaint, daicho, holds, printed, shows, walk};
use crate::support::sample;

#[test]
fn a_newcomer_makes_a_backup() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let run = |words: &str| daicho(at, &words.split(' ').collect::<Vec<_>>(), &[]);
    run("account create shop --plan standard");
    let made = run("backup daicho.backup");
    let again = run("restore daicho.backup");
    let dry = run("restore daicho.backup --state other.db --dry-run");
    let was_dry = !at.join("other.db").exists();
    let restored = run("restore daicho.backup --state other.db");
    let bytes = fs::read(at.join("daicho.backup")).expect("written");
    fs::write(at.join("short.backup"), &bytes[..bytes.len() / 2]).expect("written");
    let short = run("restore short.backup --state third.db");
    walk(
        6,
        [
            holds("a backup is made", made.status.success()),
            holds("a restore overwrites nothing", !again.status.success()),
            holds("a dry run writes nothing", dry.status.success() && was_dry),
            holds("a restore writes the state", restored.status.success()),
            shows("with its accounts", printed(&run("account list --state other.db")), "shop"),
            holds(
                "half an archive is refused",
                !short.status.success() && !at.join("third.db").exists(),
            ),
        ],
    );
}

#[test]
fn a_newcomer_asks_the_doctor() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let snapshots = sample().to_str().expect("UTF-8");
    let well = daicho(at, &["doctor", "--offline", "--snapshots", snapshots], &[]);
    let json = daicho(at, &["doctor", "--offline", "--json", "--snapshots", snapshots], &[]);
    let sick = daicho(at, &["doctor", "--offline", "--snapshots", "nowhere"], &[]);
    let sick_text = String::from_utf8_lossy(&sick.stdout).into_owned() + &complaint(&sick);
    walk(
        4,
        [
            shows("snapshots are intact", String::from_utf8_lossy(&well.stdout), "is intact"),
            holds(
                "JSON for programs",
                serde_json::from_slice::<serde_json::Value>(&json.stdout).is_ok(),
            ),
            holds("a missing folder ends with 1", sick.status.code() == Some(1)),
            shows("and is named", sick_text, "nowhere"),
        ],
    );
}

#[test]
fn a_newcomer_gives_a_key_an_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &str| daicho(folder.path(), &words.split(' ').collect::<Vec<_>>(), &[]);
    run("account create shop --plan standard");
    let create = "key create --account shop --kind secret --expires";
    walk(
        2,
        [
            holds("a key may end", run(&format!("{create} 90d")).status.success()),
            shows(
                "not in the past",
                complaint(&run(&format!("{create} 2020-01-01"))),
                "today or a later day",
            ),
        ],
    );
}
