//! Metrics of the API besides its requests: quotas, keys, reloads, and the loaded data.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;

use super::pipeline::quota::QuotaOutcome;
use crate::account::meter::Limit;
use crate::calendar::start_of_day;
use crate::dataset::KINDS;
use crate::server::metrics::{counter, counters, gauge};
use crate::text::codes::DataVersion;

#[derive(Debug, Default)]
pub struct Counters {
    /// Successful scans of the snapshot folder.
    pub reloads_ok: AtomicU64,
    /// Failed scans, after which the old data stay in use.
    pub reloads_failed: AtomicU64,
    /// Set when the counters are read.
    pub usage_unwritten: AtomicU64,
    /// Set when the counters are read.
    pub key_store_healthy: AtomicBool,
    pub key_cache_in_use: AtomicBool,
    /// In the order of [`KINDS`]; set on every reload.
    pub datasets: [DatasetGauges; KINDS.len()],
    refused_by_rate: AtomicU64,
    refused_by_month: AtomicU64,
}

#[derive(Debug, Default)]
pub struct DatasetGauges {
    pub versions: AtomicU64,
    pub refused: AtomicU64,
    /// The newest version as a number, 20260529; 0 if none.
    pub latest: AtomicU64,
    /// The beginning of the newest version's day in Japan, in seconds since 1970; 0 if none.
    pub latest_seconds: AtomicU64,
    /// When the newest version was loaded, in seconds since 1970; 0 if none.
    pub loaded_seconds: AtomicU64,
}

impl DatasetGauges {
    /// Sets the newest version; `None` if none is left.
    pub fn set_latest(&self, version: Option<DataVersion>, now: Timestamp) {
        let seconds = |time: Timestamp| u64::try_from(time.as_second()).unwrap_or_default();
        let start = version.map_or(0, |version| seconds(start_of_day(version)));
        self.latest.store(version.map_or(0, |version| version.number().into()), Relaxed);
        self.latest_seconds.store(start, Relaxed);
        self.loaded_seconds.store(version.map_or(0, |_| seconds(now)), Relaxed);
    }
}

impl Counters {
    /// Counts a request that a quota refused; does nothing for others.
    pub fn count_refusal(&self, outcome: &QuotaOutcome) {
        let QuotaOutcome::Refused(exhausted) = outcome else { return };
        let refused = match exhausted.limit {
            Limit::Rate => &self.refused_by_rate,
            Limit::Month => &self.refused_by_month,
        };
        refused.fetch_add(1, Relaxed);
    }

    fn encode_keys(&self, encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let healthy = u64::from(self.key_store_healthy.load(Relaxed));
        gauge(encoder, "daicho_key_store_healthy", "1 while the account store responds", healthy)?;
        let help =
            "1 while keys come from the key cache: the store has been unreachable since the start";
        let cached = u64::from(self.key_cache_in_use.load(Relaxed));
        gauge(encoder, "daicho_key_cache_in_use", help, cached)?;
        let help = "Counted requests of accounts that are not yet written to the store";
        gauge(encoder, "daicho_usage_unwritten", help, self.usage_unwritten.load(Relaxed))
    }

    fn encode_quotas(&self, encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let help = "Requests rejected by a quota, by limit";
        let mut family = counters(encoder, "daicho_quota_refusals", help)?;
        counter(&mut family, &[("limit", "rate")], self.refused_by_rate.load(Relaxed))?;
        counter(&mut family, &[("limit", "month")], self.refused_by_month.load(Relaxed))
    }

    fn encode_data(&self, encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let help = "Scans of the snapshot folder, by result";
        let mut family = counters(encoder, "daicho_reloads", help)?;
        counter(&mut family, &[("result", "ok")], self.reloads_ok.load(Relaxed))?;
        counter(&mut family, &[("result", "failed")], self.reloads_failed.load(Relaxed))?;
        type Value = fn(&DatasetGauges) -> &AtomicU64;
        let gauges: [(&str, &str, Value); 5] = [
            ("daicho_snapshot_versions", "Data versions served", |data| &data.versions),
            ("daicho_snapshots_refused", "Damaged snapshot files that are not served", |data| {
                &data.refused
            }),
            (
                "daicho_snapshot_latest",
                "Newest data version as a number, YYYYMMDD; 0 if none",
                |data| &data.latest,
            ),
            (
                "daicho_data_version_timestamp_seconds",
                "Start of the day of the newest data version, Japan time",
                |data| &data.latest_seconds,
            ),
            (
                "daicho_data_loaded_timestamp_seconds",
                "Time at which the newest data version was loaded",
                |data| &data.loaded_seconds,
            ),
        ];
        for (name, help, value) in gauges {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for (kind, data) in KINDS.iter().zip(&self.datasets) {
                let value = value(data).load(Relaxed);
                // Omit a timestamp of 0: it would read as an age of 56 years.
                if value > 0 || !name.ends_with("_timestamp_seconds") {
                    family.encode_family(&[("dataset", kind.name())])?.encode_gauge(&value)?;
                }
            }
        }
        Ok(())
    }
}

impl Collector for Counters {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        self.encode_keys(&mut encoder)?;
        self.encode_quotas(&mut encoder)?;
        self.encode_data(&mut encoder)
    }
}
