//! Metrics of the API besides its requests: quotas, keys, reloads, and the loaded data. Also where `/metrics` is
//! served, and to whom: to anybody, or to clients with the token.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::header::{AUTHORIZATION, HeaderMap};
use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::error::{ApiError, Code};
use super::pipeline::quota::QuotaOutcome;
use super::pipeline::reply::Prepared;
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
    /// Rows of the operator's corrections of the dataset.
    pub corrections: AtomicU64,
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
        let gauges: [(&str, &str, Value); 6] = [
            ("daicho_snapshot_versions", "Data versions served", |data| &data.versions),
            ("daicho_snapshots_refused", "Damaged snapshot files that are not served", |data| {
                &data.refused
            }),
            (
                "daicho_corrections",
                "Rows of the operator's corrections laid over the newest version",
                |data| &data.corrections,
            ),
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

/// How long a rendered page of metrics is sent again, unless set. Collectors ask every 5 s at most.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// The page of metrics as it was last rendered: rendering takes longer than a thread of connections may be busy, and
/// anybody may ask for it.
#[derive(Debug)]
pub struct MetricsPage {
    interval: Duration,
    rendered: Mutex<Option<(Instant, Arc<Prepared>)>>,
}

impl Default for MetricsPage {
    fn default() -> MetricsPage {
        MetricsPage::new(INTERVAL)
    }
}

impl MetricsPage {
    /// A page that is rendered at most once an interval; with an interval of 0, for each request.
    pub fn new(interval: Duration) -> MetricsPage {
        MetricsPage { interval, rendered: Mutex::default() }
    }

    /// The page, if it was rendered within the interval.
    pub fn rendered(&self, now: Instant) -> Option<Arc<Prepared>> {
        let rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, page) = rendered.as_ref()?;
        (now.saturating_duration_since(*at) < self.interval).then(|| Arc::clone(page))
    }

    pub fn keep(&self, now: Instant, page: Arc<Prepared>) {
        *self.rendered.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, page));
    }
}

/// In characters: long enough not to be guessed, short enough for a header.
const TOKEN_LENGTH_MIN: usize = 16;
const TOKEN_LENGTH_MAX: usize = 200;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsPlace {
    #[default]
    WithApi,
    Apart,
    Nowhere,
}

#[derive(Debug, Clone, Default)]
pub struct MetricsAccess {
    pub place: MetricsPlace,
    pub token: Option<MetricsToken>,
}

/// The SHA-256 of a token, so that a comparison takes the same time for every wrong one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsToken([u8; 32]);

/// Why a text cannot be a token. Does not repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    #[error(
        "a token has {TOKEN_LENGTH_MIN} to {TOKEN_LENGTH_MAX} characters; found {found}; choose another"
    )]
    Length { found: usize },
    /// The position counts from 1.
    #[error("a token has letters, digits and -._~+/= only; found another at character {position}")]
    Character { position: usize },
}

impl MetricsToken {
    pub fn parse(text: &str) -> Result<MetricsToken, TokenFault> {
        let found = text.chars().count();
        if !(TOKEN_LENGTH_MIN..=TOKEN_LENGTH_MAX).contains(&found) {
            return Err(TokenFault::Length { found });
        }
        // The characters of a bearer token in RFC 6750.
        let is_known = |letter: char| letter.is_ascii_alphanumeric() || "-._~+/=".contains(letter);
        match text.chars().position(|letter| !is_known(letter)) {
            Some(index) => Err(TokenFault::Character { position: index + 1 }),
            None => Ok(MetricsToken(Sha256::digest(text).into())),
        }
    }

    fn matches(&self, presented: &[u8]) -> bool {
        let presented: [u8; 32] = Sha256::digest(presented).into();
        self.0.ct_eq(&presented).into()
    }
}

impl MetricsAccess {
    /// Refuses requests without the token, if there is one.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let Some(token) = &self.token else { return Ok(()) };
        let refused = |found: &str| {
            let detail = format!("expected the header Authorization: Bearer TOKEN; found {found}");
            Err(ApiError::new(Code::InvalidToken, detail))
        };
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = match (values.next(), values.next()) {
            (Some(value), None) => value.as_bytes().trim_ascii(),
            (None, _) => return refused("none"),
            (Some(_), Some(_)) => return refused("several"),
        };
        let (scheme, presented) = value.split_at_checked("Bearer ".len()).unwrap_or((value, b""));
        if !scheme.eq_ignore_ascii_case(b"Bearer ") {
            return refused("another scheme");
        }
        if token.matches(presented.trim_ascii()) { Ok(()) } else { refused("another token") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_a_limited_length_and_header_characters_only() {
        #[track_caller]
        fn check(text: &str, expected: Result<(), TokenFault>) {
            assert_eq!(MetricsToken::parse(text).map(drop), expected, "{text:?}");
        }
        check("abcdefghijklmnop", Ok(()));
        check("AZaz09-._~+/AAA==", Ok(()));
        check(&"x".repeat(200), Ok(()));
        check("", Err(TokenFault::Length { found: 0 }));
        check("abcdefghijklmno", Err(TokenFault::Length { found: 15 }));
        check(&"x".repeat(201), Err(TokenFault::Length { found: 201 }));
        check("abcdefgh ijklmnop", Err(TokenFault::Character { position: 9 }));
        check("abcdefghijklmnop\n", Err(TokenFault::Character { position: 17 }));
        check("鍵abcdefghijklmnop", Err(TokenFault::Character { position: 1 }));
    }

    #[test]
    fn only_the_token_gives_access() {
        let token = MetricsToken::parse("abcdefghijklmnop").expect("a token");
        let access = MetricsAccess { place: MetricsPlace::WithApi, token: Some(token) };
        let asked = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().expect("a value"));
            }
            access.check(&headers).map_err(|error| error.detail.into_owned())
        };
        for right in ["Bearer abcdefghijklmnop", "bearer  abcdefghijklmnop "] {
            assert_eq!(asked(&[right]), Ok(()));
        }
        for (wrong, found) in [
            (&[][..], "found none"),
            (&["Bearer abcdefghijklmnop", "Bearer abcdefghijklmnop"], "found several"),
            (&["Token abcdefghijklmnop"], "another scheme"),
            (&["abcdefghijklmnop"], "another scheme"),
            (&["Bearer"], "another scheme"),
            (&["Bearer abcdefghijklmnoq"], "another token"),
            (&["Bearer abcdefghijklmno"], "another token"),
            (&["Bearer "], "another"),
        ] {
            let detail = asked(wrong).expect_err("refused");
            assert!(detail.contains(found), "{wrong:?}: {detail}");
        }
        assert_eq!(MetricsAccess::default().check(&HeaderMap::new()), Ok(()));
    }
}
