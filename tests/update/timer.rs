//! The command line of the packaged systemd timer, run for simulated days: it updates a folder from May to August
//! without manual steps.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::files::{sample, sample_june, sample_may, sample_towns, zipped};
use crate::replica::japanpost::Month;
use crate::replica::{Answer, Replica, abr, japanpost};

/// The arguments of the unit's `ExecStart`, without the program.
fn arguments() -> Vec<String> {
    let unit =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/systemd/daicho-update.service");
    let unit = fs::read_to_string(unit).expect("the unit");
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("a command");
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

/// A month after June: June's address file with `changes` changed rows.
fn later(date: &str, name: &str, changes: usize) -> Month {
    let text = String::from_utf8(sample("2026-06-30/utf_ken_all.csv")).expect("UTF-8");
    let area = text.replacen("\"100  \"", &format!("\"10{changes}  \""), changes);
    Month {
        date: date.to_owned(),
        name: name.to_owned(),
        area: zipped(&[("utf_ken_all.csv", area.as_bytes())]),
        added: None,
        removed: None,
        ..sample_june()
    }
}

#[test]
fn the_timer_updates_a_folder_from_may_to_august() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let snapshots = folder.path().join("snapshots");
    let mut sources = "[manners]\npause-ms = 0\nretry-ms = 1\n".to_owned();
    for site in daicho::update::Site::ALL {
        sources.push_str(&format!("[{}]\norigin = \"{}\"\n", site.name(), replica.origin()));
    }
    let file = folder.path().join("sources.toml");
    fs::write(&file, sources).expect("written");
    let day = |expected: i32| -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.args(arguments()).env("DAICHO_SNAPSHOTS", &snapshots).env("DAICHO_SOURCES", &file);
        for variable in
            ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        {
            command.env_remove(variable);
        }
        let output = command.output().expect("the program runs");
        let (out, errors) = (output.stdout, String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(expected), "{errors}");
        String::from_utf8(out).expect("text")
    };
    abr::publish(&replica, &sample_towns());
    japanpost::publish(&replica, &sample_may());
    assert!(day(0).contains("2026-05-29: "));
    assert!(day(0).contains("2026-05-29, nothing new"));
    japanpost::publish(&replica, &sample_june());
    assert!(day(0).contains("2026-06-30 after 2026-05-29: "));
    let july = later("2026年7月31日", "2607", 1);
    japanpost::publish(&replica, &july);
    // On the date of July's edition the site has the new page but not yet the file.
    replica.get(&japanpost::path("utf/zip/utf_ken_all.zip"), Answer::file(&sample_june().area));
    day(1);
    assert!(!snapshots.join("postal/2026-07-31.daicho").exists());
    japanpost::publish(&replica, &july);
    assert!(day(0).contains("2026-07-31 after 2026-06-30: "));
    // The site is under maintenance for a day.
    replica.get(&japanpost::path("utf-zip.html"), Answer::status(503));
    day(1);
    japanpost::publish(&replica, &later("2026年8月31日", "2608", 2));
    assert!(day(0).contains("2026-08-31 after 2026-07-31: "));
    assert!(day(0).contains("2026-08-31, nothing new"));
    let status = daicho::update::status::Status::read(&snapshots);
    let postal = &status.sources["postal"];
    assert_eq!((postal.failures_total, postal.failure.as_deref()), (2, None));
    let versions: Vec<String> = ["2026-05-29", "2026-06-30", "2026-07-31", "2026-08-31"]
        .map(|version| format!("postal/{version}.daicho"))
        .into_iter()
        .filter(|path| snapshots.join(path).is_file())
        .collect();
    assert_eq!(versions.len(), 4);
}
