//! What a server reads and writes on disk: the snapshots with their ages and updates, the operator's holidays, free space,
//! and the certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use super::findings::{Findings, Patient};
use crate::api::age::{OldData, days, old_data};
use crate::api::holidays::{Holidays, OwnHolidaysFile};
use crate::calendar::day_in_japan;
use crate::cli::snapshot::find_all;
use crate::dataset::{Catalog, FoundSnapshot, updates};
use crate::server::certificate::Validity;
use crate::snapshot::SnapshotFile;
use crate::system::disk::free_space;
use crate::system::permissions::may_write;
use crate::update::status::Status as UpdateStatus;

/// Less free space than this stops writing soon.
const FREE_BYTES_MIN: u64 = 64 << 20;

/// Free space that a folder should have at least: a journal, a key cache, a small dataset.
const FREE_BYTES_WANTED: u64 = 256 << 20;

/// How long before its end a certificate is reported: most are renewed 30 days before.
const RENEWAL_DAYS: u64 = 21;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub fn check(patient: &Patient<'_>, findings: &mut Findings) {
    match &patient.snapshots {
        Some(folder) => {
            snapshots(folder, findings);
            ages(patient, folder, findings);
            update_failures(folder, findings);
            holidays(patient, folder, findings);
        }
        None => findings.ok(
            "snapshots",
            format!("the releases of {}; 'daicho release list' shows them", patient.args.snapshots),
        ),
    }
    space(patient, findings);
    if let Some(chain) = &patient.args.tls.tls_cert {
        certificate(chain, SystemTime::now(), findings);
    }
}

/// The folder can be read and written, and every file in it is intact.
fn snapshots(folder: &Path, findings: &mut Findings) {
    const CHECK: &str = "snapshots";
    let shown = folder.display();
    let update = "run 'daicho build included' or 'daicho update'";
    if !folder.is_dir() {
        let remedy = format!("name the folder with --snapshots, or {update}");
        return findings.error(CHECK, format!("there is no folder {shown}"), remedy);
    }
    let files = match find_all(folder) {
        Ok(files) => files,
        Err(error) => {
            return findings.error(CHECK, error.to_string(), "allow this user to read the folder");
        }
    };
    if files.is_empty() {
        findings.error(CHECK, format!("{shown} has no snapshots"), update);
    }
    for found in files {
        let intact = found.file.map_err(Arc::new).and_then(|file| {
            let name = format!("{} {}", file.dataset.kind, file.file.version());
            FoundSnapshot::verify(file).map(|()| name)
        });
        match intact {
            Ok(name) => findings.ok(CHECK, format!("{name} is intact")),
            Err(error) => {
                let remedy = "remove the file, then build that version again";
                findings.error(CHECK, error.to_string(), remedy);
            }
        }
    }
    if !may_write(folder) {
        let found = format!("this user cannot write to {shown}");
        let remedy = "updates need that; run this command as the user of the server, or allow it";
        findings.warning("permissions", found, remedy);
    }
}

/// The newest version of each dataset that can be served, and its age.
fn ages(patient: &Patient<'_>, folder: &Path, findings: &mut Findings) {
    const CHECK: &str = "age";
    // Their damage is reported above.
    let Ok(catalog) = Catalog::scan(folder, None) else { return };
    let Some(today) = day_in_japan(patient.now) else { return };
    let old = old_data(&catalog, today, patient.args.age_days);
    for versions in catalog.datasets() {
        let (kind, Some(newest)) = (versions.facts().kind, versions.newest()) else { continue };
        let version = SnapshotFile::version(newest);
        let days = days(version, today).unwrap_or_default();
        let found = format!("{kind} {version} is {days} days old");
        if newest.is_sample() {
            let remedy = "replace them with 'daicho update', unless this is a trial";
            findings.warning(CHECK, format!("the {kind} data are made up"), remedy);
        } else if old.iter().any(|old: &OldData| old.kind == kind) {
            findings.warning(
                CHECK,
                found,
                format!("run 'daicho update {kind}', or a timer for it"),
            );
        } else {
            findings.ok(CHECK, found);
        }
    }
}

fn update_failures(folder: &Path, findings: &mut Findings) {
    let status = UpdateStatus::read(folder);
    let known = updates::SUBJECTS.map(|subject| subject.name());
    for (source, status) in status.sources {
        if let Some(failure) = status.failure.filter(|_| known.contains(&source.as_str())) {
            let since = status.last_success.map_or("never".to_owned(), |time| time.to_string());
            let found = format!("the last update of {source} failed: {failure}");
            findings.warning("updates", found, format!("the last one that worked: {since}"));
        }
    }
}

