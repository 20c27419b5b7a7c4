//! How a server opens the data of a folder: what it reads ahead, the operator's own holidays, and from which age the
//! newest postal data count as old, by the system clock.
//!
//! `--warm` reads a version that becomes the newest into memory before it is served, at a limited rate. The thread
//! that opens the folder does the reading, so no request waits for the disk because of it. Data already in memory do
//! not count against the rate. At the start of a server nothing is read ahead: it serves at once.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::units::parse_size;
use crate::api::age::{OldData, old_data};
use crate::api::data::Data;
use crate::api::holidays::OwnHolidaysFile;
use crate::calendar::day_in_japan;
#[cfg(feature = "object-store")]
use crate::cli::data::{ScanError, corrected, with_corrections};
use crate::clock;
#[cfg(feature = "object-store")]
use crate::dataset::correction::Extent;
use crate::dataset::{Catalog, CatalogError};
use crate::snapshot::Step;
use crate::snapshot::{DatasetKind, SnapshotFile};

#[derive(Debug, Clone)]
pub struct DataSettings {
    pub opener: CatalogOpener,
    pub holidays: OwnHolidaysFile,
    /// The folder of the operator's corrections.
    pub corrections: PathBuf,
    pub age_days: u32,
}

impl DataSettings {
    /// Opens a folder that is not served yet, and prepares everything that a scan and the first requests would.
    #[cfg(feature = "object-store")]
    pub fn open_ahead(&self, folder: &Path, before: &Arc<Data>) -> Result<Data, ScanError> {
        let corrections = before.corrections.scan(corrected());
        let catalog = self.opener.open(folder, &before.catalog)?;
        let catalog =
            with_corrections(catalog, Extent::SERVED, &corrections, Some(&before.catalog))?;
        let mut data = Data::new(catalog, Some(before));
        data.holidays = before.holidays.scan(folder, &self.holidays);
        data.corrections = corrections;
        self.mark_old_data(&mut data, Some(before));
        data.cache_newest();
        Ok(data)
    }

    /// Marks the newest data that are old. Logs a warning unless the same version was already marked in `before`.
    pub fn mark_old_data(&self, data: &mut Data, before: Option<&Data>) {
        let today = day_in_japan(clock::now());
        let old = today.map(|day| old_data(&data.catalog, day, self.age_days));
        data.old = old.unwrap_or_default();
        let is_same =
            |one: &OldData, other: &OldData| (one.kind, one.version) == (other.kind, other.version);
        let known = before.map_or(&[][..], |before| &before.gaps().samples);
        for (kind, _) in &data.gaps().samples {
            if !known.iter().any(|(known, _)| known == kind) {
                tracing::info!("the newest {kind} data are made up, for trials of the program");
            }
        }
        for old in &data.old {
            let marked_before =
                before.is_some_and(|before| before.old.iter().any(|marked| is_same(marked, old)));
            if !marked_before {
                let (version, days) = (old.version, old.days);
                tracing::warn!(
                    %version,
                    days,
                    "the newest {} data are old; run 'daicho update' to get newer data",
                    old.kind
                );
            }
        }
    }
}

/// A lower rate is probably a forgotten unit: even at this one, half a gigabyte of data takes eight minutes.
const RATE_MIN: u64 = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    Off,
    PerSecond(NonZeroU64),
}

impl Rate {
    pub fn parse(text: &str) -> Result<Rate, String> {
        if text == "off" {
            return Ok(Rate::Off);
        }
        let rate = parse_size(text).filter(|rate| *rate >= RATE_MIN).and_then(NonZeroU64::new);
        rate.map(Rate::PerSecond).ok_or_else(|| {
            "expected at least 1M bytes per second, such as 100M or 2G, or off".to_owned()
        })
    }
}

/// The wait after a step, so that reads from the disk stay below the rate.
fn pause(step: Step, elapsed: Duration, rate: NonZeroU64) -> Duration {
    let nanoseconds = u128::from(step.from_disk) * 1_000_000_000 / u128::from(rate.get());
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX)).saturating_sub(elapsed)
}

/// Opens folders for serving. Clones stop together.
#[derive(Debug, Clone)]
pub struct CatalogOpener {
    rate: Rate,
    shutdown: Arc<Shutdown>,
}

impl CatalogOpener {
    pub fn new(rate: Rate) -> CatalogOpener {
        CatalogOpener { rate, shutdown: Arc::default() }
    }

