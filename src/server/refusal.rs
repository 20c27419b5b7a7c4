//! The answer to what never became a request, as bytes: hyper asks no service for it.

use bytes::Bytes;
use hyper::Response;

/// Why a client gets an answer before the service has seen a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// As many connections are open as the server takes.
    TooManyConnections {
        connections_max: usize,
    },
    /// As many connections of one address are open as the server takes.
    TooManyOfAddress {
        connections_max: u32,
    },
    /// The bytes are no HTTP.
    MalformedHead,
    NoHost,
    SeveralHosts,
    /// The headers are longer than [`HEAD_BYTES_MAX`](super::limits::HEAD_BYTES_MAX), or more than
    /// [`HEADERS_MAX`](super::limits::HEADERS_MAX).
    HeadersTooLarge,
    /// The request line does not fit into the head.
    TargetTooLong,
}

/// The response as HTTP/1.1, which closes the connection.
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
