//! Tests of `daicho update` against a replica of the official sites on loopback (`replica/`), as a library and as a
//! program. Most use the sample data.

mod bank;
mod command;
mod corporate;
mod days;
mod faults;
mod files;
mod from_folder;
mod holidays;
mod invoice;
mod postal;
mod postal_order;
mod proxy;
mod replica;
#[path = "../support/sample.rs"]
mod sample;
mod school;
mod serve;
#[path = "../support/shared_data.rs"]
mod shared_data;
mod timer;
#[path = "../support/zipped.rs"]
mod zipped;

use std::path::Path;
use std::time::Duration;

use daicho::dataset::bank::BankData;
use daicho::dataset::corporate::CorporateData;
use daicho::dataset::invoice::InvoiceData;
use daicho::dataset::postal::PostalData;
use daicho::dataset::school::SchoolData;
use daicho::dataset::updates;
use daicho::snapshot::Dataset;
use daicho::update::{Options, Outcome, ProxyChoice, Report, Site, Subject};

use self::replica::Replica;

pub use daicho::dataset::updates::HOLIDAYS;

pub const POSTAL: Subject = Subject::dataset(PostalData::KIND);
pub const BANK: Subject = Subject::dataset(BankData::KIND);
pub const CORPORATE: Subject = Subject::dataset(CorporateData::KIND);
pub const INVOICE: Subject = Subject::dataset(InvoiceData::KIND);
pub const SCHOOL: Subject = Subject::dataset(SchoolData::KIND);

/// Options of an update of this folder from the replica, without pauses between requests.
pub fn options(folder: &Path, replica: &Replica, subjects: &[Subject]) -> Options {
    let mut options = Options::new(folder);
    options.subjects = subjects.to_vec();
    options.proxy = ProxyChoice::None;
    for site in Site::ALL {
        options.settings.set_origin(site, replica.origin());
    }
    let limits = &mut options.settings.limits;
    (limits.pause, limits.retry_delay) = (Duration::ZERO, Duration::from_millis(1));
    (limits.silence_timeout, limits.response_timeout) =
        (Duration::from_secs(2), Duration::from_secs(10));
    options
}

/// Updates these datasets.
pub fn update(folder: &Path, replica: &Replica, subjects: &[Subject]) -> Vec<Report> {
    updates::run(&options(folder, replica, subjects), &()).expect("no other update runs")
}

/// Updates one dataset, which must succeed.
#[track_caller]
pub fn updated(folder: &Path, replica: &Replica, subject: Subject) -> Outcome {
    let mut reports = update(folder, replica, &[subject]);
    assert_eq!(reports.len(), 1);
    let report = reports.remove(0);
    report.result.unwrap_or_else(|error| panic!("{subject}: {error}"))
}

/// Updates one dataset, which must fail, and returns the message.
#[track_caller]
pub fn fails(folder: &Path, replica: &Replica, subject: Subject) -> String {
    let mut reports = update(folder, replica, &[subject]);
    match reports.remove(0).result {
        Ok(outcome) => panic!("{subject}: {outcome:?}"),
        Err(error) => error.to_string(),
    }
}

/// The version that the update published. Panics at any other outcome.
#[track_caller]
pub fn published(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Updated { edition, .. } => edition.to_string(),
        other => panic!("expected a new version, found {other:?}"),
    }
}

#[track_caller]
pub fn nothing_new(outcome: &Outcome) {
    assert!(matches!(outcome, Outcome::Current { .. }), "{outcome:?}");
}
