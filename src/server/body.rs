//! The body of a response: bytes in memory, or a document that is written as the client reads it.
//!
//! A document is written in pieces of [`PIECE_BYTES`], each one after the previous was sent, so that a slow client
//! costs the memory of one piece and a disconnected client no further work. The status is sent before the document
//! is written, so only content that can no longer fail may be a document.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use super::budget::ChargeKind;
use super::coding::Coder;
use super::connection::{Charge, ChargedBytes, Connection};
use super::limits::UNCOUNTED_BYTES_MAX;

/// Size of a piece of a document, which may be slightly exceeded. hyper buffers one at a time.
pub const PIECE_BYTES: usize = 32 * 1024;

pub trait Document: Send {
    /// Appends the next [`PIECE_BYTES`] or slightly more; returns `false` after the last piece.
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool;
}

pub enum Body {
    Whole(Bytes),
    /// Shared bytes: a mapped file or a prepared answer.
    Shared(Bytes),
    Charged(Box<ChargedBytes>),
    Streamed(Box<DocumentStream>),
}

pub struct DocumentStream {
    /// Written, not yet compressed.
    piece: Vec<u8>,
    /// Whether a part was sent or compressed in this turn, so that other connections have theirs now.
    has_worked: bool,
    document: Box<dyn Document>,
    coder: Coder,
    /// Whether the document has no further piece.
    is_written: bool,
    connection: Arc<Connection>,
    /// For the piece that the client has not read yet.
    _charge: Charge,
}

impl Body {
    /// Charges the bytes of the body to the connection until the client has read them, except for a short body over
    /// HTTP/1.1. Shared bytes take no memory of the connection, so only their overhead is charged.
    pub fn charge(&mut self, connection: &Arc<Connection>) {
        // That the client reads shows on HTTP/1.1 as a write to the socket. On HTTP/2 it shows as a piece that hyper
        // drops, so even shared bytes are sent in pieces there.
        const HTTP2_PIECE_BYTES: usize = PIECE_BYTES / 2;
        let is_http2 = connection.is_http2();
        let (bytes, are_shared) = match self {
            Body::Whole(bytes) if is_http2 || bytes.len() > UNCOUNTED_BYTES_MAX => (bytes, false),
            Body::Shared(bytes) if is_http2 => (bytes, true),
            _ => return,
        };
        let bytes = std::mem::take(bytes);
        let piece_bytes = if is_http2 { HTTP2_PIECE_BYTES } else { usize::MAX };
        let charged = ChargedBytes::of(bytes, are_shared, connection, piece_bytes);
        *self = Body::Charged(Box::new(charged));
    }

    /// The rest of a document whose first `piece` is already written, through this coder.
    pub fn streamed(
        piece: Vec<u8>,
        document: Box<dyn Document>,
        coder: Coder,
        connection: Arc<Connection>,
    ) -> Body {
        let charge = Charge::of(&connection, ChargeKind::Answer, PIECE_BYTES);
        Body::Streamed(Box::new(DocumentStream {
            piece,
            has_worked: false,
            document,
            coder,
            is_written: false,
            connection,
            _charge: charge,
        }))
    }

    /// All bytes of a body with a length, for HTTP/1.1, where they are one piece.
    pub fn take_whole(&mut self) -> Bytes {
        match self {
            Body::Whole(bytes) | Body::Shared(bytes) => std::mem::take(bytes),
            Body::Charged(bytes) => bytes.next_piece().unwrap_or_default(),
            Body::Streamed(_) => Bytes::new(),
        }
    }

    /// `None` if it is streamed.
    pub fn length(&self) -> Option<usize> {
        match self {
            Body::Whole(bytes) | Body::Shared(bytes) => Some(bytes.len()),
            Body::Charged(bytes) => Some(bytes.remaining()),
            Body::Streamed(_) => None,
        }
    }
}

impl DocumentStream {
    /// Whether all of it was sent, or sending it failed.
    fn has_ended(&self) -> bool {
        self.is_written && self.piece.is_empty()
    }

