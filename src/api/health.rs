//! Health and metrics. Neither needs a key; metrics may need a token.

use std::sync::atomic::Ordering::Relaxed;

use hyper::StatusCode;
use prometheus_client::encoding::text::encode;

use super::error::{ApiError, Code};
use super::reply::Reply;
use super::request::ApiRequest;

/// `GET /healthz`: the process is alive.
pub fn health(_request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    Ok(Reply::uncached(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec()))
}

/// `GET /metrics`: all metrics.
pub fn metrics(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    request.api.metrics_access.check(&request.head.headers)?;
    let counters = &request.api.counters;
    counters.key_store_healthy.store(request.api.keys.is_store_healthy(), Relaxed);
    counters.key_cache_in_use.store(request.api.keys.is_cached(), Relaxed);
    counters.usage_unwritten.store(request.api.keys.meters().unwritten(), Relaxed);
    let mut body = String::with_capacity(16 * 1024);
    match encode(&mut body, &request.api.metrics) {
        Ok(()) => Ok(Reply::metrics(body)),
        Err(error) => {
            tracing::error!(%error, request = %request.id, "cannot write the metrics");
            Err(ApiError::new(Code::Internal, "the metrics cannot be written"))
        }
    }
}
