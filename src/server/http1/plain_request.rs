//! The head of a plain request: `GET` of HTTP/1.1 for a path, with nothing after it, and without a header that changes
//! how this or another message is read or answered.
//!
//! Only says what a plain request is. Whether another is valid, and how it is refused, hyper decides.

use std::mem::MaybeUninit;

use bytes::Bytes;
use httparse::Status;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Uri, Version};

use crate::server::limits::HEADERS_MAX;

/// What a client wants of the connection after the answer. Of several wishes the greatest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Afterwards {
    Keep,
    Close,
}

/// A head for [`parse`].
pub fn empty_head() -> Parts {
    Request::new(()).into_parts().0
}

/// Makes a head empty again. Its memory stays, for the next request.
pub fn clear(head: &mut Parts) {
    head.headers.clear();
    head.extensions.clear();
    head.uri = Uri::default();
}

/// Reads the request in these bytes into an empty head, whose values share the bytes. `None` unless they are exactly one
/// plain request; the head is then of no use.
pub fn parse(bytes: &Bytes, head: &mut Parts) -> Option<Afterwards> {
    let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut []);
    let parsed = request.parse_with_uninit_headers(bytes, &mut headers);
    let is_whole = parsed == Ok(Status::Complete(bytes.len()));
    if !is_whole || request.method != Some("GET") || request.version != Some(1) {
        return None;
    }
    let target = request.path.filter(|target| target.starts_with('/'))?;
    debug_assert!(head.headers.is_empty() && head.extensions.is_empty(), "an empty head");
    head.method = Method::GET;
    head.version = Version::HTTP_11;
    head.uri = PathAndQuery::from_maybe_shared(bytes.slice_ref(target.as_bytes())).ok()?.into();
    let mut afterwards = Afterwards::Keep;
    for header in request.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        match name.as_str() {
            "connection" => afterwards = afterwards.max(of_connection(header.value)?),
            "content-length" | "transfer-encoding" | "expect" | "te" | "trailer" | "upgrade" => {
                return None;
            }
            _ => {}
        }
        let value = HeaderValue::from_maybe_shared(bytes.slice_ref(header.value)).ok()?;
        head.headers.append(name, value);
    }
    Some(afterwards)
}

/// The meaning of a header `Connection`; `None` if it has another one.
fn of_connection(value: &[u8]) -> Option<Afterwards> {
    let is = |word: &str| value.eq_ignore_ascii_case(word.as_bytes());
    if is("close") { Some(Afterwards::Close) } else { is("keep-alive").then_some(Afterwards::Keep) }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::Empty;
    use hyper::Response;
    use hyper::body::Incoming;
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use proptest::prelude::*;
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn parse_text(text: &str) -> Option<(Parts, Afterwards)> {
        let mut head = empty_head();
        let afterwards = parse(&Bytes::copy_from_slice(text.as_bytes()), &mut head)?;
        Some((head, afterwards))
    }

    #[test]
    fn only_a_plain_request_is_read() {
        let one = "GET /v1/postalcode/1000001?a=b HTTP/1.1\r\nHost: x\r\n";
        for headers in [
            "",
            "Authorization: Token dk_1\r\nAccept: */*\r\nX-Empty:\r\n",
            "Connection: keep-alive\r\n",
            "connection: Close\r\n",
            "Connection: Keep-Alive\r\nConnection: close\r\n",
            "Accept-Encoding: gzip\r\nIf-None-Match: \"a\"\r\nAccept-Encoding: br\r\n",
        ] {
            let (head, afterwards) = parse_text(&format!("{one}{headers}\r\n")).expect(headers);
            let closes = headers.to_lowercase().contains("close");
            assert_eq!(afterwards == Afterwards::Close, closes, "{headers:?}");
            assert_eq!(head.uri, "/v1/postalcode/1000001?a=b");
            assert_eq!(head.headers.len(), 1 + headers.lines().count());
        }
        let many = "A: b\r\n".repeat(HEADERS_MAX);
        for other in [
            "Content-Length: 0\r\n",
            "Content-Length: 3\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Expect: 100-continue\r\n",
            "Upgrade: h2c\r\n",
            "TE: trailers\r\n",
            "Trailer: x\r\n",
            "Connection: upgrade\r\n",
            "Connection: keep-alive, te\r\n",
            "Connection: \r\n",
            "no colon\r\n",
            " folded: x\r\n",
            "a\u{0}: x\r\n",
            "a: \u{7f}\r\n",
            &many,
        ] {
            assert!(parse_text(&format!("{one}{other}\r\n")).is_none(), "{other:?}");
        }
        for text in [
            "",
            "G",
            one,
            &format!("{one}\r"),
            &format!("{one}\r\nG"),
            &format!("{one}\r\n{one}\r\n"),
            "HEAD / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "GET / HTTP/2.0\r\n\r\n",
            "GET * HTTP/1.1\r\n\r\n",
            "GET http://x/ HTTP/1.1\r\n\r\n",
            "GET /a b HTTP/1.1\r\n\r\n",
            "GET\r\n\r\n",
        ] {
            assert!(parse_text(text).is_none(), "{text:?}");
        }
    }

    /// The head of the first request in these bytes, as hyper reads it.
    async fn read_by_hyper(bytes: &[u8]) -> Option<Parts> {
        let (found, mut read) = tokio::sync::mpsc::unbounded_channel();
        let service = service_fn(move |request: Request<Incoming>| {
            // The receiver lives as long as the connection.
            let _ = found.send(request.into_parts().0);
            std::future::ready(Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())))
        });
        let (mut client, server) = tokio::io::duplex(64 * 1024);
        client.write_all(bytes).await.expect("there is room");
        client.shutdown().await.expect("it is open");
        // It fails where the bytes are no request.
        let _ = http1::Builder::new().serve_connection(TokioIo::new(server), service).await;
        read.recv().await
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_read_hyper_reads_alike(
            target in "/[ -~é]{0,12}",
            headers in prop::collection::vec(
                ("[A-Za-z-]{1,6}|Host|TE|Connection|Content-Length", "[ -~é\t\u{1}]{0,8}|keep-alive|close|0"),
                0..4,
            ),
            (end, colon) in (prop_oneof![9 => Just("\r\n"), 1 => Just("\n")], "(: |:|::)"),
        ) {
            let lines = headers.iter().map(|(name, value)| format!("{name}{colon}{value}{end}"));
            let text = format!("GET {target} HTTP/1.1{end}{}{end}", lines.collect::<String>());
            let Some((head, _)) = parse_text(&text) else { return Ok(()) };
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let by_hyper = runtime.block_on(read_by_hyper(text.as_bytes()));
            let by_hyper = by_hyper.expect("hyper reads each plain request");
            prop_assert_eq!(&head.uri, &by_hyper.uri);
            prop_assert_eq!(&head.headers, &by_hyper.headers);
            prop_assert_eq!((head.method, head.version), (by_hyper.method, by_hyper.version));
        }

        #[test]
        fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            parse(&bytes.into(), &mut empty_head());
        }
    }
}
