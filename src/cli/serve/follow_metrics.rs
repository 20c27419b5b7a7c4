//! Release metrics: the served release, the reachability of the object store, downloads.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use crate::release::Number;
use crate::server::metrics::counters;

#[derive(Debug, Default)]
pub struct FollowMetrics {
    /// 0 means none.
    active: AtomicU64,
    /// Loaded in addition to the active one; 0 means none.
    prepared: AtomicU64,
    /// Why the wanted release is not loaded.
    failure: Mutex<Option<String>>,
    /// Seconds since 1970; 0 means never.
    answered: AtomicU64,
    is_away: AtomicU64,
    failed: AtomicU64,
    fetched: AtomicU64,
    held: AtomicU64,
    /// 1 while writing the state of this server to the object store fails.
    pub is_unwritten: AtomicU64,
}

impl FollowMetrics {
    pub fn active(&self, release: Option<Number>) {
        self.active.store(release.map_or(0, Number::value).into(), Relaxed);
        self.prepared(None);
    }

    pub fn prepared(&self, release: Option<Number>) {
        self.prepared.store(release.map_or(0, Number::value).into(), Relaxed);
        *self.failure() = None;
    }

    /// The served release, and the loaded one.
    pub fn releases(&self) -> (Option<Number>, Option<Number>) {
        let [active, prepared] =
            [&self.active, &self.prepared].map(|number| Number::from_value(number.load(Relaxed)));
        (active, prepared.or(active))
    }

    pub fn is_away(&self) -> bool {
        self.is_away.load(Relaxed) == 1
    }

    pub fn answered(&self) {
        let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
        self.answered.store(now, Relaxed);
        self.is_away.store(0, Relaxed);
    }

    pub fn not_answered(&self) {
        self.is_away.store(1, Relaxed);
    }

    pub fn failed(&self, why: String) {
        self.failed.fetch_add(1, Relaxed);
        *self.failure() = Some(why);
    }

    /// The failed release is not wanted any more.
    pub fn recovered(&self) {
        *self.failure() = None;
    }

    /// Why the wanted release is not loaded; `None` if it is, or was not tried yet.
    pub fn why_failed(&self) -> Option<String> {
        self.failure().clone()
    }

    fn failure(&self) -> MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn fetched(&self, bytes: u64) {
        self.fetched.fetch_add(bytes, Relaxed);
    }

    pub fn holds(&self, bytes: u64) {
        self.held.store(bytes, Relaxed);
    }
}

/// Registered once, read at each scrape.
#[derive(Debug)]
pub struct FollowedMetrics(pub Arc<FollowMetrics>);

impl Collector for FollowedMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let of = |value: &AtomicU64| value.load(Relaxed);
        let metrics = &self.0;
        for (name, help, value) in [
            ("daicho_release", "Number of the served release, 0 if none", of(&metrics.active)),
            (
                "daicho_release_prepared",
                "Number of the newest release that is loaded: the next one, or the served one",
                metrics.releases().1.map_or(0, Number::value).into(),
            ),
            (
                "daicho_release_store_away",
                "1 while the object store of releases is unreachable",
                of(&metrics.is_away),
            ),
            (
                "daicho_release_store_answered_timestamp_seconds",
                "Time of the last response from the object store of releases, 0 if never",
                of(&metrics.answered),
            ),
            (
                "daicho_node_unwritten",
                "1 while writing the state of this server to the object store fails",
                of(&metrics.is_unwritten),
            ),
            ("daicho_release_cache_bytes", "Size of the release cache", of(&metrics.held)),
        ] {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            family.encode_gauge(&value)?;
        }
        for (name, help, value) in [
            ("daicho_release_failures", "Failed attempts to serve a release", of(&metrics.failed)),
            ("daicho_release_fetched_bytes", "Downloaded bytes of releases", of(&metrics.fetched)),
        ] {
            let mut family = counters(&mut encoder, name, help)?;
            family.encode_counter::<NoLabelSet, u64, f64>(&value, None)?;
        }
        Ok(())
    }
}
