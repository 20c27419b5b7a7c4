//! Counters of the server, and their text form for Prometheus.
//!
//! Counters are plain atomics in fixed tables, `[route][status]`, without labels, hashing or locks; each thread
//! counts in one of [`SHARDS`] copies, so that cores seldom share a cache line. A scrape adds the copies up.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use hyper::StatusCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use super::budget::ByteBudget;
use super::limits::HELD_BYTES_MAX;

/// Copies of the frequently used counters: a power of two, more than a common machine has cores.
pub const SHARDS: usize = 16;

/// Index of the copy that this thread uses, below [`SHARDS`]. Threads are numbered at their first call.
pub fn shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: usize = NEXT.fetch_add(1, Relaxed) % SHARDS;
    }
    MINE.with(|mine| *mine)
}

/// Statuses with a counter of their own; all others share the last one.
const STATUSES: [u16; 20] = [
    200, 202, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408, 413, 414, 415, 416, 429, 431, 500,
    503,
];

const STATUS_COUNTERS: usize = STATUSES.len() + 1;

/// The route under which a request is counted: an index into the list that [`Metrics::over`] was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(pub usize);

/// Upper bounds of the latency histogram in microseconds; the last bucket has none.
const BOUNDS_US: [u64; 14] =
    [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 50_000, 250_000, 1_000_000, 10_000_000];

const BUCKETS: usize = BOUNDS_US.len() + 1;

/// Sums since the start over some routes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub requests: u64,
    /// Of those, with a status of 400 to 499.
    pub client_errors: u64,
    /// Of those, with a status of 500 or above.
    pub server_errors: u64,
    pub total_ns: u64,
    buckets: [u64; BUCKETS],
}

impl Totals {
    pub fn since(&self, earlier: &Totals) -> Totals {
        Totals {
            requests: self.requests.saturating_sub(earlier.requests),
            client_errors: self.client_errors.saturating_sub(earlier.client_errors),
            server_errors: self.server_errors.saturating_sub(earlier.server_errors),
            total_ns: self.total_ns.saturating_sub(earlier.total_ns),
            buckets: std::array::from_fn(|index| {
                self.buckets[index].saturating_sub(earlier.buckets[index])
            }),
        }
    }

    /// The latency below which this share of requests was answered, in seconds, at the resolution of the
    /// histogram.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let total: u64 = self.buckets.iter().sum();
        if total == 0 {
            return None;
        }
        let rank = share * total as f64;
        let (mut count_below, mut lower) = (0.0, 0);
        for (count, upper) in self.buckets.iter().zip(BOUNDS_US.map(ns)) {
            let count_up_to = count_below + *count as f64;
            if count_up_to >= rank && *count > 0 {
                let part = (rank - count_below) / *count as f64;
                return Some(seconds(lower) + part * (seconds(upper) - seconds(lower)));
            }
            (count_below, lower) = (count_up_to, upper);
        }
        Some(seconds(lower))
    }
}

/// The counters of one label, on cache lines of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Row {
    requests: [AtomicU64; STATUS_COUNTERS],
    buckets: [AtomicU64; BUCKETS],
    total_ns: AtomicU64,
}

#[derive(Debug, Default)]
pub struct Metrics {
    labels: Vec<&'static str>,
    /// The copies, each with a row for each label.
    shards: Box<[Box<[Row]>]>,
    /// Requests that wait for their body or for work; the others are answered at once.
    pub waiting: AtomicU64,
    pub connections: AtomicU64,
    /// Of those, closed again.
    pub connections_closed: AtomicU64,
    /// Connections answered 503 or closed because there were too many.
    pub connections_refused: AtomicU64,
    /// Idle connections closed to admit new ones.
    pub connections_gave_way: AtomicU64,
    /// Bytes that connections hold of requests, of answers and for themselves.
    pub memory: ByteBudget,
    /// Connections closed by a time-out, for flooding, or for the memory that they held.
    pub connections_cut: AtomicU64,
    /// Requests refused before routing: not HTTP, or a head over its limits.
    pub protocol_errors: AtomicU64,
    /// Requests answered 503 without a body, because not even their waiting had memory.
    pub requests_overloaded: AtomicU64,
}

impl Metrics {
    pub fn over(labels: Vec<&'static str>) -> Metrics {
        let shard = || labels.iter().map(|_| Row::default()).collect();
        Metrics {
            shards: (0..SHARDS).map(|_| shard()).collect(),
            labels,
            memory: ByteBudget::of(HELD_BYTES_MAX),
            ..Metrics::default()
        }
    }

