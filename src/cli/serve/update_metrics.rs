//! Update metrics, read at each scrape from the status file in the snapshot folder, so that updates by a timer
//! count like those of this server.

use std::path::PathBuf;

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;

use crate::server::metrics::{counter, counters};
use crate::update::status::Status;

#[derive(Debug)]
pub struct UpdateMetrics {
    pub snapshots: PathBuf,
}

impl Collector for UpdateMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let sources = Status::read(&self.snapshots).sources;
        if sources.is_empty() {
            return Ok(());
        }
        let help = "Time of the last check that left the folder up to date with the source";
        let name = "daicho_update_last_success_timestamp_seconds";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (source, status) in &sources {
            if let Some(seconds) = status.last_success.map(Timestamp::as_second) {
                family.encode_family(&[("source", source.as_str())])?.encode_gauge(&seconds)?;
            }
        }
        let help = "Failed updates of the source";
        let mut family = counters(&mut encoder, "daicho_update_failures", help)?;
        for (source, status) in &sources {
            counter(&mut family, &[("source", source.as_str())], status.failures_total)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    use super::*;
    use crate::update::Subject;

    #[test]
    fn a_scrape_reports_the_status_of_updates() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut registry = Registry::default();
        registry.register_collector(Box::new(UpdateMetrics { snapshots: folder.path().into() }));
        let scrape = || {
            let mut text = String::new();
            encode(&mut text, &registry).expect("text");
            text
        };
        assert_eq!(scrape(), "# EOF\n", "no update yet");
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let mut status = Status::default();
        status.record(Subject::Postal, at("1970-01-02T00:00:00Z"), Ok(None));
        status.record(Subject::Bank, at("1970-01-02T00:00:01Z"), Err("status 503".to_owned()));
        status.write(folder.path()).expect("written");
        let text = scrape();
        for line in [
            "daicho_update_last_success_timestamp_seconds{source=\"postal\"} 86400",
            "daicho_update_failures_total{source=\"postal\"} 0",
            "daicho_update_failures_total{source=\"bank\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("last_success_timestamp_seconds{source=\"bank\"}"), "{text}");
    }
}
