//! `GET /v1/whoami`: the address from which the server sees the request.
//!
//! That is the peer of the socket. Headers that a proxy may add are ignored: any client could write them.

use std::net::IpAddr;

use hyper::StatusCode;

use super::ask::Ask;
use super::error::ApiError;
use super::reply::Reply;

pub fn whoami(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let kind = match ask.connection.remote {
        IpAddr::V4(_) => "v4",
        IpAddr::V6(_) => "v6",
    };
    let address = &ask.connection.remote_text;
    let body = format!("{{\"remote_addr\":{{\"type\":\"{kind}\",\"address\":\"{address}\"}}}}");
    Ok(Reply::fresh(StatusCode::OK, body.into_bytes()))
}
