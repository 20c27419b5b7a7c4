//! Answers before the service sees a request: to a connection over a limit, or to a head that is malformed or too
//! large.

use bytes::Bytes;
use hyper::Response;

/// Why a client is answered before the service sees a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The server has as many connections as it accepts.
    TooManyConnections {
        connections_max: usize,
    },
    /// The address has as many connections as the server accepts.
    TooManyOfAddress {
        connections_max: u32,
    },
    /// The bytes are not HTTP.
    MalformedHead,
    NoHost,
    SeveralHosts,
    /// The headers are longer than [`HEAD_BYTES_MAX`](super::limits::HEAD_BYTES_MAX), or more than
    /// [`HEADERS_MAX`](super::limits::HEADERS_MAX).
    HeadersTooLarge,
    /// The request line alone exceeds the limit of the head.
    TargetTooLong,
}

/// The response as HTTP/1.1 bytes, with `Connection: close`.
pub fn response_bytes(response: &Response<Bytes>) -> Vec<u8> {
    let body = response.body();
    let mut out = format!("HTTP/1.1 {}\r\n", response.status()).into_bytes();
    for (name, value) in response.headers() {
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    let end = format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    out.extend_from_slice(end.as_bytes());
    out.extend_from_slice(body);
    out
}