    /// Opens a folder while another is served: reads ahead the versions that become the newest, verifies them,
    /// and opens what their searches need. Takes seconds, but no time for versions that `serving` has open
    /// unchanged.
    pub fn open(&self, folder: &Path, serving: &Catalog) -> Result<Catalog, CatalogError> {
        let catalog = Catalog::scan_notifying(folder, Some(serving), &mut |dataset, file| {
            self.warm_up(dataset, file);
        })?;
        if !self.shutdown.is_announced() {
            catalog.check_search_sections();
        }
        Ok(catalog)
    }

    /// Stops reading ahead, now and later: the server is shutting down.
    pub fn stop_reading_ahead(&self) {
        self.shutdown.announce();
    }

    fn warm_up(&self, dataset: DatasetKind, file: &SnapshotFile) {
        let Rate::PerSecond(rate) = self.rate else { return };
        let (dataset, version) = (dataset.name(), file.version());
        let started = clock::instant();
        let mut step_started = started;
        let mut read = Step::default();
        for step in file.warm_up() {
            let step = match step {
                Ok(step) => step,
                Err(error) => {
                    // The following verification fails too, and names the section.
                    tracing::warn!(dataset, %version, %error, "cannot read the data version into memory");
                    return;
                }
            };
            read.bytes += step.bytes;
            read.from_disk += step.from_disk;
            if self.shutdown.wait(pause(step, clock::since(step_started), rate)) {
                return;
            }
            step_started = clock::instant();
        }
        let (bytes, from_disk) = (read.bytes, read.from_disk);
        let seconds = clock::since(started).as_secs_f32();
        tracing::info!(dataset, %version, bytes, from_disk, seconds, "data version read into memory");
    }
}

/// Whether the server is shutting down, for threads that wait meanwhile.
#[derive(Debug, Default)]
struct Shutdown {
    is_announced: Mutex<bool>,
    changed: Condvar,
}

impl Shutdown {
    fn announce(&self) {
        *self.is_announced.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn is_announced(&self) -> bool {
        *self.is_announced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits up to this time; returns whether the server is shutting down.
    fn wait(&self, timeout: Duration) -> bool {
        let guard = self.is_announced.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(guard, timeout, |is_announced| !*is_announced);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_size_a_second_or_off() {
        let per_second = |rate| NonZeroU64::new(rate).map(Rate::PerSecond);
        for (text, expected) in [
            ("100M", per_second(100 << 20)),
            ("1M", per_second(1 << 20)),
            ("1048576", per_second(1 << 20)),
            ("2G", per_second(2 << 30)),
            ("off", Some(Rate::Off)),
            ("1048575", None),
            ("100", None),
            ("100K", None),
            ("0", None),
            ("", None),
            ("on", None),
            ("OFF", None),
            ("-1M", None),
            ("100M/s", None),
            ("fast", None),
        ] {
            assert_eq!(Rate::parse(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn only_bytes_read_from_disk_are_throttled() {
        let rate = NonZeroU64::new(1_000_000).expect("not zero");
        let milliseconds = Duration::from_millis;
        for (from_disk, elapsed_ms, expected) in [
            (1_000_000, 0, 1_000),
            (1_000_000, 400, 600),
            (1_000_000, 1_000, 0),
            (1_000_000, 5_000, 0),
            (0, 0, 0),
            (500, 0, 0),
        ] {
            let step = Step { bytes: 1_000_000, from_disk };
            let found = pause(step, milliseconds(elapsed_ms), rate);
            assert_eq!(found.as_millis(), expected, "{from_disk} bytes in {elapsed_ms} ms");
        }
        let slowest = NonZeroU64::MIN;
        let most = Step { bytes: u64::MAX, from_disk: u64::MAX };
        assert!(pause(most, Duration::ZERO, slowest) > Duration::from_secs(1 << 33));
    }

    #[test]
    fn waiters_wake_when_the_server_stops() {
        let opener = CatalogOpener::new(Rate::Off);
        assert!(!opener.shutdown.is_announced());
        let clone = opener.clone();
        let waiter = std::thread::spawn(move || clone.shutdown.wait(Duration::from_secs(3_600)));
        opener.stop_reading_ahead();
        assert!(waiter.join().expect("no panic"));
        assert!(opener.shutdown.is_announced());
    }
}
