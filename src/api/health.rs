//! For whoever runs the server: does it live, can it answer, what has it done. No key needed.

use std::sync::atomic::Ordering::Relaxed;

use hyper::StatusCode;

use super::error::{ApiError, Code};
use super::reply::Reply;
use super::service::Ask;
use crate::snapshot::{Dataset, Versions};

/// `GET /healthz`: the process answers.
pub fn health() -> Reply {
    Reply::fresh(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec())
}

/// `GET /readyz`: there is data to answer from.
pub fn ready(ask: &Ask<'_>) -> Reply {
    let catalog = &ask.served.catalog;
    let standings =
        [standing(catalog.postal()), standing(catalog.bank()), standing(catalog.corporate())];
    let data: Vec<String> = standings.into_iter().flatten().collect();
    let (status, word) = match data.is_empty() {
        false => (StatusCode::OK, "ready"),
        true => (StatusCode::SERVICE_UNAVAILABLE, "no data"),
    };
    let body = format!("{{\"status\":\"{word}\",\"data\":{{{}}}}}", data.join(","));
    Reply::fresh(status, body.into_bytes())
}

/// What there is of a dataset; `None` where there is nothing.
fn standing<D: Dataset>(versions: &Versions<D>) -> Option<String> {
    let (dataset, count, latest) = (D::KIND.name(), versions.len(), versions.latest()?);
    let latest = latest.file().version();
    Some(format!("\"{dataset}\":{{\"versions\":{count},\"latest\":\"{latest}\"}}"))
}

/// `GET /metrics`: the counters for Prometheus.
pub fn metrics(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let healthy = ask.app.keys.store_healthy();
    ask.app.metrics.key_store_healthy.store(healthy, Relaxed);
    ask.app.metrics.usage_unwritten.store(ask.app.keys.meters().unwritten(), Relaxed);
    match ask.app.metrics.text() {
        Ok(text) => Ok(Reply::metrics(text)),
        Err(error) => {
            tracing::error!(%error, request = %ask.id, "the counters cannot be written");
            Err(ApiError::plain(
                Code::Internal,
                "expected the counters; found that they cannot be written",
            ))
        }
    }
}
