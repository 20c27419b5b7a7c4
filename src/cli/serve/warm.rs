//! `--warm`: reads a version that becomes the newest into memory before it is served, at a limited rate.
//!
//! The thread that opens the folder does the reading, so no request waits for the disk because of it. Data
//! already in memory do not count against the rate. At the start of a server nothing is read ahead: it serves
//! at once.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;

use super::size::parse_size;
use crate::query::{Catalog, CatalogError};
use crate::snapshot::SnapshotFile;
use crate::snapshot::read_in::Step;

/// A lower rate is probably a forgotten unit: reading all data of the country would take a day.
const RATE_MIN: u64 = 1 << 20;

#[derive(Debug, Clone, Copy, Args)]
pub struct WarmArgs {
    /// Rate in bytes per second at which a new data version is read into memory before it is served,
    /// such as 100M. Data already in memory are skipped. `off`: do not read ahead; requests then wait
    /// for the disk
    #[arg(long, value_name = "RATE", env = "DAICHO_WARM", default_value = "100M", value_parser = parse)]
    warm: Rate,
}

impl WarmArgs {
    pub fn opener(self) -> Opener {
        Opener { rate: self.warm, leaving: Arc::default() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rate {
    Off,
    PerSecond(NonZeroU64),
}

fn parse(text: &str) -> Result<Rate, String> {
    if text == "off" {
        return Ok(Rate::Off);
    }
    let rate = parse_size(text).filter(|rate| *rate >= RATE_MIN).and_then(NonZeroU64::new);
    rate.map(Rate::PerSecond).ok_or_else(|| {
        "expected at least 1M bytes per second, such as 100M or 2G, or off".to_owned()
    })
}

/// The wait after a step, so that reads from the disk stay below the rate.
fn pause(step: Step, took: Duration, rate: NonZeroU64) -> Duration {
    let nanoseconds = u128::from(step.from_disk) * 1_000_000_000 / u128::from(rate.get());
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX)).saturating_sub(took)
}

/// Opens folders for serving. Clones stop together.
#[derive(Debug, Clone)]
pub struct Opener {
    rate: Rate,
    leaving: Arc<Leaving>,
}

impl Opener {
    /// Opens a folder while another is served: reads ahead the versions that become the newest, verifies them,
    /// and opens what their searches need. Takes seconds, but no time for versions that `serving` has open
    /// unchanged.
    pub fn open(&self, folder: &Path, serving: &Catalog) -> Result<Catalog, CatalogError> {
        let catalog =
            Catalog::scan_notifying(folder, Some(serving), &mut |file| self.read_in(file))?;
        if !self.leaving.within(Duration::ZERO) {
            catalog.open_searches();
        }
        Ok(catalog)
    }

    /// Stops reading ahead, now and later: the server is shutting down.
    pub fn leave(&self) {
        self.leaving.set();
    }

    fn read_in(&self, file: &SnapshotFile) {
        let Rate::PerSecond(rate) = self.rate else { return };
        let (dataset, version) = (file.dataset().name(), file.version());
        let (begun, mut step_begun) = (Instant::now(), Instant::now());
        let mut read = Step::default();
        for step in file.read_in() {
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
            if self.leaving.within(pause(step, step_begun.elapsed(), rate)) {
                return;
            }
            step_begun = Instant::now();
        }
        let (bytes, from_disk) = (read.bytes, read.from_disk);
        let seconds = begun.elapsed().as_secs_f32();
        tracing::info!(dataset, %version, bytes, from_disk, seconds, "data version read into memory");
    }
}

/// Whether the server is shutting down, for threads that wait meanwhile.
#[derive(Debug, Default)]
struct Leaving {
    leaves: Mutex<bool>,
    changed: Condvar,
}

impl Leaving {
    fn set(&self) {
        *self.leaves.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits up to this time; returns whether the server is shutting down.
    fn within(&self, time: Duration) -> bool {
        let leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(leaves, time, |leaves| !*leaves);
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
            assert_eq!(parse(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn only_bytes_read_from_disk_are_throttled() {
        let rate = NonZeroU64::new(1_000_000).expect("not zero");
        let milliseconds = Duration::from_millis;
        for (from_disk, took, expected) in [
            (1_000_000, 0, 1_000),
            (1_000_000, 400, 600),
            (1_000_000, 1_000, 0),
            (1_000_000, 5_000, 0),
            (0, 0, 0),
            (500, 0, 0),
        ] {
            let step = Step { bytes: 1_000_000, from_disk };
            let found = pause(step, milliseconds(took), rate);
            assert_eq!(found.as_millis(), expected, "{from_disk} bytes in {took} ms");
        }
        let slowest = NonZeroU64::MIN;
        let most = Step { bytes: u64::MAX, from_disk: u64::MAX };
        assert!(pause(most, Duration::ZERO, slowest) > Duration::from_secs(1 << 33));
    }

    #[test]
    fn waiters_wake_when_the_server_stops() {
        let opener = WarmArgs { warm: Rate::Off }.opener();
        assert!(!opener.leaving.within(Duration::ZERO));
        let waiting = opener.clone();
        let waiter = std::thread::spawn(move || waiting.leaving.within(Duration::from_secs(3_600)));
        opener.leave();
        assert!(waiter.join().expect("no panic"));
        assert!(opener.leaving.within(Duration::ZERO));
    }
}