fn holidays(patient: &Patient<'_>, folder: &Path, findings: &mut Findings) {
    let Some(own) = &patient.args.holidays.holidays else { return };
    match Holidays::open(folder, &OwnHolidaysFile::new(Some(own), folder)) {
        Ok(_readable) => findings.ok("holidays", format!("{} is usable", own.display())),
        Err(error) => findings.error("holidays", error.to_string(), ""),
    }
}

/// Free space where the server writes. An update writes a new version of each dataset beside the old one.
fn space(patient: &Patient<'_>, findings: &mut Findings) {
    let state = patient.args.state.folder().ok();
    let mut folders: Vec<(PathBuf, u64)> = Vec::new();
    if let Some(folder) = &patient.snapshots {
        folders.push((folder.clone(), newest_bytes(folder).max(FREE_BYTES_WANTED)));
    }
    folders.extend(state.map(|folder| (folder, FREE_BYTES_WANTED)));
    for (folder, wanted) in folders {
        let shown = folder.display();
        // A missing folder is reported by its own check.
        let Ok(found) = free_space(&folder) else { continue };
        let free = found.bytes;
        let text = format!("{} free in {shown}", bytes(free));
        let remedy =
            "free some space: 'daicho snapshot prune --keep 2 --dry-run' lists old versions";
        if free < FREE_BYTES_MIN || found.is_out_of_files {
            findings.error("disk", text, remedy);
        } else if free < wanted {
            let text = format!("{text}, less than the {} that an update may need", bytes(wanted));
            findings.warning("disk", text, remedy);
        } else {
            findings.ok("disk", text);
        }
    }
}

/// The length of the newest file of each dataset.
fn newest_bytes(folder: &Path) -> u64 {
    let Ok(catalog) = Catalog::scan(folder, None) else { return 0 };
    let newest = catalog.datasets().into_iter().filter_map(|versions| versions.newest());
    newest.map(SnapshotFile::length).sum()
}

fn bytes(count: u64) -> String {
    match count {
        0..1_000_000_000 => format!("{} MB", count / 1_000_000),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

fn certificate(chain: &Path, now: SystemTime, findings: &mut Findings) {
    const CHECK: &str = "certificate";
    let remedy = "renew it; the server reads the new file by itself";
    let Validity { begin, end } = match Validity::read(chain) {
        Ok(validity) => validity,
        Err(error) => return findings.error(CHECK, error.to_string(), ""),
    };
    let shown =
        |time: SystemTime| Timestamp::try_from(time).map_or("?".into(), |it| it.to_string());
    if now < begin {
        let found = format!("{} is valid from {} only", chain.display(), shown(begin));
        return findings.error(CHECK, found, "check the clock, or wait");
    }
    let Ok(left) = end.duration_since(now) else {
        let found = format!("{} ended on {}", chain.display(), shown(end));
        return findings.error(CHECK, found, remedy);
    };
    let days = left.as_secs() / DAY.as_secs();
    let found = format!("{} ends on {}, in {days} days", chain.display(), shown(end));
    match days {
        0..RENEWAL_DAYS => findings.warning(CHECK, found, remedy),
        _ => findings.ok(CHECK, found),
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings::Status;
    use super::*;

    #[test]
    fn a_certificate_is_reported_before_and_after_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut params = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("names");
        params.not_before = rcgen::date_time_ymd(2026, 1, 1);
        params.not_after = rcgen::date_time_ymd(2026, 4, 1);
        let key = rcgen::KeyPair::generate().expect("a key");
        let path = folder.path().join("cert.pem");
        std::fs::write(&path, params.self_signed(&key).expect("signed").pem()).expect("written");
        let end = Validity::read(&path).expect("a certificate").end;
        for (before_end_days, expected, text) in [
            (60, Status::Ok, "in 60 days"),
            (20, Status::Warning, "in 20 days"),
            (0, Status::Warning, "in 0 days"),
            (-1, Status::Error, "ended on 2026-04-01"),
            (100, Status::Error, "is valid from 2026-01-01"),
        ] {
            let distance = DAY * u32::try_from(i32::abs(before_end_days)).expect("days");
            let now = if before_end_days < 0 { end + distance } else { end - distance };
            let mut findings = Findings::default();
            certificate(&path, now, &mut findings);
            assert_eq!(findings.0[0].status, expected, "{before_end_days}");
            assert!(findings.0[0].found.contains(text), "{}", findings.0[0].found);
        }
        let mut findings = Findings::default();
        certificate(folder.path(), SystemTime::now(), &mut findings);
        assert_eq!(findings.0[0].status, Status::Error);
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes(64 << 20), "67 MB");
        assert_eq!(bytes(40_250_000_000), "40.2 GB");
    }
}
