//! What a server that follows releases reports about them, in `/metrics` and to the object store: the served
//! release, the reachability of the object store, downloads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use crate::clock;
use crate::release::Number;
use crate::server::metrics::counters;

#[derive(Debug, Default)]
pub struct FollowMetrics {
    /// Number of the served release; 0 means none.
    active: AtomicU64,
    /// Number of the release that is loaded in addition; 0 means none.
    prepared: AtomicU64,
    /// Why the wanted release is not loaded.
    failure: Mutex<Option<String>>,
    failures: AtomicU64,
    /// When the object store last answered, in seconds since 1970; 0 means never.
    answered_at: AtomicU64,
    pub is_store_unreachable: AtomicBool,
    /// Whether writing the state of this server to the object store fails.
    pub is_state_unwritten: AtomicBool,
    pub downloaded_bytes: AtomicU64,
    pub cache_bytes: AtomicU64,
}

impl FollowMetrics {
    pub fn set_active(&self, release: Option<Number>) {
        self.active.store(release.map_or(0, Number::value).into(), Relaxed);
        self.set_prepared(None);
    }

    pub fn set_prepared(&self, release: Option<Number>) {
        self.prepared.store(release.map_or(0, Number::value).into(), Relaxed);
        *self.lock_failure() = None;
    }

    pub fn active(&self) -> Option<Number> {
        Number::from_value(self.active.load(Relaxed))
    }

    /// The newest release that is loaded: the next one, or the served one.
    pub fn prepared(&self) -> Option<Number> {
        Number::from_value(self.prepared.load(Relaxed)).or(self.active())
    }

    pub fn store_answered(&self) {
        let now = u64::try_from(clock::now().as_second()).unwrap_or(0);
        self.answered_at.store(now, Relaxed);
        self.is_store_unreachable.store(false, Relaxed);
    }

    pub fn release_failed(&self, failure: String) {
        self.failures.fetch_add(1, Relaxed);
        *self.lock_failure() = Some(failure);
    }

    /// The failed release is not wanted any more.
    pub fn clear_failure(&self) {
        *self.lock_failure() = None;
    }

    /// Why the wanted release is not loaded; `None` if it is, or was not tried yet.
    pub fn failure(&self) -> Option<String> {
        self.lock_failure().clone()
    }

    fn lock_failure(&self) -> MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collector for FollowMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let number = |release: Option<Number>| release.map_or(0, Number::value).into();
        for (name, help, value) in [
            ("daicho_release", "Number of the served release, 0 if none", number(self.active())),
            (
                "daicho_release_prepared",
                "Number of the newest release that is loaded: the next one, or the served one",
                number(self.prepared()),
            ),
            (
                "daicho_release_store_away",
                "1 while the object store of releases is unreachable",
                self.is_store_unreachable.load(Relaxed).into(),
            ),
            (
                "daicho_release_store_answered_timestamp_seconds",
                "Time of the last response from the object store of releases, 0 if never",
                self.answered_at.load(Relaxed),
            ),
            (
                "daicho_node_unwritten",
                "1 while writing the state of this server to the object store fails",
                self.is_state_unwritten.load(Relaxed).into(),
            ),
            (
                "daicho_release_cache_bytes",
                "Size of the release cache",
                self.cache_bytes.load(Relaxed),
            ),
        ] {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            family.encode_gauge(&value)?;
        }
        for (name, help, count) in [
            ("daicho_release_failures", "Failed attempts to serve a release", &self.failures),
            (
                "daicho_release_fetched_bytes",
                "Downloaded bytes of releases",
                &self.downloaded_bytes,
            ),
        ] {
            let mut family = counters(&mut encoder, name, help)?;
            family.encode_counter::<NoLabelSet, u64, f64>(&count.load(Relaxed), None)?;
        }
        Ok(())
    }
}
