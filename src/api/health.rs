//! Health and metrics. Neither needs a key; metrics may need a token.

use std::sync::atomic::Ordering::Relaxed;

use hyper::StatusCode;
use prometheus_client::encoding::text::encode;

use super::ask::Ask;
use super::error::{ApiError, Code};
use super::reply::Reply;

/// `GET /healthz`: the process is alive.
pub fn health(_ask: &Ask<'_>) -> Result<Reply, ApiError> {
    Ok(Reply::fresh(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec()))
}

/// `GET /metrics`: all metrics.
pub fn metrics(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    ask.api.metrics_access.check(&ask.head.headers)?;
    let counters = &ask.api.counters;
    counters.key_store_healthy.store(ask.api.keys.is_store_healthy(), Relaxed);
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