    pub fn labels(&self) -> impl Iterator<Item = (Label, &'static str)> {
        self.labels.iter().enumerate().map(|(at, text)| (Label(at), *text))
    }

    pub fn count_request(&self, label: Label, status: StatusCode, duration: Duration) {
        let Some(row) = self.shards[shard()].get(label.0) else { return };
        let duration_ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.iter().position(|bound| duration_ns <= ns(*bound));
        row.requests[status_index(status.as_u16())].fetch_add(1, Relaxed);
        row.buckets[bucket.unwrap_or(BOUNDS_US.len())].fetch_add(1, Relaxed);
        row.total_ns.fetch_add(duration_ns, Relaxed);
    }

    fn sum(&self, label: Label, counter: impl Fn(&Row) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|rows| counter(&rows[label.0]).load(Relaxed)).sum()
    }

    /// Sums over the routes whose labels `includes` accepts.
    pub fn totals(&self, includes: impl Fn(&str) -> bool) -> Totals {
        let mut totals = Totals::default();
        for (label, _) in self.labels().filter(|(_, text)| includes(text)) {
            for index in 0..STATUS_COUNTERS {
                let count = self.sum(label, |row| &row.requests[index]);
                totals.requests += count;
                match STATUSES.get(index) {
                    Some(400..500) => totals.client_errors += count,
                    Some(500..) => totals.server_errors += count,
                    _ => {}
                }
            }
            totals.total_ns += self.sum(label, |row| &row.total_ns);
            for (index, bucket) in totals.buckets.iter_mut().enumerate() {
                *bucket += self.sum(label, |row| &row.buckets[index]);
            }
        }
        totals
    }

    fn encode_requests(&self, encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let help = "Requests answered, by route and status";
        let mut family = counters(encoder, "daicho_http_requests", help)?;
        for (label, route) in self.labels() {
            for (index, status) in statuses().enumerate() {
                let count = self.sum(label, |row| &row.requests[index]);
                if count > 0 {
                    counter(&mut family, &[("route", route), ("status", status.as_str())], count)?;
                }
            }
        }
        Ok(())
    }

    fn encode_latency(&self, encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let mut family = encoder.encode_descriptor(
            "daicho_http_request_duration_seconds",
            "Time from the complete request head until the response is ready to send, by route",
            None,
            MetricType::Histogram,
        )?;
        for (label, route) in self.labels() {
            let counts: [u64; BUCKETS] =
                std::array::from_fn(|index| self.sum(label, |row| &row.buckets[index]));
            let total: u64 = counts.iter().sum();
            if total == 0 {
                continue;
            }
            let bounds = BOUNDS_US.iter().map(|bound| seconds(ns(*bound))).chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
            let sum_ns = self.sum(label, |row| &row.total_ns);
            let labels = [("route", route)];
            let mut metric = family.encode_family(&labels)?;
            metric.encode_histogram::<NoLabelSet>(seconds(sum_ns), total, &buckets, None)?;
        }
        Ok(())
    }

    fn encode_unlabelled(&self, encoder: &mut DescriptorEncoder<'_>) -> std::fmt::Result {
        let counters = [
            ("daicho_connections_accepted", "Accepted connections", &self.connections),
            (
                "daicho_connections_refused",
                "Connections rejected with 503 or closed because of a connection limit",
                &self.connections_refused,
            ),
            (
                "daicho_connections_cut",
                "Connections closed by a time-out, for flooding, or for the memory that they held",
                &self.connections_cut,
            ),
            (
                "daicho_connections_gave_way",
                "Idle connections closed to make room for new ones",
                &self.connections_gave_way,
            ),
            (
                "daicho_protocol_errors",
                "Requests rejected before routing: not HTTP, or request head too large",
                &self.protocol_errors,
            ),
            (
                "daicho_requests_overloaded",
                "Requests rejected with 503 and no body because too many wait on their connection",
                &self.requests_overloaded,
            ),
        ];
        for (name, help, value) in counters {
            plain_counter(encoder, name, help, value.load(Relaxed))?;
        }
        let closed = self.connections_closed.load(Relaxed);
        let open = self.connections.load(Relaxed).saturating_sub(closed);
        let help = "Requests whose body is being received or processed";
        gauge(encoder, "daicho_http_requests_in_flight", help, self.waiting.load(Relaxed))?;
        let help = "Bytes buffered by connections for requests and for unsent responses";
        gauge(encoder, "daicho_connections_held_bytes", help, self.memory.bytes() as u64)?;
        gauge(encoder, "daicho_connections", "Open connections", open)
    }
}