    /// The next bytes to send; `Pending` after each part of the work, with a call for the next turn.
    fn poll_next(&mut self, context: &Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        if std::mem::take(&mut self.has_worked) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.has_ended() {
            return Poll::Ready(None);
        }
        self.has_worked = true;
        if self.piece.is_empty() {
            self.piece.reserve(PIECE_BYTES + PIECE_BYTES / 4);
            self.is_written = !self.document.write_piece(&mut self.piece);
        }
        let rest = self.piece.split_off(self.piece.len().min(self.coder.turn_bytes()));
        let mut part = std::mem::replace(&mut self.piece, rest);
        let is_last = self.has_ended();
        match self.coder.code(&mut part, is_last) {
            // The coder keeps the part until it has more.
            Ok(()) if part.is_empty() => self.poll_next(context),
            Ok(()) => {
                self.connection.record_piece();
                Poll::Ready(Some(Ok(part.into())))
            }
            // Aborts the connection, so that the client does not take a part for the whole.
            Err(error) => {
                (self.is_written, self.piece) = (true, Vec::new());
                Poll::Ready(Some(Err(error)))
            }
        }
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = match &mut *self {
            Body::Whole(bytes) | Body::Shared(bytes) => {
                Some(std::mem::take(bytes)).filter(|bytes| !bytes.is_empty()).map(Ok)
            }
            Body::Charged(bytes) => bytes.next_piece().map(Ok),
            Body::Streamed(stream) => match stream.poll_next(context) {
                Poll::Ready(next) => next,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Body::Streamed(stream) => stream.has_ended(),
            _ => self.length() == Some(0),
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length().map_or_else(SizeHint::default, |bytes| SizeHint::with_exact(bytes as u64))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use http_body_util::BodyExt;
    use hyper::Version;

    use super::*;
    use crate::server::coding::Coding;
    use crate::server::connection::Remote;
    use crate::server::metrics::Metrics;

    /// A document with `left` lines to write; `pieces` counts the pieces written.
    struct Lines {
        left: usize,
        pieces: Arc<AtomicUsize>,
    }

    impl Document for Lines {
        fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
            self.pieces.fetch_add(1, Relaxed);
            while out.len() < PIECE_BYTES && self.left > 0 {
                out.extend_from_slice(format!("line {}\n", self.left).as_bytes());
                self.left -= 1;
            }
            self.left > 0
        }
    }

    fn connection() -> Arc<Connection> {
        let remote = Remote::own_process();
        Arc::new(Connection::open(1, remote, 0, Arc::new(Metrics::over(Vec::new()))))
    }

    fn body(lines: usize, coding: Coding) -> (Body, Arc<AtomicUsize>) {
        let pieces = Arc::default();
        let document = Box::new(Lines { left: lines, pieces: Arc::clone(&pieces) });
        (Body::streamed(b"head\n".to_vec(), document, Coder::begin(coding), connection()), pieces)
    }

    #[tokio::test]
    async fn a_document_is_sent_whole_in_every_coding() {
        for lines in [0, 1, 100_000] {
            let expected: String = std::iter::once("head\n".to_owned())
                .chain((1..=lines).rev().map(|number| format!("line {number}\n")))
                .collect();
            for coding in [Coding::Identity, Coding::Gzip, Coding::Zstd] {
                let (body, _) = body(lines, coding);
                assert_eq!(body.length(), None);
                let sent = body.collect().await.expect("no fault").to_bytes();
                let mut text = Vec::new();
                match coding {
                    Coding::Identity => text.extend_from_slice(&sent),
                    Coding::Gzip => {
                        let read = flate2::read::GzDecoder::new(&*sent).read_to_end(&mut text);
                        assert!(read.is_ok());
                    }
                    Coding::Zstd => text = zstd::stream::decode_all(&*sent).expect("zstd"),
                }
                assert!(text == expected.as_bytes(), "{lines} lines, {coding:?}");
            }
        }
    }

    #[tokio::test]
    async fn shared_bytes_are_sent_in_pieces_over_http2_only() {
        for (version, pieces_expected) in [(Version::HTTP_11, 1), (Version::HTTP_2, 4)] {
            let connection = connection();
            connection.begin_request(version);
            let whole = Bytes::from(vec![b'x'; 60_000]);
            let mut body = Body::Shared(whole.clone());
            body.charge(&connection);
            assert_eq!(body.length(), Some(whole.len()));
            let (mut sent, mut pieces) = (Vec::new(), 0);
            while let Some(frame) = body.frame().await {
                sent.extend_from_slice(&frame.expect("no fault").into_data().expect("data"));
                pieces += 1;
            }
            assert_eq!((sent, pieces), (whole.to_vec(), pieces_expected), "{version:?}");
        }
    }

    #[tokio::test]
    async fn pieces_are_written_on_demand() {
        let (mut body, pieces) = body(100_000, Coding::Identity);
        let written = || pieces.load(Relaxed);
        for expected in [0, 1, 2] {
            let frame = body.frame().await.expect("more").expect("no fault");
            assert!(frame.data_ref().is_some_and(|data| !data.is_empty()));
            assert_eq!(written(), expected);
        }
        drop(body);
        assert_eq!(written(), 2);
    }
}
