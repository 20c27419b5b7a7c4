//! The head of an answer as bytes, as hyper writes it.

use hyper::StatusCode;
use hyper::header::{CONNECTION, CONTENT_LENGTH};
use hyper::http::response::Parts;

/// Appends the head of an answer whose body has this length. It says that the connection closes if `closes`, or if one of
/// its headers does; returns whether it says so.
pub fn write_head(head: &Parts, body_bytes: usize, closes: bool, out: &mut Vec<u8>) -> bool {
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(head.status.as_str().as_bytes());
    out.push(b' ');
    out.extend_from_slice(head.status.canonical_reason().unwrap_or("<none>").as_bytes());
    out.extend_from_slice(b"\r\n");
    let (mut says_close, mut says_length) = (false, false);
    for (name, value) in &head.headers {
        write_header(name.as_str(), value.as_bytes(), out);
        says_close |= *name == CONNECTION && value == "close";
        says_length |= *name == CONTENT_LENGTH;
    }
    // RFC 9110, 8.6: these two have no body, whatever its length would be.
    let has_body = !matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if has_body && !says_length {
        write_header("content-length", itoa::Buffer::new().format(body_bytes).as_bytes(), out);
    }
    if closes && !says_close {
        write_header("connection", b"close", out);
    }
    out.extend_from_slice(b"\r\n");
    closes || says_close
}

fn write_header(name: &str, value: &[u8], out: &mut Vec<u8>) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use hyper::Response;
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn a_head_has_what_the_client_must_know() {
        let date = ("date", "now");
        let close = ("connection", "close");
        let length = ("content-length", "12");
        for (status, headers, bytes, expected, closes) in [
            (
                200,
                &[date][..],
                12,
                "HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 12\r\n\r\n",
                false,
            ),
            (200, &[length], 12, "HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n", false),
            (503, &[], 0, "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n", false),
            (304, &[date], 0, "HTTP/1.1 304 Not Modified\r\ndate: now\r\n\r\n", false),
            (204, &[], 0, "HTTP/1.1 204 No Content\r\n\r\n", false),
            (599, &[], 1, "HTTP/1.1 599 <none>\r\ncontent-length: 1\r\n\r\n", false),
            (
                400,
                &[close, date],
                1,
                "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ndate: now\r\ncontent-length: 1\r\n\r\n",
                true,
            ),
        ] {
            let (mut head, ()) = Response::new(()).into_parts();
            head.status = StatusCode::from_u16(status).expect("a status");
            for (name, value) in headers {
                head.headers.insert(*name, HeaderValue::from_static(value));
            }
            let mut out = Vec::new();
            let asked = closes && headers.is_empty();
            assert_eq!(write_head(&head, bytes, asked, &mut out), closes, "{status}");
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
