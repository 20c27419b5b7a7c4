//! Health, readiness, metrics and the page of error codes. None needs a key; metrics may need a token.

use std::sync::atomic::Ordering::Relaxed;

use hyper::StatusCode;
use prometheus_client::encoding::text::encode;

use super::ask::Ask;
use super::error::{ApiError, Code};
use super::reply::Reply;
use crate::snapshot::{Dataset, Versions};

/// `GET /healthz`: the process answers.
pub fn health(_ask: &Ask<'_>) -> Result<Reply, ApiError> {
    Ok(Reply::fresh(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec()))
}

/// `GET /readyz`: there is data to answer from.
pub fn ready(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let catalog = &ask.data.catalog;
    let standings = [
        standing(catalog.postal()),
        standing(catalog.bank()),
        standing(catalog.corporate()),
        standing(catalog.invoice()),
        standing(catalog.school()),
    ];
    let data: Vec<String> = standings.into_iter().flatten().collect();
    let (status, word) = match data.is_empty() {
        false => (StatusCode::OK, "ready"),
        true => (StatusCode::SERVICE_UNAVAILABLE, "no data"),
    };
    let body = format!("{{\"status\":\"{word}\",\"data\":{{{}}}}}", data.join(","));
    Ok(Reply::fresh(status, body.into_bytes()))
}

/// What there is of a dataset; `None` where there is nothing.
fn standing<D: Dataset>(versions: &Versions<D>) -> Option<String> {
    let (dataset, count, latest) = (D::KIND.name(), versions.len(), versions.latest()?);
    let latest = latest.file().version();
    Some(format!("\"{dataset}\":{{\"versions\":{count},\"latest\":\"{latest}\"}}"))
}

/// `GET /metrics`: everything that is counted.
pub fn metrics(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    ask.api.metrics_access.check(&ask.head.headers)?;
    let counters = &ask.api.counters;
    counters.key_store_healthy.store(ask.api.keys.store_healthy(), Relaxed);
    counters.key_cache_in_use.store(ask.api.keys.is_cached(), Relaxed);
    counters.usage_unwritten.store(ask.api.keys.meters().unwritten(), Relaxed);
    let mut body = String::with_capacity(16 * 1024);
    match encode(&mut body, &ask.api.metrics) {
        Ok(()) => Ok(Reply::metrics(body)),
        Err(error) => {
            tracing::error!(%error, request = %ask.id, "cannot write the metrics");
            Err(ApiError::plain(Code::Internal, "the metrics cannot be written"))
        }
    }
}
