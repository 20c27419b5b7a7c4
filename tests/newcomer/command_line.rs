//! Mistyped commands, short forms, and settings from a file and from variables.

use std::fs;

use super::{complaint, daicho, holds, printed, shows, walk};
use crate::support::sample;

#[test]
fn a_newcomer_types_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let snapshots = sample().to_str().expect("UTF-8");
    let found =
        |arguments: &[&str]| printed(&daicho(at, arguments, &[("DAICHO_SNAPSHOTS", snapshots)]));
    let unknown = daicho(at, &["lokup", "1000001"], &[]);
    let empty = [
        ("DAICHO_SNAPSHOTS", snapshots),
        ("DAICHO_STATE", ""),
        ("DAICHO_LISTEN", ""),
        ("DAICHO_AGE_DAYS", ""),
    ];
    let closed = daicho(at, &["health"], &[("DAICHO_LISTEN", "127.0.0.1:9")]);
    walk(
        10,
        [
            shows("an unknown verb lists the verbs", complaint(&unknown), "lookup"),
            holds("and ends with 2", unknown.status.code() == Some(2)),
            shows("a code alone is looked up", found(&["1000001"]), "千代田"),
            shows("an address alone is read", found(&["東京都千代田区千代田1-1"]), "1000001"),
            shows("help lists the commands", found(&["--help"]), "serve"),
            shows(
                "made-up data say so",
                complaint(&daicho(at, &["1000001"], &[("DAICHO_SNAPSHOTS", snapshots)])),
                "made up",
            ),
            shows(
                "an empty variable is unset",
                printed(&daicho(at, &["config", "show"], &empty)),
                "age-days                 60",
            ),
            shows("health asks where the server listens", complaint(&closed), "127.0.0.1:9"),
            shows(
                "a wrong version names those there are",
                complaint(&daicho(
                    at,
                    &["lookup", "postal", "1000001", "--version", "2020-01-01"],
                    &[("DAICHO_SNAPSHOTS", snapshots)],
                )),
                "2026-06-30",
            ),
            shows(
                "a missing folder says what to build",
                complaint(&daicho(at, &["1000001"], &[])),
                "daicho build",
            ),
        ],
    );
}

#[test]
fn a_newcomer_writes_a_settings_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let write = |text: &str| fs::write(at.join("daicho.toml"), text).expect("written");
    let check = || {
        let output = daicho(at, &["config", "check", "daicho.toml"], &[]);
        printed(&output) + &complaint(&output)
    };
    write("listen = \"127.0.0.1:8089\"\nage-days = 45\n");
    let shown =
        daicho(at, &["config", "show", "--config", "daicho.toml"], &[("DAICHO_AGE_DAYS", "50")]);
    let (shown, sound) = (printed(&shown), check());
    write("lisen = \"127.0.0.1:8089\"\n");
    let unknown = check();
    write("listen = \"127.0.0.1:8089\"\nage-days = \"soon\"\n");
    let wrong = check();
    walk(
        6,
        [
            shows("the file is used", &shown, "127.0.0.1:8089"),
            shows("and named as the source", &shown, "daicho.toml"),
            shows("a variable wins over the file", &shown, "DAICHO_AGE_DAYS"),
            holds("a sound file passes", !sound.contains("exit")),
            shows("an unknown key has a neighbour", unknown, "listen"),
            shows("a wrong value has its line", wrong, "2"),
        ],
    );
}
