//! An answer as bytes, as hyper writes it: its head, or the whole of a refusal that no request is answered with.

use bytes::Bytes;
use hyper::header::{CONNECTION, CONTENT_LENGTH};
use hyper::{Response, StatusCode};

use crate::server::answered::{Answered, push_line};
use crate::server::body::Body;

/// Appends the head of an answer whose body has a length. It says that the connection closes if `closes`, or if one of its
/// headers does; returns whether it says so.
pub fn write_head(answered: &Answered, closes: bool, out: &mut Vec<u8>) -> bool {
    let status = answered.status();
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(status.as_str().as_bytes());
    out.push(b' ');
    out.extend_from_slice(status.canonical_reason().unwrap_or("<none>").as_bytes());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(answered.shared_lines());
    let (mut says_close, mut says_length) = (false, false);
    for (name, value) in answered.own_headers() {
        push_line(name.as_str(), value.as_bytes(), out);
        says_close |= *name == CONNECTION && value == "close";
        says_length |= *name == CONTENT_LENGTH;
    }
    push_line("date", answered.date().as_bytes(), out);
    // RFC 9110, 8.6: these two have no body, whatever its length would be.
    let has_body = !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if has_body && !says_length {
        let bytes = answered.body().length().unwrap_or_default();
        push_line("content-length", itoa::Buffer::new().format(bytes).as_bytes(), out);
    }
    if closes && !says_close {
        push_line("connection", b"close", out);
    }
    out.extend_from_slice(b"\r\n");
    closes || says_close
}

/// A refusal as bytes. The connection closes after it.
pub fn refusal_bytes(refusal: Response<Bytes>) -> Vec<u8> {
    let body = refusal.body().clone();
    let mut out = Vec::new();
    write_head(&refusal.map(Body::Whole).into(), true, &mut out);
    out.extend_from_slice(&body);
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use hyper::header::{HeaderMap, HeaderName, HeaderValue};

    use super::*;
    use crate::server::answered::SharedHeaders;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn a_head_has_what_the_client_must_know() {
        let close = ("connection", "close");
        for (status, own, body, asks_close, expected) in [
            (200, &[][..], "abc", false, "200 OK\r\netag: a\r\ndate: now\r\ncontent-length: 3"),
            (
                200,
                &[],
                "abc",
                true,
                "200 OK\r\netag: a\r\ndate: now\r\ncontent-length: 3\r\nconnection: close",
            ),
            (
                200,
                &[("content-length", "3")],
                "abc",
                false,
                "200 OK\r\netag: a\r\ncontent-length: 3\r\ndate: now",
            ),
            (
                503,
                &[],
                "",
                false,
                "503 Service Unavailable\r\netag: a\r\ndate: now\r\ncontent-length: 0",
            ),
            (304, &[], "", false, "304 Not Modified\r\netag: a\r\ndate: now"),
            (204, &[], "", false, "204 No Content\r\netag: a\r\ndate: now"),
            (599, &[], "a", false, "599 <none>\r\netag: a\r\ndate: now\r\ncontent-length: 1"),
            (
                400,
                &[close],
                "a",
                true,
                "400 Bad Request\r\netag: a\r\nconnection: close\r\ndate: now\r\ncontent-length: 1",
            ),
        ] {
            let shared = Arc::new(SharedHeaders::new(headers(&[("etag", "a")])));
            let code = StatusCode::from_u16(status).expect("a status");
            let body = Body::Whole(Bytes::from_static(body.as_bytes()));
            let mut answered = Answered::new(code, Some(shared), headers(own), body);
            answered.set_ended(Instant::now());
            let date = answered.date();
            let expected = expected.replace("now", date.to_str().expect("a date"));
            let mut out = Vec::new();
            let closes = write_head(&answered, asks_close, &mut out);
            assert_eq!(closes, asks_close || own == [close], "{status}");
            assert_eq!(String::from_utf8_lossy(&out), format!("HTTP/1.1 {expected}\r\n\r\n"));
        }
    }

    #[test]
    fn a_refusal_is_whole_and_closes_the_connection() {
        let mut refusal = Response::new(Bytes::from_static(b"why"));
        *refusal.status_mut() = StatusCode::URI_TOO_LONG;
        refusal.headers_mut().extend(headers(&[("cache-control", "no-store")]));
        let text = String::from_utf8(refusal_bytes(refusal)).expect("text");
        let rest =
            text.strip_prefix("HTTP/1.1 414 URI Too Long\r\ncache-control: no-store\r\ndate: ");
        let (date, rest) = rest.and_then(|rest| rest.split_once("\r\n")).expect(&text);
        assert!(date.ends_with(" GMT"), "{date}");
        assert_eq!(rest, "content-length: 3\r\nconnection: close\r\n\r\nwhy");
    }
}
