//! A connection over HTTP/1.1. Plain requests are read and answered here; at the first other request hyper takes the
//! connection, until it ends.
//!
//! A request is plain if it changes nothing about how messages are read or written (`plain_request.rs` has the
//! conditions), which is what clients send that look something up. hyper gets every byte of another request again, so
//! that a malformed, long, pipelined or slow one has one reader. An answer that is not ready, or that is written
//! while the client reads it, is hyper's too: it reads the same request, and is given the answer that was begun.
//!
//! With hyper, plain requests took a third more of the processor's time in user space, and a connection that waits for its
//! next one 15 KB more (`benches/README.md`, 'Over HTTP').

pub mod answer;
mod plain_connection;
mod plain_request;

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;

use self::plain_connection::{PlainConnection, Rest};
use super::connection_service::ConnectionService;
use super::served_connection::{ConnectionError, ServedConnection};
use super::service::HttpService;
use super::socket::Socket;

pub struct Http1Connection<S: HttpService> {
    reader: Reader<S>,
    hyper: http1::Builder,
}

/// Who reads the connection.
enum Reader<S: HttpService> {
    Plain(Box<PlainConnection<S>>),
    Hyper(Box<HyperConnection<S>>),
    /// It has ended, or the reader changes.
    None,
}

type HyperConnection<S> = http1::Connection<TokioIo<Socket<S>>, ConnectionService<S>>;

impl<S: HttpService> Http1Connection<S> {
    /// `hyper` has the settings for requests that are not plain.
    pub fn new(
        socket: Socket<S>,
        service: ConnectionService<S>,
        hyper: http1::Builder,
    ) -> Http1Connection<S> {
        let plain = Box::new(PlainConnection::new(socket, service));
        Http1Connection { reader: Reader::Plain(plain), hyper }
    }

    fn give_to_hyper(&mut self, rest: Rest) {
        if let Reader::Plain(plain) = mem::replace(&mut self.reader, Reader::None) {
            let (socket, service) = plain.give(rest);
            let connection = self.hyper.serve_connection(TokioIo::new(socket), service);
            self.reader = Reader::Hyper(Box::new(connection));
        }
    }
}

impl<S: HttpService> ServedConnection for Http1Connection<S> {
    fn poll_end(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ConnectionError>> {
        loop {
            match &mut self.reader {
                Reader::Plain(plain) => match ready!(plain.poll(context))? {
                    Some(rest) => self.give_to_hyper(rest),
                    None => self.reader = Reader::None,
                },
                Reader::Hyper(connection) => {
                    return Pin::new(&mut **connection).poll(context).map_err(Into::into);
                }
                Reader::None => return Poll::Ready(Ok(())),
            }
        }
    }

    fn graceful_shutdown(mut self: Pin<&mut Self>) {
        // hyper waits for a first request that is on its way.
        if let Reader::Plain(plain) = &mut self.reader
            && !plain.close()
        {
            self.give_to_hyper(Rest::default());
        }
        if let Reader::Hyper(connection) = &mut self.reader {
            Pin::new(&mut **connection).graceful_shutdown();
        }
    }
}
