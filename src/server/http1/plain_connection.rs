//! Reads plain requests and answers each before it reads the next. Between two requests it holds no buffer.

use std::cell::{Cell, RefCell};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http_body_util::Empty;
use hyper::http::request::Parts;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::answer::write_head;
use super::plain_request::{Afterwards, clear, empty_head, parse};
use crate::server::answered::Answered;
use crate::server::connection_service::{ConnectionService, ResponseFuture};
use crate::server::service::{ArrivingBody, HttpService};
use crate::server::socket::Socket;

/// Most bytes of the head of a plain request, which comes in one read. Heads of programs take some hundred bytes.
const HEAD_BYTES_MAX: usize = 8 * 1024;

/// Buffers of a thread, in use while one of its connections is read or written.
struct Buffers {
    read: Box<[u8; HEAD_BYTES_MAX]>,
    written: Vec<u8>,
}

thread_local! {
    /// An empty head, whose memory the next request uses.
    static HEAD: Cell<Option<Box<Parts>>> = const { Cell::new(None) };
    static BUFFERS: RefCell<Buffers> =
        RefCell::new(Buffers { read: Box::new([0; HEAD_BYTES_MAX]), written: Vec::new() });
}

pub struct PlainConnection<S: HttpService> {
    socket: Socket<S>,
    service: ConnectionService<S>,
    /// What the socket has not accepted of an answer: of its head and of its body.
    unsent: [Bytes; 2],
    has_answered: bool,
    /// Whether the last answer may be held below the socket, as TLS does.
    needs_flush: bool,
    /// Whether to close once the last answer is sent.
    is_closing: bool,
}

/// What hyper goes on with.
#[derive(Default)]
pub struct Rest {
    /// Bytes that it reads first.
    unread: Bytes,
    /// The answer that was begun to the request in them.
    begun: Option<ResponseFuture>,
}

impl<S: HttpService> PlainConnection<S> {
    pub fn new(socket: Socket<S>, service: ConnectionService<S>) -> PlainConnection<S> {
        PlainConnection {
            socket,
            service,
            unsent: Default::default(),
            has_answered: false,
            needs_flush: false,
            is_closing: false,
        }
    }

    /// Closes after the last answer; `false` if there was no request yet.
    pub fn close(&mut self) -> bool {
        self.is_closing = self.has_answered;
        self.has_answered
    }

    pub fn give(self, rest: Rest) -> (Socket<S>, ConnectionService<S>) {
        let PlainConnection { mut socket, service, .. } = self;
        socket.read_again(rest.unread);
        service.begun.set(rest.begun);
        (socket, service)
    }

    /// Ready at the end of the connection, or with what hyper must go on with.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Rest>>> {
        loop {
            ready!(self.poll_sent(context))?;
            if self.is_closing {
                return Pin::new(&mut self.socket).poll_shutdown(context).map_ok(|()| None);
            }
            let bytes = ready!(self.poll_read(context))?;
            if bytes.is_empty() {
                self.is_closing = true;
                continue;
            }
            let mut head = HEAD.take().unwrap_or_else(|| Box::new(empty_head()));
            let Some(afterwards) = parse(&bytes, &mut head) else {
                return Poll::Ready(Ok(Some(Rest { unread: bytes, begun: None })));
            };
            let begun = self.service.respond(&mut head, ArrivingBody::Left(Empty::new()));
            clear(&mut head);
            HEAD.set(Some(head));
            match begun {
                ResponseFuture::Ready(Some(answered)) if answered.body().length().is_some() => {
                    self.has_answered = true;
                    self.is_closing = afterwards == Afterwards::Close;
                    self.send(answered, context)?;
                }
                begun => {
                    let rest = Rest { unread: bytes, begun: Some(begun) };
                    return Poll::Ready(Ok(Some(rest)));
                }
            }
        }
    }

    /// What the client has sent; empty if it has closed its side.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        BUFFERS.with_borrow_mut(|buffers| {
            let mut buffer = ReadBuf::new(&mut buffers.read[..]);
            ready!(Pin::new(&mut self.socket).poll_read(context, &mut buffer))?;
            Poll::Ready(Ok(Bytes::copy_from_slice(buffer.filled())))
        })
    }

    /// Writes an answer as far as the socket accepts it now, and keeps the rest.
    fn send(&mut self, mut answered: Answered, context: &mut Context<'_>) -> io::Result<()> {
        BUFFERS.with_borrow_mut(|buffers| {
            let written = &mut buffers.written;
            written.clear();
            self.is_closing = write_head(&answered, self.is_closing, written);
            let body = answered.body_mut().take_whole();
            let head_bytes = written.len();
            let slices = [IoSlice::new(written), IoSlice::new(&body)];
            let sent = match Pin::new(&mut self.socket).poll_write_vectored(context, &slices) {
                Poll::Ready(sent) => sent?,
                Poll::Pending => 0,
            };
            self.needs_flush = true;
            if sent < head_bytes + body.len() {
                let rest_of_head = &written[sent.min(head_bytes)..];
                let rest_of_body = body.slice(sent.saturating_sub(head_bytes)..);
                self.unsent = [Bytes::copy_from_slice(rest_of_head), rest_of_body];
            }
            Ok(())
        })
    }

    /// Ready when the last answer is sent.
    fn poll_sent(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        for unsent in &mut self.unsent {
            while unsent.has_remaining() {
                match ready!(Pin::new(&mut self.socket).poll_write(context, unsent))? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    sent => unsent.advance(sent),
                }
            }
            // The charge of a long body ends with its bytes.
            *unsent = Bytes::new();
        }
        if self.needs_flush {
            ready!(Pin::new(&mut self.socket).poll_flush(context))?;
            self.needs_flush = false;
        }
        Poll::Ready(Ok(()))
    }
}
