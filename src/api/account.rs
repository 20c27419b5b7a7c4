//! `GET /v1/whoami`: the address from which the server sees the request.
//!
//! That is the peer of the socket. Headers that a proxy may add are ignored: any client could write them.

use std::net::IpAddr;

use hyper::StatusCode;

use super::error::ApiError;
use super::reply::Reply;
use super::request::ApiRequest;

pub fn whoami(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let kind = match request.connection.remote {
        IpAddr::V4(_) => "v4",
        IpAddr::V6(_) => "v6",
    };
    let address = &request.connection.remote_text;
    let body = format!("{{\"remote_addr\":{{\"type\":\"{kind}\",\"address\":\"{address}\"}}}}");
    Ok(Reply::uncached(StatusCode::OK, body.into_bytes()))
}
