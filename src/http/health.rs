//! For whoever runs the server: does it live, can it answer, what has it done. No key needed.

use std::sync::atomic::Ordering::Relaxed;

use hyper::StatusCode;

use super::error::{ApiError, Code};
use super::reply::Reply;
use super::service::Ask;

/// `GET /healthz`: the process answers.
pub fn health() -> Reply {
    Reply::fresh(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec())
}

/// `GET /readyz`: there is data to answer from.
pub fn ready(ask: &Ask<'_>) -> Reply {
    let postal = ask.served.catalog.postal();
    match postal.latest() {
        Some(latest) => {
            let (latest, count) = (latest.version(), postal.len());
            let data = format!("{{\"postal\":{{\"versions\":{count},\"latest\":\"{latest}\"}}}}");
            let body = format!("{{\"status\":\"ready\",\"data\":{data}}}");
            Reply::fresh(StatusCode::OK, body.into_bytes())
        }
        None => Reply::fresh(
            StatusCode::SERVICE_UNAVAILABLE,
            b"{\"status\":\"no data\",\"data\":{}}".to_vec(),
        ),
    }
}

/// `GET /metrics`: the counters for Prometheus.
pub fn metrics(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let healthy = ask.app.keys.store_healthy();
    ask.app.metrics.key_store_healthy.store(healthy, Relaxed);
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
