//! What `/metrics` tells of releases: which one is served, whether the object store answers, what was fetched.

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
    /// 0 is none.
    active: AtomicU64,
    /// Opened ahead beside the active one; 0 is none.
    prepared: AtomicU64,
    /// Why the release that is wanted is not there.
    failure: Mutex<Option<String>>,
    /// Seconds since 1970; 0 is never.
    answered: AtomicU64,
    is_away: AtomicU64,
    failed: AtomicU64,
    fetched: AtomicU64,
    held: AtomicU64,
    /// 1 where the object store does not take the state of this server.
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

    /// The release that is served, and the one that could be.
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

    /// What failed is not wanted any more.
    pub fn recovered(&self) {
        *self.failure() = None;
    }

    /// Why the release that is wanted is not there; `None` where it is, or not tried yet.
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
            ("daicho_release", "Release that is served, 0 for none", of(&metrics.active)),
            (
                "daicho_release_prepared",
                "Release that could be served at once: the next one, or the one that is served",
                metrics.releases().1.map_or(0, Number::value).into(),
            ),
            (
                "daicho_release_store_away",
                "1 where the object store of releases cannot be asked",
                of(&metrics.is_away),
            ),
            (
                "daicho_release_store_answered_timestamp_seconds",
                "When the object store of releases answered last, 0 for never",
                of(&metrics.answered),
            ),
            (
                "daicho_node_unwritten",
                "1 where the object store does not take the state of this server",
                of(&metrics.is_unwritten),
            ),
            ("daicho_release_cache_bytes", "Size of the files of the cache", of(&metrics.held)),
        ] {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            family.encode_gauge(&value)?;
        }
        for (name, help, value) in [
            (
                "daicho_release_failures",
                "Attempts to serve a release that failed",
                of(&metrics.failed),
            ),
            (
                "daicho_release_fetched_bytes",
                "Bytes of releases that were fetched",
                of(&metrics.fetched),
            ),
        ] {
            let mut family = counters(&mut encoder, name, help)?;
            family.encode_counter::<NoLabelSet, u64, f64>(&value, None)?;
        }
        Ok(())
    }
}
