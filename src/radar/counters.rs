//! Counts deliveries and their attempts, for `/metrics`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

#[derive(Debug, Default)]
pub struct DeliveryCounters {
    /// Attempts that the receiver answered with 2xx.
    pub delivered: AtomicU64,
    pub retried: AtomicU64,
    pub given_up: AtomicU64,
    /// Deliveries waiting, of all servers; updated every few seconds.
    pub waiting: AtomicU64,
    pub in_flight: AtomicU64,
}

impl Collector for DeliveryCounters {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let mut family = encoder.encode_descriptor(
            "daicho_webhook_attempts",
            "Webhook delivery attempts, by outcome",
            None,
            MetricType::Counter,
        )?;
        for (outcome, count) in [
            ("delivered", &self.delivered),
            ("retried", &self.retried),
            ("given_up", &self.given_up),
        ] {
            let labels = [("outcome", outcome)];
            let count = count.load(Relaxed);
            family.encode_family(&labels)?.encode_counter::<NoLabelSet, u64, f64>(&count, None)?;
        }
        for (name, help, value) in [
            (
                "daicho_webhook_deliveries_waiting",
                "Webhook deliveries that are waiting",
                &self.waiting,
            ),
            ("daicho_webhook_attempts_in_flight", "Delivery attempts in progress", &self.in_flight),
        ] {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            metric.encode_gauge(&value.load(Relaxed))?;
        }
        Ok(())
    }
}
