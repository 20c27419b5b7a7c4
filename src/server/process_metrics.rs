//! Statistics of the process and the program, under the names that the client libraries of Prometheus use, read at each
//! scrape.
//!
//! Linux has those of the process in `/proc`. On other systems only the program's version is given: they have no such
//! files, and their calls need `unsafe`. A value that the system does not provide is omitted.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;

#[derive(Debug)]
pub struct ProcessMetrics;

impl Collector for ProcessMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        encode_build(&mut encoder)?;
        #[cfg(target_os = "linux")]
        match linux::ProcessStats::read() {
            Ok(stats) => stats.encode(&mut encoder)?,
            Err(error) => tracing::debug!(%error, "cannot read the statistics of the process"),
        }
        Ok(())
    }
}

fn encode_build(encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
    let help = "The program's version; always 1";
    let mut family =
        encoder.encode_descriptor("daicho_build_info", help, None, MetricType::Gauge)?;
    family.encode_family(&[("version", env!("CARGO_PKG_VERSION"))])?.encode_gauge(&1_u64)
}

#[cfg(target_os = "linux")]
mod linux {
    use procfs::process::{LimitValue, Process};
    use procfs::{ProcResult, WithCurrentSystemInfo};
    use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
    use prometheus_client::metrics::MetricType;

    use crate::server::metrics::gauge;

    pub struct ProcessStats {
        cpu_seconds: f64,
        start_seconds: f64,
        /// Each with its name and help; `None` if it has no limit.
        gauges: [(&'static str, &'static str, Option<u64>); 5],
    }

    impl ProcessStats {
        pub fn read() -> ProcResult<ProcessStats> {
            let process = Process::myself()?;
            let stat = process.stat()?;
            let ticks = procfs::ticks_per_second();
            let open_files_max = match process.limits()?.max_open_files.soft_limit {
                LimitValue::Value(value) => Some(value),
                LimitValue::Unlimited => None,
            };
            let (resident, threads) = (stat.rss_bytes().get(), stat.num_threads.try_into().ok());
            let open_files = process.fd_count()? as u64;
            Ok(ProcessStats {
                cpu_seconds: ticks_to_seconds(stat.utime + stat.stime, ticks),
                start_seconds: ticks_to_seconds(procfs::boot_time_secs()?, 1)
                    + ticks_to_seconds(stat.starttime, ticks),
                gauges: [
                    (
                        "process_resident_memory_bytes",
                        "Resident memory, including mapped files",
                        Some(resident),
                    ),
                    (
                        "process_virtual_memory_bytes",
                        "Virtual memory, including mapped files",
                        Some(stat.vsize),
                    ),
                    ("process_threads", "Threads", Some(threads.unwrap_or_default())),
                    ("process_open_fds", "Open files and sockets", Some(open_files)),
                    ("process_max_fds", "Maximum number of open files and sockets", open_files_max),
                ],
            })
        }

        pub fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
            let help = "CPU time used by all threads";
            let mut metric = encoder.encode_descriptor(
                "process_cpu_seconds",
                help,
                None,
                MetricType::Counter,
            )?;
            metric.encode_counter::<NoLabelSet, f64, f64>(&self.cpu_seconds, None)?;
            let help = "Start time of the process, in seconds since 1970";
            let name = "process_start_time_seconds";
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            metric.encode_gauge(&self.start_seconds)?;
            for (name, help, value) in self.gauges {
                if let Some(value) = value {
                    gauge(encoder, name, help, value)?;
                }
            }
            Ok(())
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a sum of ticks needs no 53rd bit")]
    fn ticks_to_seconds(ticks: u64, ticks_per_second: u64) -> f64 {
        ticks as f64 / ticks_per_second as f64
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    use super::*;

    #[test]
    fn figures_of_this_process_are_plausible() {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(ProcessMetrics));
        let mut text = String::new();
        encode(&mut text, &registry).expect("text");
        let value = |name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} in\n{text}"))
        };
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.expect("after 1970").as_secs_f64();
        assert!((now - 86_400.0..=now + 1.0).contains(&value("process_start_time_seconds")));
        assert!(value("process_cpu_seconds_total") < 86_400.0);
        assert!(value("process_resident_memory_bytes") > 1e6);
        assert!(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"));
        assert!(value("process_open_fds") >= 3.0);
        assert!(value("process_threads") >= 1.0);
        let build = concat!("daicho_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1");
        assert!(text.lines().any(|line| line == build), "{text}");
    }
}
