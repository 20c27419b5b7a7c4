//! The machine: clock and limits.

use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};

use super::findings::{Findings, Patient};
use crate::calendar::day_in_japan;
use crate::cli::serve::FileLimit;
use crate::cli::snapshot::find_all;

/// How far ahead of the clock the time of a file may be: file systems on other machines have clocks of their own.
const AHEAD_MAX: SignedDuration = SignedDuration::from_hours(1);

pub fn check(patient: &Patient<'_>, findings: &mut Findings) {
    clock(patient, findings);
    limits(FileLimit::read(), findings);
}

/// Compares the clock with the newest snapshot: with the day of its data, and with the time when it was written.
fn clock(patient: &Patient<'_>, findings: &mut Findings) {
    const CHECK: &str = "clock";
    const REMEDY: &str = "set the clock, for example with an NTP service";
    let Some(today) = day_in_japan(patient.now) else {
        return findings.error(CHECK, "the year is not one from 1 to 9999", REMEDY);
    };
    let files = patient.snapshots.as_ref().and_then(|folder| find_all(folder).ok());
    for found in files.into_iter().flatten() {
        let path = found.path.display();
        let written = std::fs::metadata(&found.path).and_then(|metadata| metadata.modified());
        let written = written.unwrap_or(SystemTime::UNIX_EPOCH);
        let written = Timestamp::try_from(written).unwrap_or(Timestamp::UNIX_EPOCH);
        if written > patient.now.saturating_add(AHEAD_MAX).unwrap_or(Timestamp::MAX) {
            let found = format!("{} is before {written}, when {path} was written", patient.now);
            return findings.error(CHECK, found, REMEDY);
        }
        let version = found.file.ok().map(|found| found.file.version());
        if let Some(version) = version.filter(|version| *version > today) {
            let found = format!(
                "today in Japan is {today}, before the day of the data in {path} ({version})"
            );
            return findings.warning(CHECK, found, REMEDY);
        }
    }
    findings.ok(CHECK, format!("{}; today in Japan is {today}", patient.now));
}

fn limits(limit: FileLimit, findings: &mut Findings) {
    const CHECK: &str = "limits";
    let FileLimit { reachable, wanted, least } = limit;
    let remedy = "raise it with ulimit -Hn, or LimitNOFILE= in a systemd unit";
    let found = format!("{reachable} open files allowed to this process");
    if reachable < least {
        findings.error(CHECK, format!("{found}, fewer than {least}: no server starts"), remedy);
    } else if reachable < wanted {
        let found = format!("{found}, fewer than {wanted}: fewer connections at once");
        findings.warning(CHECK, found, remedy);
    } else {
        findings.ok(CHECK, found);
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings::Status;
    use super::*;

    #[test]
    fn the_limit_of_files_is_compared_with_what_a_server_needs() {
        for (reachable, expected) in [
            (100, Status::Error),
            (128, Status::Warning),
            (9_999, Status::Warning),
            (20_000, Status::Ok),
        ] {
            let mut findings = Findings::default();
            limits(FileLimit { reachable, wanted: 10_064, least: 128 }, &mut findings);
            assert_eq!(findings.0[0].status, expected, "{reachable}");
        }
    }
}
