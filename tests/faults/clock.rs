//! The clock jumps forward and back by years: the server still answers, and the `Date` header follows the clock.
//!
//! libfaketime (Debian's package faketime) changes the clock of a running server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::server::{RunningProcess, ServerSetup};
use crate::support::wait_until;

/// The path of the library, in the folder of whichever architecture has it.
fn library() -> PathBuf {
    let folders = fs::read_dir("/usr/lib").expect("a folder").flatten();
    let mut names = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    names.find(|path| path.exists()).expect("libfaketime is installed")
}

fn set(clock: &Path, offset: &str) {
    // Replaced by a rename: the server would read a half-written line as another time.
    let next = clock.with_extension("next");
    fs::write(&next, offset).expect("written");
    fs::rename(next, clock).expect("renamed");
}

#[needs::libfaketime]
#[test]
fn the_server_answers_when_the_clock_jumps() {
    let setup = ServerSetup::new();
    let clock = setup.folder.path().join("clock");
    let log = setup.folder.path().join("log");
    set(&clock, "+0");
    let mut command = setup.command("", &["--dashboard", "on"]);
    command.env("LD_PRELOAD", library()).env("FAKETIME_TIMESTAMP_FILE", &clock);
    // Time-outs use the monotonic clock, which an administrator cannot set, so it is left as it is.
    command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let mut server =
        RunningProcess::start_server(command.stderr(File::create(&log).expect("a log")), &setup);
    let year = || {
        let answer = setup.get("/v1/postalcode/1000001");
        assert_eq!(answer.status, 200);
        let date = answer.header("date").expect("every answer has one").to_owned();
        // Fri, 31 Dec 1999 23:59:59 GMT
        date.split(' ').nth(3).and_then(|year| year.parse::<i32>().ok()).expect("a year")
    };
    let now = year();
    for (offset, years) in [("+800d", 2), ("-800d", -3), ("+0", 0), ("-5000d", -14), ("+5000d", 13)]
    {
        set(&clock, offset);
        wait_until(&format!("the date to follow the clock by {offset}"), || {
            (year() - now - years).abs() <= 1
        });
        for target in
            ["/v1/whoami", "/v1/holidays?year=2026", "/v1/businessdays/check?date=2026-11-23"]
        {
            assert_eq!(setup.get(target).status, 200, "{offset} {target}");
        }
        assert_eq!(setup.get("/dashboard/login").status, 200, "{offset}");
        assert_eq!(setup.metric("daicho_key_store_healthy"), 1, "{offset}");
    }
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    let log_text = fs::read_to_string(&log).expect("a log");
    assert!(!log_text.contains("panicked"), "{log_text}");
}