impl Collector for Metrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        self.encode_requests(&mut encoder)?;
        self.encode_latency(&mut encoder)?;
        self.encode_unlabelled(&mut encoder)
    }
}

pub fn plain_counter(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: u64,
) -> std::fmt::Result {
    counters(encoder, name, help)?.encode_counter::<NoLabelSet, u64, f64>(&value, None)
}

pub fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: u64,
) -> std::fmt::Result {
    encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)
}

pub fn counters<'e>(
    encoder: &'e mut DescriptorEncoder<'_>,
    name: &'e str,
    help: &'e str,
) -> Result<MetricEncoder<'e>, std::fmt::Error> {
    encoder.encode_descriptor(name, help, None, MetricType::Counter)
}

pub fn counter<const N: usize>(
    family: &mut MetricEncoder<'_>,
    labels: &[(&str, &str); N],
    value: u64,
) -> std::fmt::Result
where
    for<'a> [(&'a str, &'a str); N]: EncodeLabelSet,
{
    family.encode_family(labels)?.encode_counter::<NoLabelSet, u64, f64>(&value, None)
}

fn status_index(status: u16) -> usize {
    STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len())
}

fn statuses() -> impl Iterator<Item = String> {
    STATUSES.iter().map(u16::to_string).chain(["other".to_owned()])
}

const fn ns(us: u64) -> u64 {
    us * 1_000
}

#[expect(clippy::cast_precision_loss, reason = "a sum of seconds needs no 53rd bit")]
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prometheus_client::registry::Registry;

    use super::*;

    #[test]
    fn a_scrape_sums_the_shards() {
        let metrics = Arc::new(Metrics::over(vec!["/v1/postalcode/{code}", "none"]));
        for micros in 0..40 {
            let metrics = Arc::clone(&metrics);
            let count = move || {
                metrics.count_request(Label(0), StatusCode::OK, Duration::from_micros(micros));
            };
            std::thread::spawn(count).join().expect("counted");
        }
        metrics.waiting.fetch_add(1, Relaxed);
        metrics.count_request(Label(1), StatusCode::IM_A_TEAPOT, Duration::from_secs(3600));
        let mut registry = Registry::default();
        registry.register_collector(Box::new(metrics));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("text");
        for line in [
            "daicho_http_requests_total{route=\"/v1/postalcode/{code}\",status=\"200\"} 40",
            "daicho_http_requests_total{route=\"none\",status=\"other\"} 1",
            "daicho_http_request_duration_seconds_count{route=\"/v1/postalcode/{code}\"} 40",
            "daicho_http_request_duration_seconds_bucket{le=\"0.00001\",route=\"/v1/postalcode/{code}\"} 11",
            "daicho_http_request_duration_seconds_bucket{le=\"+Inf\",route=\"none\"} 1",
            "daicho_http_requests_in_flight 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn totals_cover_the_chosen_routes_since_an_earlier_reading() {
        let metrics = Metrics::over(vec!["postal", "bank", "search", "dashboard"]);
        let count = |label, status, micros| {
            metrics.count_request(Label(label), status, Duration::from_micros(micros))
        };
        count(0, StatusCode::OK, 20);
        let before = metrics.totals(|label| label != "dashboard");
        for _ in 0..98 {
            count(0, StatusCode::OK, 40);
        }
        count(1, StatusCode::UNSUPPORTED_MEDIA_TYPE, 40);
        count(2, StatusCode::SERVICE_UNAVAILABLE, 40_000_000);
        count(3, StatusCode::OK, 1);
        let totals = metrics.totals(|label| label != "dashboard").since(&before);
        let counted = (totals.requests, totals.client_errors, totals.server_errors);
        assert_eq!(counted, (100, 1, 1));
        let [median, most] = [0.5, 0.999].map(|share| totals.quantile(share).expect("requests"));
        assert!((0.000_025..0.000_050).contains(&median), "{median}");
        assert_eq!(most, 10.0, "durations past the last bucket count as its bound");
        assert_eq!(Totals::default().quantile(0.5), None);
    }

    #[test]
    fn every_known_status_has_its_own_counter() {
        for (index, status) in STATUSES.iter().enumerate() {
            assert_eq!(status_index(*status), index);
        }
        assert_eq!(status_index(418), STATUSES.len());
        assert!(BOUNDS_US.is_sorted());
    }
}
