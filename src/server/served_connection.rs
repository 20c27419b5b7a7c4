//! What the driver does with a connection, whatever its protocol: polls it until it ends, and has it end in order.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::connection_service::ConnectionService;
use super::service::HttpService;
use super::socket::Socket;

pub trait ServedConnection {
    /// Serves requests; ready when the connection has ended.
    fn poll_end(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ConnectionError>>;

    /// Ends it after the answers to the requests that were read.
    fn graceful_shutdown(self: Pin<&mut Self>);
}

/// Why a connection broke.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error(transparent)]
    Hyper(#[from] hyper::Error),
    #[error(transparent)]
    Socket(#[from] io::Error),
}

pub type Http2Connection<S> =
    http2::Connection<TokioIo<Socket<S>>, ConnectionService<S>, TokioExecutor>;

impl<S: HttpService> ServedConnection for Http2Connection<S> {
    fn poll_end(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ConnectionError>> {
        self.poll(context).map_err(Into::into)
    }

    fn graceful_shutdown(self: Pin<&mut Self>) {
        http2::Connection::graceful_shutdown(self);
    }
}
